import { wrapped } from '../terminal/lines.ts';
import { styled } from '../terminal/style.ts';
import { addingCommands, type Assistant, entryOf, type Machine, type ServerEntry } from './assistants.ts';
import { commandLine } from './launch.ts';
import { type AssistantPlan, formatOf, pathOf } from './plan-change.ts';

/** An assistant, and the plan of `init` for it. */
export interface Planned {
  readonly assistant: Assistant;
  readonly file: string;
  readonly plan: AssistantPlan;
}

/** An assistant whose file is to be changed. */
export type Change = Planned & { readonly plan: Extract<AssistantPlan, { kind: 'change' }> };

/** A part of a configuration. It isn't wrapped to the terminal's width, so that it can be copied or compared. */
const indented = (text: string, by: string): string =>
  text
    .split('\n')
    .map((line) => `${by}${line}\n`)
    .join('');

const doing: Readonly<Record<Change['plan']['does'], (plan: Change['plan'], file: string) => string>> = {
  create: (_, file) => `creates ${file}`,
  add: ({ line }, file) => `adds it at line ${line} of ${file}`,
  update: ({ line }, file) => `brings the entry up to date, from line ${line} of ${file}`,
  remove: ({ line, change }, file) =>
    change.after === undefined
      ? `removes ${file}, which holds nothing else`
      : `removes the entry at line ${line} of ${file}, and nothing else`,
};

/** Says which variables of an entry stay, by their names: their values may be secret. */
const keptText = (kept: readonly string[] = []): string =>
  kept.length === 0
    ? ''
    : `; ${kept.join(', ')} ${kept.length === 1 ? 'stays in it with its value' : 'stay in it with their values'}`;

/** A plan in a line. */
function planLine({ assistant, file, plan }: Planned, isRemoving: boolean): string {
  const title = styled('bold', assistant.title);
  if (plan.kind === 'change') return `${title}: ${doing[plan.does](plan, file)}${keptText(plan.kept)}`;
  if (plan.kind === 'blocked') return `${title}: ${styled('yellow', `left as it is: ${plan.reason}`)} (${file})`;
  return isRemoving
    ? `${title}: has no infra-mcp, in ${file}`
    : `${title}: has it already, in ${file}${keptText(plan.kept)}`;
}

/**
 * A plan as text.
 * @param isVerbose adds the entry, and the command line that it replaces
 */
export function planText(planned: Planned, isRemoving: boolean, isVerbose: boolean): string {
  const line = wrapped(`${planLine(planned, isRemoving)}\n`);
  const { plan } = planned;
  if (!isVerbose || plan.kind !== 'change') return line;
  const added = plan.shown === '' ? '' : indented(styled('green', plan.shown), '  + ');
  const replaced = plan.was === undefined ? '' : indented(styled('red', plan.was), '  - ');
  return line + replaced + added;
}

/** What assistants start, and with which variables. */
export const serverText = (server: ServerEntry): string =>
  `Assistants will start this${Object.keys(server.env).length === 0 ? '' : ', with these variables'}:\n${indented(
    [commandLine(server), ...Object.entries(server.env).map(([name, value]) => `${name}=${value}`)].join('\n'),
    '      ',
  )}`;

/**
 * The entry that a person adds to the file of an assistant that `init` doesn't write to. Assistants with the same entry
 * are grouped.
 */
function byHand(
  absent: readonly Assistant[],
  machine: Machine,
  serverFor: (assistant: Assistant) => ServerEntry,
): string {
  const groups = Map.groupBy(absent, (assistant) =>
    formatOf(assistant).show(pathOf(assistant), entryOf(assistant, serverFor(assistant))),
  );
  return [...groups]
    .map(
      ([shown, those]) =>
        wrapped(those.map((one) => `  ${one.title}  ${one.file(machine)}\n`).join('')) + indented(shown, '      '),
    )
    .join('');
}

/** The commands with which some assistants add a server themselves. */
const commandsOf = (those: readonly Assistant[], server: ServerEntry): string => {
  if (Object.keys(server.env).length > 0) return '';
  const lines = addingCommands(those, server).map(({ line }) => `  ${commandLine(line)}\n`);
  return lines.length > 0 ? `Or let them add it themselves:\n${lines.join('')}` : '';
};

const titlesOf = (those: readonly Assistant[]): string => those.map(({ title }) => title).join(', ');

/**
 * The text about assistants that `init` doesn't write to.
 * @param isVerbose says for each what to write by hand, instead of naming them
 */
export function restText(
  { absent, blocked }: { readonly absent: readonly Assistant[]; readonly blocked: readonly Assistant[] },
  server: ServerEntry,
  machine: Machine,
  serverFor: (assistant: Assistant) => ServerEntry,
  isVerbose: boolean,
): string {
  const rest = [...absent, ...blocked];
  if (rest.length === 0) return '';
  if (isVerbose) {
    const heading = `${blocked.length === 0 ? 'Not found on this machine' : 'Not found, or left as they are'}. To add it by hand:\n`;
    return `\n${wrapped(heading)}${byHand(rest, machine, serverFor)}${commandsOf(rest, server)}`;
  }
  const found = absent.length === 0 ? '' : `Not found on this machine: ${titlesOf(absent)}. `;
  return `\n${wrapped(`${found}--verbose shows what to add by hand.\n`)}`;
}
