import { homeFolder } from '../../files/index.ts';
import type { GivenFlags } from '../config/index.ts';
import {
  addingCommands,
  type Assistant,
  assistants,
  entryOf,
  type Machine,
  type ServerEntry,
} from '../init/assistants.ts';
import { countTools, entryWithin, toolsText } from '../init/tool-limits.ts';
import { backupOf, writeChange } from '../init/config-file.ts';
import { entryEnvironment } from '../init/entry-environment.ts';
import { commandLine, launchOf } from '../init/launch.ts';
import { formatOf, isFound, pathOf, planAdding, planRemoving, type AssistantPlan } from '../init/plan-change.ts';
import { wrapped } from '../terminal/lines.ts';
import { styled } from '../terminal/style.ts';
import { processTerminal, type Terminal } from '../terminal/terminal.ts';

interface Flags {
  readonly assistant?: string;
  readonly remove?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** An assistant, and the plan of `init` for it. */
interface Planned {
  readonly assistant: Assistant;
  readonly file: string;
  readonly plan: AssistantPlan;
}

type Change = Planned & { readonly plan: Extract<AssistantPlan, { kind: 'change' }> };

/** A part of a configuration. It isn't wrapped to the terminal's width, so that it can be copied or compared. */
const indented = (text: string, by: string): string =>
  text
    .split('\n')
    .map((line) => `${by}${line}\n`)
    .join('');

const doing: Readonly<Record<Change['plan']['does'], (plan: Change['plan']) => string>> = {
  create: () => 'creates the file',
  add: ({ line }) => `adds at line ${line}`,
  update: ({ line }) => `brings the entry up to date, from line ${line}`,
  remove: ({ line, change }) =>
    change.after === undefined
      ? 'removes the file, which holds nothing else'
      : `removes the entry at line ${line}, and nothing else`,
};

function describePlan({ assistant, file, plan }: Planned, isRemoving: boolean): string {
  const heading = wrapped(`${styled('bold', assistant.title)}  ${file}\n`);
  if (plan.kind === 'as it should be')
    return `${heading}  ${isRemoving ? 'has no infra-mcp' : 'has it already; nothing to write'}\n`;
  if (plan.kind === 'blocked') return heading + wrapped(`  ${styled('yellow', `left as it is: ${plan.reason}`)}\n`);
  const added = plan.shown === '' ? '' : indented(styled('green', plan.shown), '  + ');
  const replaced = plan.was === undefined ? '' : indented(styled('red', plan.was), '  - ');
  return heading + wrapped(`  ${doing[plan.does](plan)}\n`) + replaced + added;
}

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

async function agreedTo(changes: readonly Change[], { yes }: Flags, terminal: Terminal): Promise<boolean> {
  if (yes) return true;
  if (!terminal.isInteractive)
    throw new Error(
      'Nothing was written, because nobody can be asked here. Add --yes to write without being asked, or --dry-run to only look.',
    );
  return /^y(es)?$/i.test(
    (
      await terminal.ask(`Write ${changes.length === 1 ? 'this file' : `these ${changes.length} files`}? Type y: `)
    ).trim(),
  );
}

/** Carries out the changes one by one. A file that can't be written doesn't prevent the others. */
async function write(changes: readonly Change[], terminal: Terminal): Promise<void> {
  for (const {
    assistant,
    plan: { does, change },
  } of changes) {
    try {
      await writeChange(change);
      terminal.write(
        wrapped(
          `${assistant.title}: ${does === 'remove' ? 'removed' : 'written'}.${change.backup === 'write' && does !== 'create' ? ` The file as it was: ${backupOf(change.file)}` : ''}\n`,
        ),
      );
    } catch (error) {
      process.exitCode = 1;
      terminal.write(wrapped(`${assistant.title}: ${styled('red', 'not written')}: ${(error as Error).message}\n`));
    }
  }
}

/**
 * `infra-mcp init`: adds the server to the configuration files of assistants, or removes it. Shows the changes first,
 * and writes nothing without consent. The exit code is 1 if a file had to be left unchanged.
 * @throws Error if the options are invalid, or the user can't be asked.
 */
export async function initCommand(
  rawFlags: GivenFlags,
  flags: Flags,
  terminal: Terminal = processTerminal(),
): Promise<void> {
  const machine: Machine = { platform: process.platform, home: homeFolder(), env: process.env };
  const { env, warnings, config } = flags.remove
    ? { env: {}, warnings: [] }
    : await entryEnvironment(rawFlags, process.env);
  const counts = config && (await countTools(config));
  for (const warning of warnings) process.stderr.write(wrapped(`warning: ${warning}\n`, process.stderr));
  const server: ServerEntry | undefined = flags.remove ? undefined : { ...launchOf(), env };
  const serverFor = (assistant: Assistant): ServerEntry => entryWithin(assistant, server!, counts!);
  const asked = assistants.filter(({ name }) => flags.assistant === undefined || name === flags.assistant);
  // An explicitly named assistant is added even if it isn't found.
  const chosen = asked.filter(
    (assistant) => (flags.assistant !== undefined && server !== undefined) || isFound(assistant, machine),
  );
  const absent = asked.filter((assistant) => !chosen.includes(assistant));
  const planned = await Promise.all(
    chosen.map(async (assistant): Promise<Planned> => ({
      assistant,
      file: assistant.file(machine),
      plan: await (server ? planAdding(assistant, machine, serverFor(assistant)) : planRemoving(assistant, machine)),
    })),
  );

  terminal.write(planned.map((one) => describePlan(one, flags.remove === true)).join('\n'));
  const blocked = planned.filter(({ plan }) => plan.kind === 'blocked').map(({ assistant }) => assistant);
  if (blocked.length > 0) process.exitCode = 1;
  const toDo = [...absent, ...blocked];
  if (counts) {
    const limited = planned.flatMap(({ assistant, plan }) =>
      plan.kind === 'blocked' ? [] : [{ assistant, choosesTools: plan.choosesTools === true }],
    );
    terminal.write(
      `${planned.length > 0 ? '\n' : ''}${wrapped(toolsText(counts, [...limited, ...toDo.map((assistant) => ({ assistant, choosesTools: true }))]))}`,
    );
  }
  if (server && toDo.length > 0) {
    const heading = `${blocked.length === 0 ? 'Not found on this machine' : 'Not found, or left as they are'}. To add it by hand:\n`;
    terminal.write(`\n${wrapped(heading)}${byHand(toDo, machine, serverFor)}${commandsOf(toDo, server)}`);
  }
  if (!server && planned.length === 0)
    terminal.write(wrapped('No assistant that could have infra-mcp was found on this machine.\n'));

  const changes = planned.filter((one): one is Change => one.plan.kind === 'change');
  if (changes.length === 0) return;
  terminal.write('\n');
  if (flags.dryRun) return terminal.write('Nothing was written: --dry-run.\n');
  if (!(await agreedTo(changes, flags, terminal))) return terminal.write('Nothing was written.\n');
  await write(changes, terminal);
  terminal.write(wrapped('Restart the assistants that are open, so that they read it.\n'));
}
