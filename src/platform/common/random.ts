import { hash, randomUUID } from 'node:crypto';

/** The platform's source of ids and random numbers. Not for secrets: those are always cryptographically random. */
export interface Random {
  /** A new version 4 UUID. */
  uuid(): string;
  /** A number from 0 up to, but not including, 1. */
  number(): number;
}

export const systemRandom: Random = { uuid: () => randomUUID(), number: () => Math.random() };

/** The digest of a text in hexadecimal. In one call, it takes a third of the time that a hash object takes. */
const digestOf = (text: string): string => hash('sha256', text, 'hex');

/** A version 4 UUID with the first bits of a digest. */
const uuidOf = (digest: string): string => {
  const variant = ((Number.parseInt(digest[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
};

/** A UUID derived from a text. The same text always gives the same UUID. */
export const uuidFrom = (text: string): string => uuidOf(digestOf(text));

/** A random source that produces the same sequence for the same seed. */
export const seededRandom = (seed: string): Random => {
  let drawn = 0;
  const next = () => digestOf(`${seed}/${drawn++}`);
  return { uuid: () => uuidOf(next()), number: () => Number.parseInt(next().slice(0, 8), 16) / 2 ** 32 };
};

/** A shortest and a longest duration, in seconds. */
export type SecondsRange = readonly [shortest: number, longest: number];

/** A random number of seconds within the range. The same seed always gives the same number. */
export const secondsBetween = ([shortest, longest]: SecondsRange, seed: string): number =>
  shortest + (longest - shortest) * seededRandom(seed).number();
