import { hash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type PermissionLevel, permissionLevels } from '../../contract/index.ts';
import { type PlatformClock, isoNow, type Random, systemRandom } from '../common/index.ts';
import {
  databaseFile,
  type Db,
  openDatabase,
  type DataStore,
  openVault,
  type RecordsPlace,
  type Vault,
} from '../store/index.ts';

/** The properties of a new token. */
export interface TokenRequest {
  name: string;
  permission: PermissionLevel;
  /** Seconds until it expires; default never. */
  ttlSeconds?: number;
  /** E-mail address of the member whose token it is; default nobody's. It is revoked when they are removed. */
  member?: string;
  /** Whether its value is a JWT, for the Bearer scheme. */
  jwt?: boolean;
}

/** A token in lists, without its value. */
export interface TokenRecord {
  id: string;
  name: string;
  permission: PermissionLevel;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

const recordColumns = ['id', 'name', 'permission', 'created_at', 'expires_at', 'last_used_at', 'revoked_at'] as const;

/** The stored hash of a token's value. The value has 256 random bits, so a plain hash can't be brute-forced. */
export const tokenHash = (value: string): string => hash('sha256', value, 'hex');

const base64url = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');

const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

const jwt = (vault: Vault, id: string, request: TokenRequest, now: number, expires: number | null): string => {
  const claims = {
    jti: id,
    sub: request.name,
    permission: request.permission,
    iat: seconds(now),
    ...(expires && { exp: seconds(expires) }),
  };
  const signed = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`;
  return `${signed}.${vault.sign(signed)}`;
};

const validateRequest = <Request extends TokenRequest>(request: Request): Request => {
  if (request.name.trim() === '') throw new Error('A token needs a name that says who uses it.');
  if (!permissionLevels.includes(request.permission)) {
    throw new Error(`"${request.permission}" is no permission level. Use one of ${permissionLevels.join(', ')}.`);
  }
  if (request.ttlSeconds !== undefined && !(request.ttlSeconds > 0))
    throw new Error('The time to live of a token must be above 0 seconds.');
  return request;
};

interface TokenDependencies {
  vault: Vault;
  clock: PlatformClock;
  random: Random;
}

/**
 * The member with this e-mail address.
 * @throws Error if there is none; the message lists the addresses that there are
 */
async function memberWith(db: Db, email: string): Promise<string> {
  const members = await db.selectFrom('member').select(['id', 'email']).orderBy('email').execute();
  const found = members.find((member) => member.email.toLowerCase() === email.toLowerCase());
  if (found) return found.id;
  throw new Error(
    members.length === 0
      ? `There is no member with the e-mail address "${email}": the platform has no members.`
      : `There is no member with the e-mail address "${email}". There are ${members.map((one) => one.email).join(', ')}.`,
  );
}

/** Adds a token. Returns its id and its value, which can't be read again. */
export async function addTokenWithId(
  db: Db,
  request: Omit<TokenRequest, 'member'> & { readonly memberId?: string | undefined },
  { vault, clock, random }: TokenDependencies,
): Promise<{ readonly id: string; readonly value: string }> {
  const { name, permission, ttlSeconds } = validateRequest(request);
  const id = random.uuid();
  const now = clock.now();
  const expires = ttlSeconds === undefined ? null : now + ttlSeconds * 1000;
  const value = request.jwt ? jwt(vault, id, request, now, expires) : randomBytes(32).toString('base64url');
  const expiresAt = expires === null ? null : new Date(expires).toISOString();
  await db
    .insertInto('api_token')
    .values({
      id,
      name,
      permission,
      member_id: request.memberId ?? null,
      hash: tokenHash(value),
      created_at: isoNow(clock),
      expires_at: expiresAt,
      last_used_at: null,
      revoked_at: null,
    })
    .execute();
  return { id, value };
}

/** Adds a token. Returns its value, which can't be read again. */
export async function addToken(
  db: Db,
  { member, ...request }: TokenRequest,
  dependencies: TokenDependencies,
): Promise<string> {
  const memberId = member === undefined ? undefined : await memberWith(db, member);
  return (await addTokenWithId(db, { ...request, memberId }, dependencies)).value;
}

/** Accepts a value that the operator chose as an admin token, even if it was revoked or expired before. */
export async function acceptToken(
  db: Db,
  name: string,
  value: string,
  { clock, random }: Omit<TokenDependencies, 'vault'>,
): Promise<void> {
  const live = { name, permission: 'admin', expires_at: null, revoked_at: null } as const;
  await db
    .insertInto('api_token')
    .values({ ...live, id: random.uuid(), hash: tokenHash(value), created_at: isoNow(clock), last_used_at: null })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet(live))
    .execute();
}

/** Whether any token is still valid. */
export async function hasLiveToken(db: Db, clock: PlatformClock): Promise<boolean> {
  const row = await db
    .selectFrom('api_token')
    .select('id')
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', isoNow(clock))]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function withRecords<Result>(
  { dataDir, openRecords = () => openDatabase(dataDir) }: RecordsPlace,
  use: (db: DataStore) => Promise<Result>,
): Promise<Result> {
  const db = await openRecords();
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}

/**
 * Opens only an existing database, so that a mistyped directory isn't created.
 * @throws Error if the directory holds no platform data
 */
const withExistingRecords: typeof withRecords = async (place, use) => {
  const { dataDir, openRecords } = place;
  if (!openRecords && !existsSync(join(dataDir, databaseFile)))
    throw new Error(`There is no platform in ${dataDir}. Check --data-dir.`);
  return withRecords(place, use);
};

/**
 * Creates a token of a platform, even while it runs. Returns the value, which can't be read again.
 * @throws Error for an empty name, an unknown level, an unknown member or a time to live that isn't positive
 */
export const createToken = (place: RecordsPlace, request: TokenRequest): Promise<string> =>
  withRecords(place, (db) =>
    db.write((trx) =>
      addToken(trx, request, {
        vault: openVault(place.keysDir ?? place.dataDir),
        clock: db.clock,
        random: systemRandom,
      }),
    ),
  );

/** Lists all tokens of a platform, oldest first, including revoked and expired ones. */
export const listTokens = async (place: RecordsPlace): Promise<TokenRecord[]> =>
  withExistingRecords(place, (db) =>
    db.selectFrom('api_token').select(recordColumns).orderBy('created_at').orderBy('id').execute(),
  );

/**
 * Revokes a token by its id, or by its name if only one live token has it.
 * @throws Error if there is no such live token, or if several share the name; the message lists their ids
 */
export const revokeToken = async (place: RecordsPlace, idOrName: string): Promise<TokenRecord> =>
  withExistingRecords(place, (db) =>
    db.write(async (trx) => {
      const found = await trx
        .selectFrom('api_token')
        .select(recordColumns)
        .where('revoked_at', 'is', null)
        .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)]))
        .execute();
      const token = found.find(({ id }) => id === idOrName) ?? found[0];
      if (token === undefined) throw new Error(`No live token has the id or name "${idOrName}".`);
      if (found.length > 1 && token.id !== idOrName) {
        throw new Error(
          `${found.length} tokens are named "${idOrName}". Revoke one by its id: ${found.map(({ id }) => id).join(', ')}.`,
        );
      }
      const revoked = { ...token, revoked_at: isoNow(db.clock) };
      await trx.updateTable('api_token').set({ revoked_at: revoked.revoked_at }).where('id', '=', token.id).execute();
      return revoked;
    }),
  );
