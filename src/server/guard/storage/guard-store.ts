import type { ChainAnchors } from '../../audit/index.ts';
import type { HighRiskCalls } from './high-risk-calls.ts';
import type { SecretTries } from './secret-tries.ts';
import type { SingleUses } from './single-uses.ts';
import type { WaitingRecords } from './waiting-records.ts';

/**
 * State that several server processes and the operator's command share. Each function is one step that happens whole or
 * not at all, among all processes, and survives a loss of power once it resolves. Times are milliseconds since 1970.
 * What the clock of the calling process says is called `clock`; `now` is a result of `time`.
 */
export interface GuardStore {
  /**
   * The time to use for what is in the store: never before a time that any process used earlier. If the clock stepped
   * back by seconds, the age of waiting calls, their decisions and questions can't be known: they are deleted, and have
   * to be asked for again. What counts against a limit stays, dated no later than now.
   */
  time(clock: number): Promise<number>;
  /** The calls that wait for the operator. */
  readonly waiting: WaitingRecords;
  /** Wrong secrets, which lock where they come from. */
  readonly secretTries: SecretTries;
  /** The count of high-risk calls. */
  readonly highRiskCalls: HighRiskCalls;
  /** Questions and plan tokens that can be answered once, at any process. */
  readonly singleUses: SingleUses;
  /** How far the audit chains of all processes are. */
  readonly anchors: ChainAnchors;
  close(): Promise<void>;
}
