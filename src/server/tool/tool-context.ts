import type { RequestBudget } from '../../client/index.ts';
import type { AnyOperation } from '../../contract/index.ts';
import type { Reader } from '../context/index.ts';
import type { ResolvedResource, ResourceKind } from './name-resolver.ts';
import type { JsonRecord, JsonSchema } from '../json/index.ts';
import type { ToolText } from './tool-text.ts';

/** A name that nothing has, or nothing has any more. */
export interface NotFound {
  readonly kind: ResourceKind;
  /** The name, path or id, as given. */
  readonly reference: string;
  /** Ends the call with the failure of looking it up. @param note what else is known, of this server: a whole sentence */
  readonly refuse: (note: string) => never;
}

/**
 * The functions and data available to a tool's code during a call. It can read the platform within the caller's
 * permissions, budget and policy, and it can wait. It can't change anything: changes are planned operations, which a
 * later stage sends. The answer reports what `attempt` could not read, and why.
 */
export interface ToolContext extends Omit<Reader, 'under'> {
  /** The resources that names and ids among the arguments refer to, by argument. */
  readonly resolved: Readonly<Record<string, ResolvedResource>>;
  /** The names among the arguments that nothing has, by argument, where the tool lets them be so (Tool.mayBeGone). */
  readonly notFound?: Readonly<Record<string, NotFound>>;
  /** Names of the operations that were executed before the answer, in order. */
  readonly done: readonly string[];
  /** Their inputs, in the same order. */
  readonly sent: readonly JsonRecord[];
  /** An optional read as it was answered before the change. It is sent now only if no earlier step needed it. */
  readonly before: Reader['attempt'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds until the call's deadline. */
  readonly timeLeft: () => number;
  /** Milliseconds since this caller last sent a change through this process; infinite if it sent none. */
  readonly sinceChange: () => number;
  /** Waits this many milliseconds, but no longer than until the call's deadline or its cancellation. */
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Whether the call was cancelled. */
  readonly isAborted: () => boolean;
  /** Whether a read failed because the policy doesn't allow it. */
  readonly isDenied: (error: unknown) => boolean;
  /**
   * Names of members with content that may not be shown. No answer may depend on whether such a member equals the
   * caller's value: that would confirm a guess.
   */
  readonly hiddenIn: (record: JsonRecord, schema?: JsonSchema) => readonly string[];
  /**
   * The state before and after each replacement that was sent, as the platform returned both, if known; may be shown.
   * Only for answers.
   */
  readonly replacements: () => readonly { readonly before: JsonRecord; readonly after: JsonRecord }[];
  /** Reports progress, if the caller requested it. */
  readonly progress: (message: string) => void;
  /** The remainder of the platform's request budget, if known. */
  readonly budget: () => RequestBudget | undefined;
  /** Whether an earlier call showed that the platform doesn't offer an operation. */
  readonly lacks: (operation: AnyOperation) => boolean;
  /**
   * Reports with the answer what it lacks, or what replaces it. The line may contain only text of this server, ids and
   * the caller's values.
   */
  readonly leftOut: (line: string) => void;
  /**
   * Ends the call with a failure. `what` and `next` may contain only text of this server, ids and the caller's values.
   * @param what is wrong.
   * @param next what to do.
   * @param seen related data from the platform, reported as data.
   */
  readonly refuse: (what: string, next: ToolText, seen?: string) => never;
  /**
   * Ends the call because reads that `attempt` skipped leave nothing to show: with the policy's denial if it denied one
   * of them, otherwise like `refuse`.
   */
  readonly refuseWithout: (operations: readonly AnyOperation[], what: string, next: ToolText) => never;
  /**
   * Ends a call whose change took effect, but not as requested, with a failure. The parameters are those of `refuse`.
   */
  readonly notAsAsked: (what: string, next: ToolText, seen?: string) => never;
}
