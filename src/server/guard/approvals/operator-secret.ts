import { createPrivateKey, createPublicKey, randomBytes, scrypt, sign, verify, type KeyObject } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../../../files/index.ts';
import * as z from 'zod';

/**
 * The operator's secret is the seed of a signing key, and the file holds only the public key: anyone who can read the
 * data directory, such as an assistant with a shell, can verify approvals but can't create them.
 */
const OperatorFile = z.object({
  salt: z.string(),
  public_key: z.string(),
  cost: z
    .int()
    .min(2)
    .max(2 ** 20)
    .optional(),
});
type OperatorFile = z.infer<typeof OperatorFile>;

/** Minimum length of a secret, in characters. */
export const shortestSecret = 8;

/**
 * The cost of one try at a secret, as the N of scrypt: about a tenth of a second and 64 MB. The default for files
 * without a cost.
 */
const usualCost = 2 ** 16;

const blockSize = 8;

/** The options of scrypt for a cost. It needs 128 bytes for each unit of N and r. */
const scryptOptions = (cost: number) => ({ N: cost, r: blockSize, p: 1, maxmem: 256 * cost * blockSize });

const seedBytes = 32;
// The bytes before the seed of an Ed25519 key in PKCS #8.
const seedPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');

const derive = promisify<string, Buffer, number, ReturnType<typeof scryptOptions>, Buffer>(scrypt);

/**
 * The last derivation in the queue. They run one at a time: each uses a core and 64 MB, and many at once would starve
 * the calls.
 */
let lastDerivation: Promise<unknown> = Promise.resolve();

function deriveInTurn(secret: string, salt: Buffer, cost: number): Promise<Buffer> {
  const derived = lastDerivation.then(() => derive(secret.normalize('NFC'), salt, seedBytes, scryptOptions(cost)));
  lastDerivation = derived.catch(() => undefined);
  return derived;
}

const keyFromSeed = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([seedPrefix, seed]), format: 'der', type: 'pkcs8' });

const signWith =
  (key: KeyObject) =>
  (text: string): string =>
    sign(null, Buffer.from(text), key).toString('base64');

const publicText = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');

async function read(path: string): Promise<OperatorFile | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : OperatorFile.parse(JSON.parse(text));
}

/** Whether the operator has set a secret. */
export const hasSecret = async (path: string): Promise<boolean> => (await read(path)) !== undefined;

/** What proves a secret without containing it. @throws Error if the secret is too short */
async function verifierOf(secret: string, cost: number): Promise<OperatorFile> {
  if (secret.length < shortestSecret) throw new Error(`The secret must have at least ${shortestSecret} characters.`);
  const salt = randomBytes(16);
  return {
    salt: salt.toString('base64'),
    public_key: publicText(keyFromSeed(await deriveInTurn(secret, salt, cost))),
    cost,
  };
}

/** What tells the secret that is set from another one, without containing it; undefined if none is set. */
export const secretMark = async (path: string): Promise<string | undefined> => (await read(path))?.public_key;

/** A draft older than this was left by a command that was ended, in milliseconds. Writing one takes far less. */
const longestDraft = 60_000;

/** Writes a file that must not exist. @returns false if it does, unless whoever wrote it is long gone */
async function writeDraft(path: string, text: string): Promise<boolean> {
  const write = (): Promise<boolean> =>
    writeFile(path, text, { mode: 0o600, flag: 'wx', flush: true }).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
  if (await write()) return true;
  const found = await stat(path).catch(() => undefined);
  if (!found || Date.now() - found.mtimeMs < longestDraft) return false;
  await rm(path, { force: true });
  return write();
}

/**
 * Sets or replaces the operator's secret. Approvals signed with an earlier secret no longer count. Of several processes
 * that replace the same one at once, one does.
 * @param cost of one try at it, as the N of scrypt: a power of two
 * @param instead the mark of the secret that it replaces, undefined for none; if left out, it replaces any
 * @returns false if somebody else set one meanwhile. Then nothing was set.
 * @throws Error if the secret is too short, or the file can't be written
 */
export async function setSecret(
  path: string,
  secret: string,
  cost = usualCost,
  instead?: { readonly mark: string | undefined },
): Promise<boolean> {
  const text = JSON.stringify(await verifierOf(secret, cost));
  makeFolder(dirname(path));
  // Nobody else writes as long as the draft is there.
  const draft = `${path}.new`;
  if (!(await writeDraft(draft, text))) return false;
  try {
    if (instead && (await secretMark(path)) !== instead.mark) {
      await rm(draft);
      return false;
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return (await readFile(path, 'utf8')) === text;
}

/** The key that signs decisions. */
export interface OperatorKey {
  readonly sign: (text: string) => string;
  /** The key itself. With it, anyone can sign: it leaves this process only sealed. */
  readonly seed: Buffer;
}

/** A key from its seed. */
export const operatorKeyFrom = (seed: Buffer): OperatorKey => ({ sign: signWith(keyFromSeed(seed)), seed });

const keyIfRight = async ({ salt, public_key, cost = usualCost }: OperatorFile, secret: string) => {
  const seed = await deriveInTurn(secret, Buffer.from(salt, 'base64'), cost);
  return publicText(keyFromSeed(seed)) === public_key ? operatorKeyFrom(seed) : undefined;
};

const signedBy = (publicKey: KeyObject, text: string, signature: string): boolean =>
  verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64'));

const publicKeyIn = ({ public_key }: OperatorFile): KeyObject =>
  createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' });

/** The key of a secret; undefined if the secret is wrong or none is set. */
export async function operatorKeyFor(path: string, secret: string): Promise<OperatorKey | undefined> {
  const operator = await read(path);
  return operator && keyIfRight(operator, secret);
}

/** Whether the operator signed a text. */
export async function isSigned(path: string, text: string, signature: string): Promise<boolean> {
  const operator = await read(path);
  return operator !== undefined && signedBy(publicKeyIn(operator), text, signature);
}

// The public key begins with the bytes that say that it is one of Ed25519.
const hashForm =
  /^scrypt:(?<cost>[1-9]\d{0,6}):(?<salt>[A-Za-z0-9+/]{22}==):(?<public_key>MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=)$/;

const parseHash = (hash: string): OperatorFile => {
  const { cost, ...parts } = hashForm.exec(hash)!.groups!;
  return OperatorFile.parse({ ...parts, cost: Number(cost) });
};

/** Whether a text is the hash of a secret, as `secretHash` makes it. */
export function isSecretHash(text: string): boolean {
  const cost = Number(hashForm.exec(text)?.groups?.['cost']);
  // Other costs are no powers of two, and what takes longer than a minute would keep everybody else waiting.
  return Number.isInteger(Math.log2(cost)) && cost >= 2 && cost <= 2 ** 20;
}

/**
 * The hash of a secret for the operators file: salt, cost and public key. It proves the secret, and doesn't contain it.
 * @param cost of one try at it, as the N of scrypt: a power of two
 * @throws Error if the secret is too short
 */
export async function secretHash(secret: string, cost = usualCost): Promise<string> {
  const { salt, public_key: publicKey } = await verifierOf(secret, cost);
  return `scrypt:${cost}:${salt}:${publicKey}`;
}

/** The key of a secret with this hash; undefined if the secret is wrong. */
export const keyForHash = (hash: string, secret: string): Promise<OperatorKey | undefined> =>
  keyIfRight(parseHash(hash), secret);

/** Spends the time of trying a secret with this hash, so that nobody learns by it which names there are. */
export const tryInVain = async (hash: string | undefined, secret: string): Promise<undefined> => {
  if (hash !== undefined) await keyIfRight({ ...parseHash(hash), public_key: '' }, secret);
};

/** Whether whoever knows the secret with this hash signed a text. */
export const isSignedWithHash = (hash: string, text: string, signature: string): boolean =>
  signedBy(publicKeyIn(parseHash(hash)), text, signature);

/** Whether the key from this seed signed a text. */
export const isSignedWithSeed = (seed: Buffer, text: string, signature: string): boolean =>
  signedBy(createPublicKey(keyFromSeed(seed)), text, signature);
