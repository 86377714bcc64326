import { randomBytes } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
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

/** What file systems say that have no second names for files. */
const noLinks: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Makes a file with its whole content or not at all, also on a full disk: a head without its content would look like one
 * that was changed.
 * @throws the file system's error; EEXIST where the file is there already.
 */
async function makeWhole(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, content, { flag: 'wx', mode: 0o600, flush: true });
    await link(draft, path).catch(async (error: NodeJS.ErrnoException) => {
      if (!noLinks.includes(error.code)) throw error;
      await writeFile(path, content, { flag: 'wx', mode: 0o600, flush: true });
    });
  } finally {
    await rm(draft, { force: true });
  }
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
    await makeWhole(pathOf(folder, number), text(head, keys.heads));
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
