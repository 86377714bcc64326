import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { firstMac, readLine, sealLine, macOf, type Mac } from './chain.ts';

/**
 * Heads of chains: how many entries a chain has and the mac of the last one, sealed, in a file of its own per chain
 * beside the log. It is what shows that entries are missing at a chain's end. Chains are numbered without gaps, so that
 * a chain that is missing whole shows as well.
 */
export interface Head {
  readonly chain: string;
  readonly count: number;
  readonly last: Mac;
}

/** A head as read back: undefined where the file isn't what was sealed. */
export interface KeptHead {
  readonly number: number;
  readonly head: Head | undefined;
}

/** The keys of a log: one seals entries, the other heads. */
export interface AuditKeys {
  readonly entries: Uint8Array;
  readonly heads: Uint8Array;
}

const lineBreak = 0x0a;

const pathOf = (folder: string, number: number): string => join(folder, `${number}.head`);

/** The number that a chain's name begins with. */
export const numberOf = (chain: string): number => Number.parseInt(chain, 10);

const text = (head: Head, key: Uint8Array): string => `${sealLine(key, '', { ...head }).text}\n`;

const missingFolder = (error: NodeJS.ErrnoException): string[] => {
  if (error.code === 'ENOENT') return [];
  throw error;
};

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(missingFolder);
  return names.flatMap((name) => (/^\d+\.head$/.test(name) ? Number.parseInt(name, 10) : [])).toSorted((a, b) => a - b);
}

/**
 * Begins a chain: its head says that it is empty. Of several processes that begin one at once, each gets its own.
 * @throws the file system's error.
 */
export async function beginChain(folder: string, keys: AuditKeys): Promise<Head> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const number = ((await numbersIn(folder)).at(-1) ?? 0) + 1;
  const chain = `${number}-${randomBytes(4).toString('hex')}`;
  const head: Head = { chain, count: 0, last: firstMac(keys.entries, chain) };
  try {
    await writeFile(pathOf(folder, number), text(head, keys.heads), { flag: 'wx', mode: 0o600, flush: true });
    return head;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return beginChain(folder, keys);
    throw error;
  }
}

/** Replaces a chain's head, at once or not at all. `durable` heads survive a loss of power. */
export async function moveHead(folder: string, keys: AuditKeys, head: Head, durable: boolean): Promise<void> {
  const path = pathOf(folder, numberOf(head.chain));
  await writeFile(`${path}.new`, text(head, keys.heads), { mode: 0o600, flush: durable });
  await rename(`${path}.new`, path);
}

async function readHead(folder: string, number: number, key: Uint8Array): Promise<Head | undefined> {
  const content = await readFile(pathOf(folder, number));
  const line = content.at(-1) === lineBreak ? readLine(content.subarray(0, -1)) : undefined;
  if (!line || line.mac !== macOf(key, '', line.body)) return undefined;
  const head = line.entry as unknown as Head;
  // A head under another chain's number hides how that one ends.
  return numberOf(head.chain) === number ? head : undefined;
}

/** Every head of a folder, by number. */
export async function readHeads(folder: string, keys: AuditKeys): Promise<KeptHead[]> {
  const numbers = await numbersIn(folder);
  return Promise.all(numbers.map(async (number) => ({ number, head: await readHead(folder, number, keys.heads) })));
}
