import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const credential = /^(?:Token|Bearer) +(\S+)$/i;

const hash = (value: string): Buffer => createHash('sha256').update(value).digest();

/** The token of the control endpoints: made anew at each start, kept nowhere, and none of the platform's tokens. */
export interface ControlToken {
  readonly value: string;
  /** Whether an Authorization header brings it, under either scheme. */
  accepts(header: string | undefined): boolean;
}

/** Makes one. */
export function createControlToken(): ControlToken {
  const value = randomBytes(32).toString('base64url');
  const kept = hash(value);
  return { value, accepts: (header) => timingSafeEqual(hash(credential.exec(header ?? '')?.[1] ?? ''), kept) };
}
