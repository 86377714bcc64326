/** What a plan shows of the changes that applying it makes. */
export interface PlannedChanges {
  /** SHA-256 of the plan file. */
  readonly digest: string;
  /** The plan in words, without secrets as far as they are known. */
  readonly text: string;
  /** Whether the text is only a part of the plan. */
  readonly isShortened: boolean;
  /** How many resources are added, changed and destroyed; absent if the plan doesn't tell. */
  readonly counts?: { readonly add: number; readonly change: number; readonly destroy: number };
}
