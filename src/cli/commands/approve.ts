import { isThere } from '../../files/index.ts';
import { ConfigError, type Config } from '../config/index.ts';
import { clean } from '../../server/redaction/index.ts';
import {
  conversationText,
  longestReason,
  reasonIn,
  createApprovalQueue,
  secretHash,
  secretMark,
  matchesTyped,
  operatorName,
  planText,
  setSecret,
  terminalSource,
  waitingTarget,
  wrongSecretText,
  type ApprovalQueue,
  type Decider,
  type Pending,
  type SharedStore,
  type UnlockedQueue,
  type Verdict,
  type WaitingCall,
} from '../../server/guard/index.ts';
import { riskCell, timeCell } from '../terminal/table-cells.ts';
import { columns } from '../terminal/columns.ts';
import { wrapped, wrappedFacts } from '../terminal/lines.ts';
import { withProgress } from '../terminal/progress.ts';
import { styled, riskText } from '../terminal/style.ts';
import { requireDataDir } from '../wiring/data-dir-claim.ts';
import { requireWritable } from '../wiring/written-places.ts';
import { approvalsConfigOf, guardStoreOf, openDecisionLog } from '../wiring/guard.ts';
import { shellQuoted, typedCommand } from '../wiring/typed-command.ts';
import { announceOperator, openExistingSharedStore, openSharedStore } from '../wiring/shared-guard.ts';
import { processTerminal, type Terminal } from '../terminal/terminal.ts';

interface Flags {
  readonly refuse?: boolean;
  readonly reason?: string;
  readonly setSecret?: boolean;
  readonly operatorEntry?: string;
  readonly json?: boolean;
  readonly all?: boolean;
}

const time = (at: number): string => new Date(at).toISOString();

const unlockErrors: {
  readonly [Kind in Exclude<UnlockedQueue['kind'], 'unlocked'>]: (
    unlocked: Extract<UnlockedQueue, { kind: Kind }>,
  ) => string;
} = {
  wrong_secret: ({ left }) => wrongSecretText(left, 'in a terminal'),
  locked: ({ until }) => `Too many wrong secrets were given in a terminal. The next try counts from ${time(until)}.`,
};

/**
 * Asks for the operator secret, and for the operator's name where operators have names.
 * @returns who decides, with a function that signs decisions.
 * @throws Error if the secret is wrong or there were too many attempts.
 */
async function unlock(queue: ApprovalQueue, terminal: Terminal): Promise<Decider> {
  const name = queue.hasNames ? await terminal.ask('Operator name: ') : undefined;
  const secret = await terminal.askHidden('Operator secret: ');
  const unlocked = await withProgress('Checking the secret', () =>
    queue.unlock(secret, terminalSource, Date.now(), name),
  );
  if (unlocked.kind === 'unlocked') return { sign: unlocked.sign, operator: unlocked.operator };
  if (unlocked.kind === 'wrong_secret' && queue.hasNames)
    throw new Error(wrongSecretText(unlocked.left, 'in a terminal', true));
  throw new Error((unlockErrors[unlocked.kind] as (unlocked: UnlockedQueue) => string)(unlocked));
}

/** Maximum number of calls to list without --all: as many as a person can read. */
const maxListed = 50;

/** The waiting calls, which may be more than those to list, and their number. */
async function waitingIn(
  queue: ApprovalQueue,
  now: number,
  limit: { readonly most?: number },
): Promise<{ readonly waiting: readonly Pending[]; readonly count: number }> {
  return { waiting: await queue.waiting(now, limit), count: await queue.count(now) };
}

/** Lists the waiting calls, oldest first. @param queue undefined if no server has stored one */
async function list(
  config: Config,
  queue: ApprovalQueue | undefined,
  { json, all }: Flags,
  terminal: Terminal,
): Promise<void> {
  const now = Date.now();
  const { waiting, count } = queue
    ? await waitingIn(queue, now, json || all ? {} : { most: maxListed })
    : { waiting: [], count: 0 };
  const heading = ['code', 'tool', 'target', 'tier', 'who', 'until'];
  // Only bots tell conversations: without any, all rows would say the same.
  const isTold = waiting.some(({ conversation }) => conversation !== undefined);
  const rows = waiting.map((one) => [
    one.code,
    one.plan.tool,
    waitingTarget(one),
    riskCell(one.plan.tier),
    one.principal,
    timeCell(one.expiresAt, now),
    ...(isTold ? [conversationText(one)] : []),
  ]);
  if (!json && waiting.length === 0) return terminal.write('No call waits for approval.\n');
  terminal.write(
    json
      ? `${JSON.stringify(waiting)}\n`
      : columns(isTold ? [...heading, 'conversation'] : heading, rows, { titles: 2 }),
  );
  if (!json && count > waiting.length)
    terminal.write(
      wrapped(
        `${count - waiting.length} more wait; ${typedCommand(config, 'approve --all')} lists them all, ${typedCommand(config, 'approve CODE')} decides any of them.\n`,
      ),
    );
}

async function askNewSecret(terminal: Terminal): Promise<string> {
  const secret = await terminal.askHidden('New operator secret: ');
  if (secret !== (await terminal.askHidden('Again: '))) throw new Error('The two are not the same. Nothing was set.');
  return secret;
}

async function changeSecret(
  config: Config,
  queue: ApprovalQueue,
  terminal: Terminal,
  shared: SharedStore | undefined,
): Promise<void> {
  const { operator } = approvalsConfigOf(config);
  const mark = await secretMark(operator);
  if (mark !== undefined) {
    terminal.write(
      wrapped('A secret is set. Give it first; whatever was approved with it and not yet used is void afterwards.\n'),
    );
    await unlock(queue, terminal);
  }
  const secret = await askNewSecret(terminal);
  if (!(await withProgress('Setting the secret', () => setSecret(operator, secret, undefined, { mark }))))
    throw new Error(
      'Somebody else set the operator secret meanwhile. That one counts, and nothing was set here. Run this again to replace it.',
    );
  if (shared) await announceOperator(shared, config);
  terminal.write(`Set. Calls that need approval now wait for: ${typedCommand(config, 'approve CODE')}\n`);
}

/** Asks for the secret of a new operator, and prints their entry for the operators file. It holds no secret. */
async function printOperatorEntry(text: string, terminal: Terminal): Promise<void> {
  const parsed = operatorName().safeParse(text);
  if (!parsed.success) throw new ConfigError(`--operator-entry ${parsed.error.issues[0]!.message}.`);
  const name = parsed.data;
  const secret = await askNewSecret(terminal);
  const hash = await withProgress('Hashing the secret', () => secretHash(secret));
  terminal.write(`Put this under "operators:" in the operators file:\n  - name: ${name}\n    secret: ${hash}\n`);
}

/** Who has agreed so far, as a line; empty where one operator is enough. */
const agreedText = ({ agreed, deciders }: WaitingCall): string =>
  agreed === undefined || deciders === undefined
    ? ''
    : `Agreed: ${agreed.length} of ${deciders.needed}${agreed.length > 0 ? ` (${agreed.join(', ')})` : ''}\n\n`;

const questionText = (pending: WaitingCall): string => {
  const { code, principal, clientName, plan, askedAt, expiresAt } = pending;
  return (
    `${styled('bold', code)}: ${clean(principal)}${clientName === undefined ? '' : ` (${clean(clientName)})`} wants to run ${styled('bold', plan.tool)} (${riskText(plan.tier)}), asked ${time(askedAt)}, counts until ${time(expiresAt)}\n\nConversation: ${conversationText(pending)}\n\n${clean(planText(plan, { whole: true }))}\n\n` +
    agreedText(pending)
  );
};

/** Asks the person at the terminal to confirm the displayed plan. */
async function isConfirmed({ typed }: Pending, terminal: Terminal): Promise<boolean> {
  if (typed === undefined) return (await terminal.ask('Approve it? Type yes: ')).trim() === 'yes';
  return matchesTyped(typed, await terminal.ask(`Type ${clean(typed)} to approve it: `));
}

async function decide(
  config: Config,
  queue: ApprovalQueue | undefined,
  code: string,
  { verdict, reason }: { readonly verdict: Verdict; readonly reason: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const pending = await queue?.find(code, Date.now());
  if (!queue || !pending)
    throw new Error(
      `Nothing waits under ${code}: it expired, was decided already, or never was. ${typedCommand(config, 'approve')} lists what waits.`,
    );
  terminal.write(wrappedFacts(questionText(pending)));
  if (verdict === 'approved' && !(await isConfirmed(pending, terminal)))
    throw new Error(
      `Not approved. It waits until it expires; ${typedCommand(config, `approve ${code} --refuse`)} ends it.`,
    );
  const by = await unlock(queue, terminal);
  const decided = await queue.decide(code, verdict, { ...by, reason }, Date.now());
  switch (decided.kind) {
    case 'gone':
      throw new Error(`${code} expired or was decided meanwhile. Nothing was decided.`);
    case 'decided_before':
      throw new Error(`You agreed to ${code} before. Another operator has to agree too.`);
    case 'not_theirs':
      throw new Error(`Nothing was decided. ${decided.why}`);
    case 'counted':
      return terminal.write(`Agreed. It waits for ${decided.left} more of the operators.\n`);
    default:
      terminal.write(
        verdict === 'approved' ? 'Approved, for one call. The assistant can repeat it now.\n' : 'Refused.\n',
      );
  }
}

/** The reason for a refusal. @throws ConfigError if it can't be given */
function refusalReason({ refuse = false, reason }: Flags): string | undefined {
  if (reason === undefined) return undefined;
  if (!refuse) throw new ConfigError('--reason is for refusing. Add --refuse, or leave it out.');
  if (reason.trim().length > longestReason)
    throw new ConfigError(
      `--reason takes up to ${longestReason} characters, and this one has ${reason.trim().length}.`,
    );
  return reasonIn(reason);
}

const needsTerminal = (config: Config, code: string | undefined, flags: Flags): string => {
  const words = ['approve', ...(code === undefined ? [] : [code]), ...(flags.setSecret ? ['--set-secret'] : [])];
  const reason = flags.reason === undefined ? [] : ['--reason', shellQuoted(flags.reason)];
  const line = [...words.map(shellQuoted), ...(flags.refuse ? ['--refuse'] : []), ...reason].join(' ');
  return `Approving needs a terminal: a person has to see the plan and type. Run ${typedCommand(config, line)} in one, without pipes.`;
};

/**
 * `infra-mcp approve`: without a code, lists the waiting calls. With a code, shows the plan, then asks for confirmation
 * and the operator secret.
 * @throws Error that says why nothing was decided.
 */
export async function approveCommand(
  config: Config,
  code: string | undefined,
  flags: Flags,
  terminal: Terminal = processTerminal(),
): Promise<void> {
  if (flags.operatorEntry !== undefined) {
    if (!terminal.isInteractive)
      throw new Error(
        `An operator types the secret in a terminal, so that it is in no history. Run ${typedCommand(config, `approve --operator-entry ${shellQuoted(flags.operatorEntry)}`)} in one, without pipes.`,
      );
    return printOperatorEntry(flags.operatorEntry, terminal);
  }
  refusalReason(flags);
  // With a database, the directory of this machine may be empty.
  if (!flags.setSecret && config.databaseUrl === undefined) requireDataDir(config);
  const onlyLists = code === undefined && !flags.setSecret;
  const shared = await (onlyLists ? openExistingSharedStore : openSharedStore)(config);
  const approvals = approvalsConfigOf(config, undefined, shared && { store: shared });
  const decisions = openDecisionLog(
    config,
    shared && {
      store: shared,
      anchorFailed: (error) =>
        terminal.write(
          wrapped(
            `The decision is on record, and its place in the log could not be noted in the database: ${(error as Error).message}\n`,
          ),
        ),
    },
  );
  const queue = createApprovalQueue(approvals, { how: 'terminal', record: decisions.record });
  // Reading a store that is missing would create it.
  const isStored = shared !== undefined || (config.databaseUrl === undefined && isThere(guardStoreOf(config)));
  const stored = isStored ? queue : undefined;
  try {
    if (onlyLists) return await list(config, stored, flags, terminal);
    if (!terminal.isInteractive) throw new Error(needsTerminal(config, code, flags));
    requireWritable(config);
    if (flags.setSecret && queue.hasNames)
      throw new Error(
        `Operators have names here (INFRA_APPROVALS_OPERATORS), and a secret without one decides nothing. For an entry of that file: ${typedCommand(config, 'approve --operator-entry NAME')}`,
      );
    if (flags.setSecret) return await changeSecret(config, queue, terminal, shared);
    if (!(await queue.isSetUp()))
      throw new Error(`No operator secret is set. Set one first: ${typedCommand(config, 'approve --set-secret')}`);
    return await decide(
      config,
      stored,
      code!,
      { verdict: flags.refuse ? 'refused' : 'approved', reason: refusalReason(flags) },
      terminal,
    );
  } finally {
    await decisions.close();
    await approvals.store.close();
  }
}
