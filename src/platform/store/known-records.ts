/** The ids in a platform's records by which its objects on an engine are recognized. */
export interface KnownRecords {
  readonly serviceIds: ReadonlySet<string>;
  readonly environmentIds: ReadonlySet<string>;
  /** The id that the platform puts in labels. */
  readonly platformId: string;
}
