import { permissionLevels, type PermissionLevel } from '../../contract/index.ts';
import { isoNow, joined, type PlatformClock, type PlatformLog } from '../common/index.ts';
import { compiled, type DataStore } from '../store/index.ts';
import { tokenHash } from './tokens.ts';

/** The caller of the API: a token. */
export interface Principal {
  /** The id of the token. */
  readonly id: string;
  /** The name of the token. */
  readonly name: string;
  readonly permission: PermissionLevel;
}

/** Authenticates a caller by the Authorization header. Resolves to undefined without a valid token. */
export type TokenAuthenticator = (header: string | undefined) => Promise<Principal | undefined>;

// Both schemes accept every token, because clients differ in the scheme they send.
const credential = /^(?:Token|Bearer) +(\S+)$/i;

// The time of last use is only informative. Updating it once a minute saves a write per call.
const lastUsedIntervalMilliseconds = 60_000;

const tokenOfHash = compiled((db, { hash }: { readonly hash: string }) =>
  db
    .selectFrom('api_token')
    .select(['id', 'name', 'permission', 'expires_at', 'last_used_at'])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null),
);

/**
 * Creates an authenticator that looks tokens up after every call arrived, so changes by other processes take effect at
 * once. Calls that arrive while their token is looked up share one look-up after it.
 */
export function createTokenAuthenticator(db: DataStore, clock: PlatformClock, log: PlatformLog): TokenAuthenticator {
  const touching = new Set<string>();
  const found = joined((hash: string) => tokenOfHash(db.reader, { hash }));

  /** Records that a token was used. Calls don't wait for it, because the write lock may be held for seconds. */
  const touch = async (id: string, at: string): Promise<void> => {
    if (touching.has(id)) return;
    touching.add(id);
    try {
      await db.write((trx) => trx.updateTable('api_token').set({ last_used_at: at }).where('id', '=', id).execute());
    } catch (error) {
      log.warn({ err: error, token_id: id }, 'could not record when a token was last used');
    } finally {
      touching.delete(id);
    }
  };

  return async (header) => {
    const value = credential.exec(header ?? '')?.[1];
    if (value === undefined) return undefined;
    const now = isoNow(clock);
    const [[token]] = await found(tokenHash(value), undefined);
    if (token === undefined || (token.expires_at !== null && token.expires_at <= now)) return undefined;
    const touched = token.last_used_at === null ? -Infinity : Date.parse(token.last_used_at);
    if (clock.now() - touched >= lastUsedIntervalMilliseconds) void touch(token.id, now);
    return { id: token.id, name: token.name, permission: token.permission };
  };
}

/** Whether a token of level `has` permits an operation of level `needs`. Each level includes the ones before it. */
export const permits = (has: PermissionLevel, needs: PermissionLevel): boolean =>
  permissionLevels.indexOf(has) >= permissionLevels.indexOf(needs);
