import { errorMessage, type PlatformLog } from '../common/index.ts';
import { RuntimeProblem, RuntimeUnreachable } from '../runtime/index.ts';
import { RecordsUnavailable } from '../store/index.ts';

/**
 * How long other causes of a logged failure aren't logged, in milliseconds: while an engine is unreachable, requests
 * fail in many ways.
 */
const quietMilliseconds = 60_000;

/**
 * Logs a failure. A problem that a runtime knows, and unreachable engines or records, take one line: a stack trace
 * would add nothing. Anything else may be a bug.
 */
export function logFailure(log: PlatformLog, error: unknown, fields: object, message: string): void {
  if (error instanceof RecordsUnavailable)
    log.warn({ ...fields, reason: error.message, cause: String(error.cause) }, message);
  else if (error instanceof RuntimeUnreachable || error instanceof RuntimeProblem)
    log.warn({ ...fields, reason: error.message }, message);
  else log.error({ ...fields, err: error }, message);
}

/** The log messages for repeated work. */
export interface RepeatedWorkTexts {
  readonly failure: string;
  readonly recovery: string;
}

/**
 * Logs when repeated work starts to fail, when its failure has another cause, at most once a minute, and when it works
 * again.
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
