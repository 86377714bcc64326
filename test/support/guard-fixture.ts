import { directoryForRecords } from './memory-directory.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { approvalsConfigOf, openGuard } from '../../src/cli/wiring/guard.ts';
import { readConfig } from '../../src/cli/config/index.ts';
import { createApprovalQueue, setSecret, type Policy, terminalSource } from '../../src/server/guard/index.ts';
import { parsePolicy } from '../../src/server/guard/policy/load.ts';
import { secretOf, writeOperators } from './operators-file.ts';
import { tools } from '../../tools/index.ts';

/** A list of everything that a test opens. All of it is closed after each test, newest first. */
export function closedAfterEach(): { close: () => Promise<unknown> }[] {
  const opened: { close: () => Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const resource of opened.splice(0).toReversed()) await resource.close();
  });
  return opened;
}

/** The approval code in an answer that says that its call waits for the operator. */
export const approvalCodeIn = (text: string): string => /under code ([2-9A-Z]{4}-[2-9A-Z]{4})/.exec(text)![1]!;

export const operatorSecret = 'only the operator knows';

/**
 * Sets the operator's secret with a cost at which it is derived in no time, as nobody guesses at it here.
 * @param path of the operator's file
 */
export async function setOperatorSecret(path: string, secret = operatorSecret): Promise<void> {
  if (!(await setSecret(path, secret, 2 ** 4))) throw new Error('another one was set at the same time');
}

/**
 * Opens the guard of a process on its own data directory. With `operator` the operator's secret is set.
 * @param operators the operators who have names, each with the rest of their entry in the operators file
 */
export async function openGuardFixture({
  operator = false,
  operators,
}: { operator?: boolean; operators?: Readonly<Record<string, object>> } = {}) {
  const dataDir = await mkdtemp(join(directoryForRecords, 'infra-mcp-guard-'));
  const approvalsOperators = operators && join(dataDir, 'operators.json');
  if (approvalsOperators) await writeOperators(approvalsOperators, operators);
  const { config } = readConfig('stdio', { dataDir, ...(approvalsOperators && { approvalsOperators }) }, {});
  const guard = openGuard(config);
  const approvals = approvalsConfigOf(config);
  const queue = createApprovalQueue(approvals, { how: 'terminal', record: guard.recordDecision });
  if (operator) await setOperatorSecret(approvals.operator);
  return {
    config,
    dataDir,
    parts: guard.dependencies,
    /** Waits until all records are written. */
    settled: guard.settled,
    /** Drops every pending approval. */
    dropWaiting: async (): Promise<void> => void (await approvals.store.waiting.dropExpired(Date.parse('9999-01-01'))),
    /** The calls that wait for the operator. */
    waiting: () => queue.waiting(Date.now()),
    /** Decides like the operator does in the terminal. */
    decide: async (code: string, verdict: 'approved' | 'refused' = 'approved'): Promise<void> => {
      const unlocked = await queue.unlock(operatorSecret, terminalSource, Date.now());
      if (unlocked.kind !== 'unlocked') throw new Error(unlocked.kind);
      if ((await queue.decide(code, verdict, unlocked, Date.now())).kind !== 'decided')
        throw new Error(`nothing waits under ${code}`);
    },
    /** Decides like the operator of this name does in the terminal. */
    decideAs: async (name: string, code: string, verdict: 'approved' | 'refused' = 'approved', reason?: string) => {
      const unlocked = await queue.unlock(secretOf(name), terminalSource, Date.now(), name);
      if (unlocked.kind !== 'unlocked') throw new Error(unlocked.kind);
      return queue.decide(code, verdict, { ...unlocked, reason }, Date.now());
    },
    close: async () => {
      await approvals.store.close();
      await guard.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

export type GuardFixture = Awaited<ReturnType<typeof openGuardFixture>>;

/** The policy of a policy file with this text. */
export const policyFrom = async (text: string): Promise<Policy> => ({
  readOnly: false,
  rules: [await parsePolicy('policy.yaml', text, tools)],
});
