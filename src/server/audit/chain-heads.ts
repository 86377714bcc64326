import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../files/index.ts';
import { firstMac, parseLine, sealLine, macOf, type Mac } from './chain.ts';

/**
 * The head of a chain: its number of entries and the mac of the last one, sealed, in one file per chain next to the
 * log. It reveals missing entries at the end of the chain. Chains are numbered without gaps, so that a missing chain is
 * noticed as well.
 */
export interface ChainHead {
  readonly chain: string;
  readonly count: number;
  readonly last: Mac;
}

/** A head read from its file; undefined if the file was tampered with. */
export interface StoredHead {
  readonly number: number;
  readonly head: ChainHead | undefined;
}

/** The keys of a log: one for entries, one for heads. */
export interface AuditKeys {
  readonly entries: Uint8Array;
  readonly heads: Uint8Array;
}

const lineBreak = 0x0a;

const headPath = (folder: string, number: number): string => join(folder, `${number}.head`);

/** The number at the start of a chain's name. */
export const chainNumber = (chain: string): number => Number.parseInt(chain, 10);

/** A head as a sealed line. @param key of heads. */
export const sealedHead = (head: ChainHead, key: Uint8Array): string => sealLine(key, '', { ...head }).text;

const headText = (head: ChainHead, key: Uint8Array): string => `${sealedHead(head, key)}\n`;

const emptyIfMissing = (error: NodeJS.ErrnoException): string[] => {
  if (error.code === 'ENOENT') return [];
  throw error;
};

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(emptyIfMissing);
  return names.flatMap((name) => (/^\d+\.head$/.test(name) ? Number.parseInt(name, 10) : [])).toSorted((a, b) => a - b);
}

/** Error codes of file systems without hard links. */
const linkUnsupported: readonly (string | undefined)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/**
 * Creates a file with its full content or not at all, even on a full disk: a head with partial content would look like
 * one that was changed.
 * @throws the file system's error; EEXIST if the file exists.
 */
async function createAtomically(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, content, { flag: 'wx', mode: 0o600, flush: true });
    await link(draft, path).catch(async (error: NodeJS.ErrnoException) => {
      if (!linkUnsupported.includes(error.code)) throw error;
      await writeFile(path, content, { flag: 'wx', mode: 0o600, flush: true });
    });
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Starts an empty chain. Processes that start one at the same time get different chains.
 * @throws the file system's error.
 */
export async function startChain(folder: string, keys: AuditKeys): Promise<ChainHead> {
  makeFolder(folder);
  const number = ((await numbersIn(folder)).at(-1) ?? 0) + 1;
  const chain = `${number}-${randomBytes(4).toString('hex')}`;
  const head: ChainHead = { chain, count: 0, last: firstMac(keys.entries, chain) };
  try {
    await createAtomically(headPath(folder, number), headText(head, keys.heads));
    return head;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return startChain(folder, keys);
    throw error;
  }
}

/** Replaces a chain's head atomically. `durable` heads survive a loss of power. */
export async function writeHead(folder: string, keys: AuditKeys, head: ChainHead, durable: boolean): Promise<void> {
  const path = headPath(folder, chainNumber(head.chain));
  await writeFile(`${path}.new`, headText(head, keys.heads), { mode: 0o600, flush: durable });
  await rename(`${path}.new`, path);
}

/** Opens a sealed head; undefined if it was tampered with. @param key of heads. */
export function openHead(sealed: Buffer, key: Uint8Array): ChainHead | undefined {
  const line = parseLine(sealed);
  if (!line || line.mac !== macOf(key, '', line.body)) return undefined;
  return line.entry as unknown as ChainHead;
}

async function readHead(folder: string, number: number, key: Uint8Array): Promise<ChainHead | undefined> {
  const content = await readFile(headPath(folder, number));
  const head = content.at(-1) === lineBreak ? openHead(content.subarray(0, -1), key) : undefined;
  // A head in another chain's file would hide where that chain ends.
  return head && chainNumber(head.chain) === number ? head : undefined;
}

/** Reads every head of a folder, in the order of their numbers. */
export async function readHeads(folder: string, keys: AuditKeys): Promise<StoredHead[]> {
  const numbers = await numbersIn(folder);
  return Promise.all(numbers.map(async (number) => ({ number, head: await readHead(folder, number, keys.heads) })));
}
