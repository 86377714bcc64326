import { createHash, randomUUID } from 'node:crypto';

/** The platform's source of ids and random numbers. Not for secrets: those are always cryptographically random. */
export interface Random {
  /** A new version 4 UUID. */
  uuid(): string;
  /** A number from 0 up to, but not including, 1. */
  number(): number;
}

export const systemRandom: Random = { uuid: () => randomUUID(), number: () => Math.random() };

const uuidOf = (bytes: Buffer): string => {
  const version4 = Buffer.from(bytes.subarray(0, 16));
  version4[6] = (version4[6]! & 0x0f) | 0x40;
  version4[8] = (version4[8]! & 0x3f) | 0x80;
  return version4.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** A UUID derived from a text. The same text always gives the same UUID. */
export const uuidFrom = (text: string): string => uuidOf(createHash('sha256').update(text).digest());

/** A random source that produces the same sequence for the same seed. */
export const seededRandom = (seed: string): Random => {
  let drawn = 0;
  const next = () => createHash('sha256').update(`${seed}/${drawn++}`).digest();
  return { uuid: () => uuidOf(next()), number: () => next().readUInt32BE() / 2 ** 32 };
};

/** A shortest and a longest duration, in seconds. */
export type SecondsRange = readonly [shortest: number, longest: number];

/** A random number of seconds within the range. The same seed always gives the same number. */
export const secondsBetween = ([shortest, longest]: SecondsRange, seed: string): number =>
  shortest + (longest - shortest) * seededRandom(seed).number();
