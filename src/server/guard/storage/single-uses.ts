/** The result of using something up: done, somebody did before, or it expired or never was. */
export type Use = 'used' | 'used_before' | 'unknown';

/** What counts once within a lifetime, such as the answer to a question. Concurrent users of one id never both succeed. */
export interface SingleUses {
  /** Begins a lifetime. @param lifetime in milliseconds. @returns a random id. */
  begin(clock: number, lifetime: number): Promise<string>;
  use(id: string, clock: number): Promise<Use>;
}
