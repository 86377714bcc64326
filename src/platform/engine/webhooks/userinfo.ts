import { sql } from 'kysely';
import { hiddenSecret } from '../../../contract/primitives.ts';
import type { DataStore } from '../../store/database.ts';
import type { Vault } from '../../store/vault.ts';

/** An address in its two parts: what may be shown, and what is kept like a secret. */
export interface SplitTarget {
  /** The address without user name and password. */
  readonly address: string;
  /** User name and password with a colon between them, as Basic authorization takes them; absent where the address has none. */
  readonly userinfo?: string;
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** Takes user name and password out of an address that can be parsed. */
export function splitTarget(target: string): SplitTarget {
  const url = new URL(target);
  if (url.username === '' && url.password === '') return { address: target };
  const userinfo = `${decoded(url.username)}:${decoded(url.password)}`;
  url.username = '';
  url.password = '';
  return { address: url.href, userinfo };
}

/** The address as answers show it: a mark in place of user name and password. */
export function redactedTarget({ target_url, sealed_target_userinfo }: { readonly target_url: string; readonly sealed_target_userinfo: string | null }): string {
  const { address, userinfo } = splitTarget(target_url);
  return sealed_target_userinfo === null && userinfo === undefined ? address : address.replace('://', `://${hiddenSecret}@`);
}

/**
 * Seals what earlier programs stored in clear: user names and passwords in the addresses of webhooks. The places in the file
 * where they stood are overwritten.
 */
export async function sealTargets(db: DataStore, vault: Vault): Promise<void> {
  const rows = await db.selectFrom('webhook').select(['id', 'target_url']).where('sealed_target_userinfo', 'is', null).where('target_url', 'like', '%@%').execute();
  const open = rows.flatMap(({ id, target_url }) => {
    const { address, userinfo } = splitTarget(target_url);
    return userinfo === undefined ? [] : [{ id, target_url: address, sealed_target_userinfo: vault.seal(userinfo) }];
  });
  if (open.length === 0) return;
  await sql`PRAGMA secure_delete = ON`.execute(db);
  await db.write(async (trx) => {
    for (const { id, ...columns } of open) await trx.updateTable('webhook').set(columns).where('id', '=', id).execute();
  });
  await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db);
  await sql`PRAGMA secure_delete = OFF`.execute(db);
}
