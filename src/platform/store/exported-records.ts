/** The rows of one table, in the same form for both databases. */
export interface ExportedTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** Reads the rows from the start, one after another. */
  readonly rows: () => Iterable<Readonly<Record<string, string | number | null>>>;
  /** The highest number that `seq` ever had; absent where rows aren't numbered. */
  readonly lastNumber?: number;
}

/** The records of a platform that no process works on, ready to be moved. */
export interface ExportedRecords {
  /** A digest of all stored data: equal as long as nothing changes. */
  readonly identity: string;
  /** Every table worth moving, in no particular order. */
  readonly tables: readonly ExportedTable[];
  /** Stops reading, and removes the temporary copy. */
  close(): Promise<void>;
}
