/** Why a tool may not run: the rule, where it is set, and what is allowed instead. */
export interface Denial {
  readonly rule: string;
  readonly setBy: string;
  readonly instead: string;
}
