import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { permissionLevels, includesPermission } from '../../contract/operation.ts';
import { parsePolicy } from '../../server/guard/policy/load.ts';
import type { Tool } from '../../server/tool/tool.ts';
import type { Restriction } from './caller.ts';
import type { Identity } from './identity.ts';
import { addReadOnly, unrestricted } from './restriction.ts';

/** Shortest key that is taken, in characters: shorter ones could be guessed from their hash. */
const minKeyLength = 32;

const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 of the key: 64 hexadecimal digits in lower case');

const KeyEntry = z.strictObject({
  /** Who it is, in logs and records. */
  name: z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"'),
  /** Of the key; of several while one takes over from another. */
  sha256: z.union([Hash, z.array(Hash).min(1)]),
  level: z.enum(permissionLevels).default('read'),
  read_only: z.boolean().optional(),
  /** A policy file, beside this one; holds in addition to the server's own. */
  policy: z.string().min(1).optional(),
});
type KeyEntry = z.output<typeof KeyEntry>;

const KeysFile = z.strictObject({ keys: z.array(KeyEntry).min(1) });

/** Who has which key, by the key's hash. */
export type ApiKeys = ReadonlyMap<string, Identity>;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A new key, and what a keys file says of it. The key itself is kept nowhere. */
export function createApiKey(): { readonly key: string; readonly sha256: string } {
  const key = `imk_${randomBytes(32).toString('base64url')}`;
  return { key, sha256: hash(key) };
}

const keysError = (path: string, what: string): Error => new Error(`The keys can't be used: ${path}: ${what}`);

const readKeysText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw keysError(path, `it can't be read (${error.code})`);
  });

async function keyRestriction({ name, level, read_only: readOnly, policy }: KeyEntry, path: string, tools: readonly Tool[]): Promise<Restriction> {
  const setBy = `${path}, key "${name}"`;
  // A key can't be exchanged in the middle of a call: its holder is neither shown nor let use what is beyond it.
  const within: Restriction = includesPermission(level, 'admin') ? unrestricted : { name: `key:${name}:${level}`, rules: [{ permissionLimit: { level, setBy }, deny: [], freezes: [] }] };
  const held = readOnly || level === 'read' ? addReadOnly(within, setBy) : within;
  if (policy === undefined) return held;
  const file = resolve(dirname(path), policy);
  const text = await readKeysText(file);
  return { name: `${held.name}+${hash(text)}`, rules: [...held.rules, await parsePolicy(file, text, tools)] };
}

const identityOf = async (entry: KeyEntry, path: string, tools: readonly Tool[]): Promise<Identity> => ({
  principal: `key:${entry.name}`,
  level: entry.level,
  restriction: await keyRestriction(entry, path, tools),
});

const firstDuplicate = (values: readonly string[]): string | undefined => values.find((value, index) => values.indexOf(value) !== index);

/**
 * The keys in a file, written in YAML or JSON.
 * @param tools whose names policies of keys may use.
 * @throws Error that says what is wrong with it; it shows no key.
 */
export async function loadApiKeys(path: string, tools: readonly Tool[]): Promise<ApiKeys> {
  // The default export: of a CommonJS package a bundler keeps no other.
  const { parse } = (await import('yaml')).default;
  const text = await readKeysText(path);
  let given: unknown;
  try {
    given = parse(text, { prettyErrors: false });
  } catch (error) {
    throw keysError(path, (error as Error).message);
  }
  const file = KeysFile.safeParse(given);
  if (!file.success) throw keysError(path, z.prettifyError(file.error));
  const { keys } = file.data;
  const twice = firstDuplicate(keys.map(({ name }) => name)) ?? firstDuplicate(keys.flatMap(({ sha256 }) => sha256));
  if (twice !== undefined) throw keysError(path, `"${twice}" is there twice`);
  const holders = keys.map(async (entry) => {
    const identity = await identityOf(entry, path, tools);
    return [entry.sha256].flat().map((sha256) => [sha256, identity] as const);
  });
  return new Map((await Promise.all(holders)).flat());
}

/** Whose key it is; undefined when nobody's. */
export const identityForKey = (keys: ApiKeys, key: string): Identity | undefined => (key.length < minKeyLength ? undefined : keys.get(hash(key)));
