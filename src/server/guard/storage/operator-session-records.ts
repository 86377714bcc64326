/** How long an operator may be idle before the secret has to be entered again, in milliseconds. */
export const operatorIdleTime = 10 * 60_000;

/** Maximum number of operator sessions. Beyond it the session that was idle longest is dropped. */
export const maximumOperatorSessions = 32;

/** Which operators are signed in, at any server of a store. It knows digests of session ids, and nothing that signs. */
export interface OperatorSessionRecords {
  start(id: string, clock: number): Promise<void>;
  /** Marks a session as used. @returns whether there is one. */
  use(id: string, clock: number): Promise<boolean>;
  /** Whether there is a session, without marking it as used. */
  has(id: string, clock: number): Promise<boolean>;
  end(id: string): Promise<void>;
}
