/** The rows of one table, as code sees them whatever the database. */
export interface ExportedTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** Reads the rows anew, one after another. */
  readonly rows: () => Iterable<Readonly<Record<string, string | number | null>>>;
  /** The highest number that `seq` ever had; absent where rows aren't numbered. */
  readonly lastNumber?: number;
}

/** The records of a platform that nobody works on, ready to be brought elsewhere. */
export interface ExportedRecords {
  /** A digest of everything that is stored: equal as long as nothing was changed. */
  readonly identity: string;
  /** Every table that is of use elsewhere, in no order. */
  readonly tables: readonly ExportedTable[];
  /** Ends reading, and removes what was made for it. */
  close(): Promise<void>;
}
