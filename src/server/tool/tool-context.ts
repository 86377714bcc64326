import type { RequestBudget } from '../../client/budget.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import type { Reader } from '../context/reader.ts';
import type { ResolvedResource } from './name-resolver.ts';
import type { JsonSchema } from '../json/json-schema.ts';
import type { ToolText } from './tool-text.ts';
import type { JsonRecord } from '../json/values.ts';

/**
 * What the code of a tool works with while its call is carried out. It can read the platform, within the caller's rights,
 * budget and policy, and wait. It can change nothing: changes are planned operations, which a later stage sends. The answer
 * says what `attempt` could not read, and why.
 */
export interface ToolContext extends Omit<Reader, 'under'> {
  /** What the names and ids among the arguments stand for, by argument. */
  readonly addresses: Readonly<Record<string, ResolvedResource>>;
  /** Names of the operations that were carried out before the answer is made, in their order. */
  readonly done: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds that are left of this call. */
  readonly timeLeft: () => number;
  /** Waits that many milliseconds, or until the call's time is over or its caller gave up. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Whether the caller gave up. */
  readonly isAborted: () => boolean;
  /**
   * Names of the members of which something may not be shown. Whether such a one equals what the caller gave is not to be
   * told, by no answer: it would be told whether a guess was right.
   */
  readonly hiddenIn: (record: JsonRecord, schema?: JsonSchema) => readonly string[];
  /** Tells the caller how far it is, where it asked to be told. */
  readonly progress: (message: string) => void;
  /** What remains of the platform's request budget, as far as it is known. */
  readonly budget: () => RequestBudget | undefined;
  /** Whether the platform is known not to have an operation, because it was tried. */
  readonly lacks: (operation: AnyOperation) => boolean;
  /**
   * Ends the call.
   * @param what is wrong, and what to do `next`: in our own words, ids and what the caller gave.
   * @param seen what the platform shows of it, told as data.
   */
  readonly refuse: (what: string, next: ToolText, seen?: string) => never;
}
