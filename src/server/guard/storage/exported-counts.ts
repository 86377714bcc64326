/** What counts against limits in a store, to be brought elsewhere. Times are milliseconds since 1970. */
export interface ExportedCounts {
  /** The latest time that any process used; undefined if none did. */
  readonly latest: number | undefined;
  /** When high-risk calls were made. */
  readonly highRiskCalls: readonly number[];
  readonly secretTries: readonly { readonly at: number; readonly source: string }[];
  /** How many calls wait for the operator or for being made. They stay where they are: what was agreed to must not count in two places. */
  readonly waitingCalls: number;
}
