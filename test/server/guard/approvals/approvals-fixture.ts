import { join } from 'node:path';
import { createApprovals, type ApprovalRequest } from '../../../../src/server/guard/approvals/approvals.ts';
import {
  createApprovalQueue,
  type GuardStore,
  terminalSource,
  sqliteGuardStore,
  type Verdict,
} from '../../../../src/server/guard/index.ts';
import type { Decision, RecordDecision } from '../../../../src/server/audit/index.ts';
import { keysFromFile } from '../../../../src/server/context/index.ts';
import { confirmationRequest } from '../confirmation-request.ts';

interface ApprovalsOptions {
  /** Default: a SQLite file in the folder. */
  readonly store?: GuardStore;
  /** Records a decision, which is kept in `decisions`, too. */
  readonly record?: RecordDecision;
  /** Names the place where the process records. */
  readonly log?: string;
  /** Path of an operators file. */
  readonly operators?: string;
  readonly acceptsChat?: boolean;
}

/** The approvals of one process, with their files in this folder. */
export function approvalsIn(
  folder: string,
  {
    store = sqliteGuardStore(join(folder, 'guard.sqlite')),
    record = async () => {},
    log = 'the log',
    operators,
    acceptsChat,
  }: ApprovalsOptions = {},
) {
  const decisions: Decision[] = [];
  const operator = join(folder, 'operator.json');
  const config = {
    store,
    keys: keysFromFile(join(folder, 'guard.key')),
    operator,
    operators,
    acceptsChat,
    program: 'infra-mcp',
    log: () => log,
  };
  const queue = createApprovalQueue(config, {
    how: 'terminal',
    record: async (decision) => {
      await record(decision);
      decisions.push(decision);
    },
  });
  return {
    ...config,
    approvals: createApprovals(config),
    queue,
    decisions,
    /** Enters the secret and decides, like the operator's command does. */
    decide: async (
      code: string,
      verdict: Verdict,
      secret: string,
      now: number,
      source = terminalSource,
      name?: string,
    ) => {
      const unlocked = await queue.unlock(secret, source, now, name);
      return unlocked.kind === 'unlocked' ? queue.decide(code, verdict, unlocked, now) : unlocked;
    },
    [Symbol.dispose]: () => void store.close(),
  };
}

/** A request for approval, with defaults for everything that a test leaves out. */
export const approvalRequest = ({
  digest,
  ...more
}: Partial<ApprovalRequest> & { digest?: string } = {}): ApprovalRequest => ({
  call: 'ann stop_environment e-1',
  principal: 'ann',
  identity: 'ann',
  plan: confirmationRequest({ digest }).plan,
  typed: 'shop/prod',
  situations: [],
  ...more,
});
