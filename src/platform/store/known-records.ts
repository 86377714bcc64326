/** What the records of a platform have that tells whether something on an engine belongs to it. */
export interface KnownRecords {
  readonly serviceIds: ReadonlySet<string>;
  readonly environmentIds: ReadonlySet<string>;
  /** The id that the platform labels things with. */
  readonly platformId: string;
}
