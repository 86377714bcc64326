import { writeFile } from 'node:fs/promises';
import { secretHash } from '../../src/server/guard/index.ts';

/** The secret of an operator of the tests, which nobody guesses at: it is derived in no time. */
export const secretOf = (name: string): string => `the secret of ${name}`;
const hashes = new Map<string, Promise<string>>();
const hashFor = (name: string): Promise<string> => {
  const hash = hashes.get(name) ?? secretHash(secretOf(name), 2 ** 4);
  hashes.set(name, hash);
  return hash;
};

/** What an entry of an operators file has besides name and secret, or instead of the secret. */
export type Entry = object;

/** Writes an operators file: each operator by name, with what their entry has besides the secret. */
export async function writeOperators(path: string, operators: Readonly<Record<string, Entry>>): Promise<void> {
  const entries = Object.entries(operators).map(async ([name, entry]) => ({
    name,
    secret: await hashFor(name),
    ...entry,
  }));
  await writeFile(path, JSON.stringify({ operators: await Promise.all(entries) }));
}
