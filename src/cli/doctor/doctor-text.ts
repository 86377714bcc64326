import type { Setting } from '../config/index.ts';
import type { Cell, Piece } from '../terminal/cell.ts';
import { columns } from '../terminal/columns.ts';
import { wrapped } from '../terminal/lines.ts';
import { type Style, styled } from '../terminal/style.ts';
import type { DoctorFinding, FindingState } from '../../platform/common/index.ts';

const marks: Readonly<Record<FindingState, Piece>> = {
  bad: { text: '✗', style: 'red' },
  note: { text: '!', style: 'yellow' },
  info: { text: 'i', style: 'cyan' },
  skipped: { text: '–', style: 'dim' },
  good: { text: '✓', style: 'green' },
};

/** States that are always shown, the worst first. */
const attention: readonly FindingState[] = ['bad', 'note', 'info'];

const findingRow = ({ check, state, says, todo }: DoctorFinding): Cell[] => [
  marks[state],
  check,
  todo === undefined ? says : [`${says.replace(/\.$/, '')}.`, { text: todo, style: 'bold' as Style }],
];

const settingRow = ({ option, source, value }: Setting): Cell[] =>
  [option.env, value ?? '', source ?? 'default'].map((text) => ({
    text,
    style: source === undefined ? 'dim' : undefined,
  }));

const count = (some: number, one: string, several = `${one}s`): string => `${some} ${some === 1 ? one : several}`;

/** The numbers of findings that are not listed, and of options. */
function summary(findings: readonly DoctorFinding[], settings: readonly Setting[]): string {
  const number = (state: FindingState): number => findings.filter((one) => one.state === state).length;
  const skipped = number('skipped');
  const checks = `${count(number('good'), 'check')} found nothing to do${skipped === 0 ? '' : `, ${count(skipped, 'was', 'were')} skipped`}`;
  const set = settings.filter(({ source }) => source !== undefined);
  return `${checks}; ${set.length} of ${count(settings.length, 'option')} ${set.length === 1 ? 'is' : 'are'} set. --verbose shows them all.`;
}

function verdict(findings: readonly DoctorFinding[]): string {
  const number = (state: FindingState): number => findings.filter((one) => one.state === state).length;
  const [bad, notes] = [number('bad'), number('note')];
  if (bad > 0) return styled('red', `${count(bad, 'thing is', 'things are')} wrong; each line says what to do.`);
  return notes > 0
    ? styled('yellow', `It can start, and ${count(notes, 'thing needs', 'things need')} attention here, marked with !.`)
    : styled('green', 'Nothing is wrong.');
}

/**
 * The findings as text. Those that need attention come first, the worst on top.
 * @param verbose lists the other findings and the options too, instead of counting them.
 */
export function doctorText(findings: readonly DoctorFinding[], settings: readonly Setting[], verbose: boolean): string {
  const urgent = attention.flatMap((state) => findings.filter((one) => one.state === state));
  const listed = verbose ? [...urgent, ...findings.filter(({ state }) => !attention.includes(state))] : urgent;
  return [
    ...(listed.length === 0 ? [] : [columns(['', 'what', 'found'], listed.map(findingRow))]),
    ...(verbose ? [columns(['option', 'value', 'from'], settings.map(settingRow))] : []),
    wrapped(`${verbose ? '' : `${summary(findings, settings)}\n`}${verdict(findings)}\n`),
  ].join('\n');
}
