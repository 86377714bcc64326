import { errorMessage, type PlatformLog } from '../common/index.ts';
import { RuntimeProblem, RuntimeUnreachable } from '../runtime/index.ts';
import { RecordsUnavailable } from '../store/index.ts';

/**
 * How long other causes of a failure that was told are not told, in milliseconds: while an engine is away, requests
 * fail in many ways.
 */
const quietMilliseconds = 60_000;

/**
 * Logs a failure. What a runtime knows to be wrong, and that an engine or the records are away, is one line: the stack
 * would tell nothing. Anything else may be a fault of the program.
 */
export function logFailure(log: PlatformLog, error: unknown, fields: object, message: string): void {
  if (error instanceof RecordsUnavailable)
    log.warn({ ...fields, reason: error.message, cause: String(error.cause) }, message);
  else if (error instanceof RuntimeUnreachable || error instanceof RuntimeProblem)
    log.warn({ ...fields, reason: error.message }, message);
  else log.error({ ...fields, err: error }, message);
}

/** What the log says of work that is repeated. */
export interface RepeatedWorkTexts {
  readonly failure: string;
  readonly recovery: string;
}

/**
 * Tells of work that is repeated when it begins to fail, when its failure has another cause, at most once a minute, and
 * when it works again.
 */
export function createFailureLog(
  log: PlatformLog,
  fields: object,
  says: RepeatedWorkTexts,
): { readonly failed: (error: unknown) => void; readonly worked: () => void } {
  let told: { readonly problem: string; readonly at: number } | undefined;
  return {
    failed: (error) => {
      const problem = errorMessage(error);
      if (told !== undefined && (told.problem === problem || performance.now() - told.at < quietMilliseconds)) return;
      told = { problem, at: performance.now() };
      logFailure(log, error, fields, says.failure);
    },
    worked: () => {
      if (told !== undefined) log.info({ ...fields, problem: told.problem }, says.recovery);
      told = undefined;
    },
  };
}
