import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { hiddenSecret, openWebhookKind } from '../../../contract/index.ts';
import { type ConnectionOptions, type Connections, createConnections } from '../../../outgoing/index.ts';
import { isPublicAddress } from '../../common/index.ts';
import type { DataStore, Vault } from '../../store/index.ts';

/** A webhook's URL, split into the part that may be shown and the secret part. */
interface SplitTarget {
  /** The URL without user name and password. */
  readonly address: string;
  /** User name and password, separated by a colon as in Basic authorization. Absent if the URL has none. */
  readonly userinfo?: string;
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** Splits user name and password from a valid URL. */
export function splitTarget(target: string): SplitTarget {
  const url = new URL(target);
  if (url.username === '' && url.password === '') return { address: target };
  const userinfo = `${decoded(url.username)}:${decoded(url.password)}`;
  url.username = '';
  url.password = '';
  return { address: url.href, userinfo };
}

/** A webhook's kind and its address. */
interface Target {
  readonly kind: string;
  readonly target_url: string;
}

/** The URL for records: without user name and password, and of a chat's without what follows the host. */
export function shownAddress({ kind, target_url }: Target): string {
  const { address } = splitTarget(target_url);
  return kind === openWebhookKind ? address : `${new URL(address).origin}/${hiddenSecret}`;
}

/** What follows the host in the URL of a chat; empty for other webhooks. */
export function secretPath({ kind, target_url }: Target): string {
  if (kind === openWebhookKind) return '';
  const { pathname, search } = new URL(target_url);
  return `${pathname}${search}`.slice(1);
}

/** The URL for responses: the URL for records, with a placeholder instead of user name and password. */
export function redactedTarget(webhook: Target & { readonly sealed_target_userinfo: string | null }): string {
  const address = shownAddress(webhook);
  return webhook.sealed_target_userinfo === null && splitTarget(webhook.target_url).userinfo === undefined
    ? address
    : address.replace('://', `://${hiddenSecret}@`);
}

/**
 * Seals the user names and passwords in webhook URLs that earlier versions stored in plain text, and overwrites the
 * plain text in the database's files.
 */
export async function sealTargets(db: DataStore, vault: Vault): Promise<void> {
  const rows = await db
    .selectFrom('webhook')
    .select(['id', 'target_url'])
    .where('sealed_target_userinfo', 'is', null)
    .where('target_url', 'like', '%@%')
    .execute();
  const unsealed = rows.flatMap(({ id, target_url }) => {
    const { address, userinfo } = splitTarget(target_url);
    return userinfo === undefined ? [] : [{ id, target_url: address, sealed_target_userinfo: vault.seal(userinfo) }];
  });
  if (unsealed.length === 0) return;
  await db.overwrite(async (trx) => {
    for (const { id, ...columns } of unsealed)
      await trx.updateTable('webhook').set(columns).where('id', '=', id).execute();
  });
}

/** Decides whether webhooks may connect to an IP address. */
export type AddressPolicy = (address: string) => boolean;

/** Allows only addresses of the public internet: no private, loopback, link-local or otherwise reserved ones. */
export const publicOnly: AddressPolicy = isPublicAddress;

/** Allows every address. */
export const anyAddress: AddressPolicy = () => true;

/** Thrown for a target whose address the policy refuses. A retry would fail the same way. */
class TargetRefused extends Error {
  /** The refused host and its address, as text. */
  readonly where: string;
  constructor(host: string, address: string) {
    const where = host === address ? host : `${host} (${address})`;
    super(
      `Not sent: ${where} is a private or reserved address, and the operator doesn't allow those as webhook targets.`,
    );
    this.name = 'TargetRefused';
    this.where = where;
  }
}

/** The refused target among an error and its causes; undefined if no address was refused. */
export const findRefusal = (error: unknown): TargetRefused | undefined => {
  if (error instanceof TargetRefused) return error;
  return error instanceof Error && error.cause !== undefined ? findRefusal(error.cause) : undefined;
};

const connectTimeout = 5000;

/** Resolves a host name to all of its addresses. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

const systemResolver: ResolveHost = (host) => lookup(host, { all: true });

/**
 * Creates connections only to addresses that the policy allows. Other requests fail with TargetRefused. The address is
 * checked for each connection, and the connection is made to it, so neither DNS rebinding nor a redirect bypasses it.
 * @param resolveHost default: the resolver of this machine
 */
export const connectionsWithin = (
  policy: AddressPolicy,
  resolveHost: ResolveHost = systemResolver,
  options: Pick<ConnectionOptions, 'isUnverified'> = {},
): Connections =>
  createConnections({
    ...options,
    connectTimeout,
    keepAliveTimeout: 4000,
    ...(policy !== anyAddress && {
      resolve: async (host) => {
        const addresses = await resolveHost(host);
        const refused = addresses.find(({ address }) => !policy(address));
        if (refused !== undefined) throw new TargetRefused(host, refused.address);
        return addresses;
      },
    }),
  });
