import { homeFolder } from '../../files/index.ts';
import type { Config, GivenFlags } from '../config/index.ts';
import { type Assistant, assistants, type Machine, type ServerEntry } from '../init/assistants.ts';
import { backupOf, writeChange } from '../init/config-file.ts';
import { entryEnvironment } from '../init/entry-environment.ts';
import { launchOf } from '../init/launch.ts';
import { isFound, planAdding, planRemoving } from '../init/plan-change.ts';
import { type Change, type Planned, planText, restText, serverText } from '../init/plan-text.ts';
import { countTools, entryWithin, toolsText } from '../init/tool-limits.ts';
import { wrapped } from '../terminal/lines.ts';
import { plainMessage } from '../terminal/plain-message.ts';
import { styled } from '../terminal/style.ts';
import { processTerminal, type Terminal } from '../terminal/terminal.ts';
import { configuredWebhook } from '../wiring/approvals-webhook.ts';
import { createLog } from '../wiring/log.ts';
import { openSecretWarnings } from '../wiring/open-secret-files.ts';
import { remoteConnection } from '../wiring/remote-connection.ts';
import { UnusablePlace, unwritablePlaces } from '../wiring/written-places.ts';

interface Flags {
  readonly assistant?: readonly string[];
  readonly remove?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly verbose?: true;
}

/** The changes that an answer chooses: all, those of the named assistants, or none. Undefined if it names another. */
function chosenBy(answer: string, changes: readonly Change[]): readonly Change[] | undefined {
  if (/^y(?:es)?$/i.test(answer)) return changes;
  if (/^(?:no?)?$/i.test(answer)) return [];
  const names = answer
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const chosen = changes.filter(({ assistant }) => names.includes(assistant.name));
  return chosen.length === new Set(names).size ? chosen : undefined;
}

/** Asks the user which of the changes to make. @throws Error if no user can be asked */
async function agreedTo(changes: readonly Change[], { yes }: Flags, terminal: Terminal): Promise<readonly Change[]> {
  if (yes) return changes;
  if (!terminal.isInteractive)
    throw new Error(
      'Nothing was written, because nobody can be asked here. Add --yes to write without being asked, or --dry-run to only look.',
    );
  const names = changes.map(({ assistant }) => assistant.name).join(', ');
  if (changes.length > 1)
    terminal.write(wrapped(`Change these ${changes.length} files? Type y for all, or the names of some: ${names}.\n`));
  const question = changes.length === 1 ? 'Change this file? Type y: ' : 'Which? ';
  for (;;) {
    const chosen = chosenBy((await terminal.ask(question)).trim(), changes);
    if (chosen) return chosen;
    terminal.write(wrapped(`Type y, or names of these, separated by commas: ${names}. Enter alone changes nothing.\n`));
  }
}

/** What would keep a server with this configuration from starting or working, one sentence each. */
async function faultsOf(config: Config): Promise<string[]> {
  const checks = [
    () => (config.baseUrl === undefined ? undefined : remoteConnection(config, createLog('silent'))),
    () => configuredWebhook(config),
  ];
  const results = await Promise.allSettled(checks.map(async (check) => check()));
  return [
    ...results.flatMap((result) =>
      result.status === 'rejected' ? [`The server can't start with this: ${(result.reason as Error).message}`] : [],
    ),
    ...unwritablePlaces(config).map(({ place, cause }) => new UnusablePlace(place, cause).message),
    ...openSecretWarnings(config),
  ];
}

/**
 * Carries out the changes one by one. A file that can't be written doesn't prevent the others.
 * @returns the assistants whose file could not be written
 */
async function write(changes: readonly Change[], terminal: Terminal): Promise<readonly Assistant[]> {
  const failed: Assistant[] = [];
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
      failed.push(assistant);
      terminal.write(wrapped(`${assistant.title}: ${styled('red', 'not written')}: ${plainMessage(error)}\n`));
    }
  }
  return failed;
}

/** Sets the exit code, and explains it, if files of assistants are not as they should be. */
function explainExit(unchanged: readonly Assistant[], terminal: Terminal): void {
  if (unchanged.length === 0) return;
  process.exitCode = 1;
  const titles = unchanged.map(({ title }) => title).join(', ');
  terminal.write(
    wrapped(
      `The exit code is 1, because ${unchanged.length === 1 ? 'this file was' : 'these files were'} left as before: ${titles}.\n`,
    ),
  );
}

const afterwards = ({ remove }: Flags, faults: readonly string[]): string =>
  [
    ...faults.map((fault) => `Still to do: ${fault}`),
    `Restart the assistants that are open, so that they read it.${remove ? '' : ' Then ask one: "What do we have, and is anything broken?"'}`,
  ]
    .map((line) => `${line}\n`)
    .join('');

/**
 * Writes the changes that the user agrees to.
 * @param faults of the configuration, which are still there afterwards
 * @returns the assistants whose file could not be written
 */
async function carryOut(
  changes: readonly Change[],
  faults: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<readonly Assistant[]> {
  if (changes.length === 0) return [];
  terminal.write('\n');
  const agreed = flags.dryRun ? [] : await agreedTo(changes, flags, terminal);
  if (agreed.length === 0) {
    terminal.write(flags.dryRun ? 'Nothing was written: --dry-run.\n' : 'Nothing was written.\n');
    return [];
  }
  const failed = await write(agreed, terminal);
  if (failed.length < agreed.length) terminal.write(wrapped(afterwards(flags, faults)));
  return failed;
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
  const isVerbose = flags.verbose === true;
  const machine: Machine = { platform: process.platform, home: homeFolder(), env: process.env };
  const { env, warnings, config } = flags.remove
    ? { env: {}, warnings: [] }
    : await entryEnvironment(rawFlags, process.env);
  const counts = config && (await countTools(config));
  const faults = [...warnings, ...(config ? await faultsOf(config) : [])];
  for (const warning of faults) process.stderr.write(wrapped(`warning: ${warning}\n`, process.stderr));
  const server: ServerEntry | undefined = flags.remove ? undefined : { ...launchOf(), env };
  const serverFor = (assistant: Assistant): ServerEntry => entryWithin(assistant, server!, counts!);
  const asked = assistants.filter(({ name }) => flags.assistant === undefined || flags.assistant.includes(name));
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

  if (server) terminal.write(`${serverText(server)}\n`);
  terminal.write(planned.map((one) => planText(one, flags.remove === true, isVerbose)).join(isVerbose ? '\n' : ''));
  const blocked = planned.filter(({ plan }) => plan.kind === 'blocked').map(({ assistant }) => assistant);
  if (counts) {
    const limited = planned.flatMap(({ assistant, plan }) =>
      plan.kind === 'blocked' ? [] : [{ assistant, choosesTools: plan.choosesTools === true }],
    );
    const others = [...absent, ...blocked].map((assistant) => ({ assistant, choosesTools: true }));
    terminal.write(
      `${planned.length > 0 ? '\n' : ''}${wrapped(toolsText(counts, isVerbose ? [...limited, ...others] : limited))}`,
    );
  }
  if (server) terminal.write(restText({ absent, blocked }, server, machine, serverFor, isVerbose));
  if (!server && planned.length === 0)
    terminal.write(wrapped('No assistant that could have infra-mcp was found on this machine.\n'));

  const changes = planned.filter((one): one is Change => one.plan.kind === 'change');
  const failed = await carryOut(changes, faults, flags, terminal);
  explainExit([...blocked, ...failed], terminal);
}
