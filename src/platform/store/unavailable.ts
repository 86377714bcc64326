/**
 * Thrown if the records can't be used at the moment. What is told of it is for callers: it names neither the database
 * nor its address.
 */
export class RecordsUnavailable extends Error {
  /** Whether what was to be written may be written. Otherwise nothing of it is. */
  readonly mayBeWritten: boolean;

  constructor(message: string, cause: unknown, mayBeWritten = false) {
    super(message, { cause });
    this.name = 'RecordsUnavailable';
    this.mayBeWritten = mayBeWritten;
  }
}
