/**
 * Thrown if the records can't be used at the moment. The message is for callers: it names neither the database nor its
 * address.
 */
export class RecordsUnavailable extends Error {
  /** Whether the change may have been written. Otherwise nothing was written. */
  readonly mayBeWritten: boolean;

  constructor(message: string, cause: unknown, mayBeWritten = false) {
    super(message, { cause });
    this.name = 'RecordsUnavailable';
    this.mayBeWritten = mayBeWritten;
  }
}
