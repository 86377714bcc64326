/** Makes the animated picture of the demo for the README, from what the demo prints. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { styledRows } from './styled-lines.ts';
import { terminalSvg, type TerminalStep } from './terminal-svg.ts';

const root = join(import.meta.dirname, '../..');

/** The path of the picture, from the root. */
export const demoPicturePath = 'docs/pictures/demo.svg';

const [columns, height] = [100, 24];

/** How the chapters begin that the picture shows; it says how many it leaves out. */
const shownChapters = ['"What do we have', '"Why did', '"Fix it."', 'It tries to stop production', 'The end'] as const;

/** What differs from run to run, and what stands in its place. */
const steady: readonly (readonly [RegExp, string])[] = [
  [/\(\d+ s\)/g, '(57 s)'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-13T10:00:00.000Z'],
  [/after [\d.]+ seconds/g, 'after 12.2 seconds'],
];

/** What the demo prints in a terminal with colours. */
async function demoOutput(): Promise<string> {
  const { NO_COLOR: _, ...environment } = process.env;
  const args = ['--import', import.meta.resolve('tsx'), join(root, 'scripts/demo.ts'), '--time-scale', '0'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    env: { ...environment, FORCE_COLOR: '1' },
  });
  return steady.reduce((text, [pattern, instead]) => text.replaceAll(pattern, instead), stdout);
}

// eslint-disable-next-line no-control-regex -- the styles of a terminal
const plain = (text: string): string => text.replaceAll(/\u001B\[\d+m/g, '');

/** The chapters of the demo that the picture shows. @throws Error if the demo has one of them no more. */
function shownText(output: string): string {
  const chapters = output.trim().split('\n\n');
  const isShown = (chapter: string): boolean => shownChapters.some((start) => plain(chapter).startsWith(start));
  const missing = shownChapters.filter((start) => !chapters.some((chapter) => plain(chapter).startsWith(start)));
  if (missing.length > 0)
    throw new Error(
      `The demo has no chapter that begins with ${missing.join(' or ')}. Change shownChapters in scripts/pictures/demo.ts.`,
    );
  const [first, last] = [chapters.findIndex(isShown), chapters.length - 1];
  const left = chapters
    .filter((chapter, index) => index > first && index < last && !isShown(chapter))
    .map((chapter) => plain(chapter).split('\n')[0]);
  return chapters
    .slice(first)
    .flatMap((chapter, index, all) => {
      if (isShown(chapter)) return [chapter];
      return isShown(all[index - 1]!) ? [`\u001B[2m[${left.length} chapters are left out here]\u001B[22m`] : [];
    })
    .join('\n\n');
}

/** How the lines start that come after a pause, and its seconds. Other lines appear with the one before. */
const pauses: readonly (readonly [RegExp, number])[] = [
  [/^\S/, 0.8],
  [/^ {2}→/, 0.6],
  [/^ {4}!/, 1.2],
  [/^ {4}✓/, 0.8],
];
/** Seconds to read a row that has appeared. */
const rowPause = 0.25;
/** Seconds between a call and what comes of it. */
const answerPause = 0.6;
/** Seconds for which the end stays. */
const endPause = 5;

function pauseBefore(line: string, previous: string): number | undefined {
  const own = pauses.find(([start]) => start.test(line))?.[1];
  return own ?? (/^ {2}→/.test(previous) ? answerPause : undefined);
}

function stepsOf(lines: readonly string[]): TerminalStep[] {
  const steps: TerminalStep[] = [];
  lines.forEach((line, index) => {
    const rows = styledRows(line, columns);
    const pause = index === 0 ? 0 : pauseBefore(plain(line), plain(lines[index - 1] ?? ''));
    const last = steps.at(-1);
    if (pause === undefined && last) steps.splice(-1, 1, { ...last, rows: [...last.rows, ...rows] });
    else steps.push({ rows, at: (last?.at ?? 0) + (pause ?? 0) + rowPause * (last?.rows.length ?? 0) });
  });
  return steps;
}

/** The picture of the demo, as SVG. The same output of the demo makes the same picture. */
export async function demoPicture(): Promise<string> {
  const steps = stepsOf([`\u001B[2m$\u001B[22m npm run demo`, '', ...shownText(await demoOutput()).split('\n')]);
  return terminalSvg({
    title: 'npm run demo',
    description:
      'An assistant finds a failed deployment, explains it, fixes it after the user agrees, and is refused when it tries to stop production.',
    columns,
    height,
    steps,
    duration: Math.round(steps.at(-1)!.at + endPause),
  });
}
