import { createPrivateKey, createPublicKey, randomBytes, scrypt, sign, verify, type KeyObject } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
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

/**
 * Sets or replaces the operator's secret. Approvals signed with an earlier secret no longer count.
 * @param cost of one try at it, as the N of scrypt: a power of two
 * @throws Error if the secret is too short
 */
export async function setSecret(path: string, secret: string, cost = usualCost): Promise<void> {
  if (secret.length < shortestSecret) throw new Error(`The secret must have at least ${shortestSecret} characters.`);
  const salt = randomBytes(16);
  const content: OperatorFile = {
    salt: salt.toString('base64'),
    public_key: publicText(keyFromSeed(await deriveInTurn(secret, salt, cost))),
    cost,
  };
  makeFolder(dirname(path));
  await writeFile(`${path}.new`, JSON.stringify(content), { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

/** The key that signs decisions. */
export interface OperatorKey {
  readonly sign: (text: string) => string;
  /** The key itself. With it, anyone can sign: it leaves this process only sealed. */
  readonly seed: Buffer;
}

/** A key from its seed. */
export const operatorKeyFrom = (seed: Buffer): OperatorKey => ({ sign: signWith(keyFromSeed(seed)), seed });

/** The key of a secret; undefined if the secret is wrong or none is set. */
export async function operatorKeyFor(path: string, secret: string): Promise<OperatorKey | undefined> {
  const operator = await read(path);
  if (!operator) return undefined;
  const seed = await deriveInTurn(secret, Buffer.from(operator.salt, 'base64'), operator.cost ?? usualCost);
  return publicText(keyFromSeed(seed)) === operator.public_key ? operatorKeyFrom(seed) : undefined;
}

/** Whether the operator signed a text. */
export async function isSigned(path: string, text: string, signature: string): Promise<boolean> {
  const operator = await read(path);
  if (!operator) return false;
  const key = createPublicKey({ key: Buffer.from(operator.public_key, 'base64'), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'));
}
