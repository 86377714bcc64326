import { IncompatibleSchema } from '../../../database/index.ts';
import { CommitUnknown, isBusy, isConnectionLost } from '../../../postgres/index.ts';
import { RecordsUnavailable } from '../store.ts';

/**
 * Converts a failure of the database that the request didn't cause to an error for callers. Returns any other error
 * unchanged.
 */
export function toRecordsFailure(error: unknown): unknown {
  if (error instanceof CommitUnknown) {
    return new RecordsUnavailable(
      'The connection to the database of this platform broke while the change was committed. It may or may not have been made: check before you repeat it.',
      error,
      true,
    );
  }
  if (error instanceof IncompatibleSchema) {
    return new RecordsUnavailable(
      'A newer version of the platform has changed the database, and this process is too old for it. Nothing was changed. Call again: other processes continue.',
      error,
    );
  }
  if (isConnectionLost(error))
    return new RecordsUnavailable(
      "The database of this platform can't be reached at the moment. Nothing was changed. Call again in a few seconds.",
      error,
    );
  if (isBusy(error))
    return new RecordsUnavailable(
      'The database of this platform did not get to this in time. Nothing was changed. Call again in a few seconds.',
      error,
    );
  return error;
}

/**
 * Runs an operation.
 * @throws RecordsUnavailable if the database fails temporarily, or else what the operation throws
 */
export const withRecordsFailures = <Result>(operation: () => Promise<Result>): Promise<Result> =>
  operation().catch((error: unknown) => {
    throw toRecordsFailure(error);
  });
