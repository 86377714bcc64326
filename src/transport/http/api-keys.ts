import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import {
  decodedText,
  includesPermission,
  issuesIn,
  permissionLevels,
  printPath,
  unreadableBecause,
} from '../../contract/index.ts';
import { parsePolicy, parseWebhookKey } from '../../server/guard/index.ts';
import type { Tool } from '../../server/tool/index.ts';
import type { Restriction } from './caller.ts';
import type { Identity } from './identity.ts';
import { addReadOnly, unrestricted } from './restriction.ts';

/** Minimum length of an API key, in characters. Shorter keys could be guessed from their hash. */
const minKeyLength = 32;

const notHash = 'must be the SHA-256 of the key, 64 hexadecimal digits in lower case, or a list of such';
const Hash = z.string().regex(/^[0-9a-f]{64}$/, notHash);

/** An entry of the keys file. */
export const KeyEntry = z.strictObject({
  /** The holder's name in logs and audit records. */
  name: z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"'),
  /** Hash of the key, or of several keys during a rotation. */
  sha256: z.union([Hash, z.array(Hash).min(1)], { error: notHash }),
  level: z.enum(permissionLevels).default('read'),
  read_only: z.boolean().optional(),
  /** Path of a policy file, relative to the keys file. Applies in addition to the server's policy. */
  policy: z.string().min(1).optional(),
  /** Path of a file, relative to the keys file. Its secret signs for whom a bot makes each request. */
  person_secret_file: z.string().min(1).optional(),
});
type KeyEntry = z.output<typeof KeyEntry>;

const noKeys = 'has no keys';
const orNoKeys = ({ code }: { readonly code?: string | undefined }): string | undefined =>
  code === 'invalid_type' ? noKeys : undefined;

const KeysFile = z.strictObject({ keys: z.array(KeyEntry, { error: orNoKeys }).min(1, noKeys) }, { error: orNoKeys });

/** The faults of a keys file, each with its place. @param createCommand the command that creates a key */
const faultsIn = (error: z.ZodError, createCommand: string): string =>
  issuesIn(error, KeysFile)
    .map(({ path: at, text }) =>
      text === noKeys
        ? `${noKeys}; ${createCommand} creates one, and prints its entry for a list below "keys:"`
        : `${printPath(at) || 'the file'}: ${text}`,
    )
    .join('; ');

/** Key holders by the SHA-256 of their key. */
export type ApiKeys = ReadonlyMap<string, Identity>;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Creates a random key and its hash for the keys file. The key itself is not stored. */
export function createApiKey(): { readonly key: string; readonly sha256: string } {
  const key = `imk_${randomBytes(32).toString('base64url')}`;
  return { key, sha256: hash(key) };
}

const keysError = (path: string, reason: string): Error => new Error(`The keys can't be used: ${path}: ${reason}`);

const readKeysText = (path: string): Promise<string> =>
  readFile(path)
    .then(decodedText)
    .catch((error: unknown) => {
      throw keysError(path, `it can't be read (${unreadableBecause(error)})`);
    });

async function keyRestriction(
  { name, level, read_only: readOnly, policy }: KeyEntry,
  path: string,
  tools: readonly Tool[],
): Promise<Restriction> {
  const setBy = `${path}, key "${name}"`;
  // A key can't get a higher level during a call, so tools above its level are neither listed nor callable.
  const levelRestriction: Restriction = includesPermission(level, 'admin')
    ? unrestricted
    : { name: `key:${name}:${level}`, rules: [{ permissionLimit: { level, setBy }, deny: [], freezes: [] }] };
  const restriction = readOnly || level === 'read' ? addReadOnly(levelRestriction, setBy) : levelRestriction;
  if (policy === undefined) return restriction;
  const file = resolve(dirname(path), policy);
  const text = await readKeysText(file);
  return {
    name: `${restriction.name}+${hash(text)}`,
    rules: [...restriction.rules, await parsePolicy(file, text, tools)],
  };
}

async function personKeyOf(
  { name, person_secret_file: file }: KeyEntry,
  path: string,
): Promise<Pick<Identity, 'personKey'>> {
  if (file === undefined) return {};
  const secret = await readKeysText(resolve(dirname(path), file));
  try {
    return { personKey: parseWebhookKey(secret, `key "${name}"`) };
  } catch (error) {
    throw keysError(resolve(dirname(path), file), (error as Error).message);
  }
}

const identityOf = async (entry: KeyEntry, path: string, tools: readonly Tool[]): Promise<Identity> => ({
  principal: `key:${entry.name}`,
  level: entry.level,
  restriction: await keyRestriction(entry, path, tools),
  ...(await personKeyOf(entry, path)),
});

const firstDuplicate = (values: readonly string[]): string | undefined =>
  values.find((value, index) => values.indexOf(value) !== index);

/**
 * Loads a keys file in YAML or JSON.
 * @param tools the tools that the policies of keys may name.
 * @param createCommand the command that creates a key, as it is typed here.
 * @throws Error that describes the problem without showing a key.
 */
export async function loadApiKeys(
  path: string,
  tools: readonly Tool[],
  createCommand = 'infra-mcp key',
): Promise<ApiKeys> {
  // The bundler keeps only the default export of a CommonJS package.
  const { parse } = (await import('yaml')).default;
  const text = await readKeysText(path);
  let parsed: unknown;
  try {
    parsed = parse(text, { prettyErrors: false });
  } catch (error) {
    throw keysError(path, (error as Error).message);
  }
  const file = KeysFile.safeParse(parsed);
  if (!file.success) throw keysError(path, faultsIn(file.error, createCommand));
  const { keys } = file.data;
  const duplicate =
    firstDuplicate(keys.map(({ name }) => name)) ?? firstDuplicate(keys.flatMap(({ sha256 }) => sha256));
  if (duplicate !== undefined) throw keysError(path, `"${duplicate}" is there twice`);
  const holders = keys.map(async (entry) => {
    const identity = await identityOf(entry, path, tools);
    return [entry.sha256].flat().map((sha256) => [sha256, identity] as const);
  });
  return new Map((await Promise.all(holders)).flat());
}

/** The holder of a key; undefined for an unknown key. */
export const identityForKey = (keys: ApiKeys, key: string): Identity | undefined =>
  key.length < minKeyLength ? undefined : keys.get(hash(key));
