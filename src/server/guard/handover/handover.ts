/**
 * How a secret that the platform shows once gets to a person, because no answer may have it: in a file, or on the
 * operator's page.
 */

/** A place for one secret, reserved before the secret is created. */
export interface ReservedPlace {
  /** Where a person finds the secret, as a text that follows "It is". */
  readonly where: string;
  /** Stores the secret there. @throws Error if that fails: then it is nowhere. */
  put(secret: string): Promise<void>;
  /** Gives the place up. Does nothing once it has its secret. */
  release(): Promise<void>;
}

/** Why there is no place, as a sentence, and what the operator can do about it. */
export interface NoPlace {
  readonly why: string;
  readonly next: string;
}

export interface Handover {
  /** Why no place can be reserved; undefined if one can. Reserves nothing. */
  whyUnavailable(): Promise<NoPlace | undefined>;
  /**
   * Reserves a place.
   * @param about what the secret is, for people, such as `API token ci`
   * @throws Error if that fails
   */
  reserve(about: string): Promise<ReservedPlace>;
}

/** The handover of a server that has no place for secrets. */
export const handoverNowhere = (whyUnavailable: NoPlace): Handover => ({
  whyUnavailable: async () => whyUnavailable,
  reserve: () => Promise.reject(new Error(whyUnavailable.why)),
});
