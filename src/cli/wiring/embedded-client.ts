import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, createClient, credentialOf, type Client, type RequestObserver } from '../../client/index.ts';
import { operations } from '../../contract/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import type { RecordsPlace } from '../../platform/index.ts';
import { createToken } from '../../platform/api/index.ts';
import { createSecretFile, readTextFile } from './secret-file.ts';

/** An authenticated client of a data directory's platform. */
export interface EmbeddedClient {
  readonly url: string;
  readonly client: Client;
  readonly token: string;
  /** Returns the organization that the connection check fetched; undefined after the first call or once it is stale. */
  readonly takeOrganization: () => unknown;
  /** The failure of every call if the chosen organization isn't the platform's. */
  readonly refusal?: ApiError;
}

// The maximum age at which the response of the connection check is reused, in milliseconds.
const maxAge = 1_000;

function onceWhileFresh(organization: unknown): EmbeddedClient['takeOrganization'] {
  const expiresAt = Date.now() + maxAge;
  let isTaken = false;
  return () => {
    if (isTaken || Date.now() > expiresAt) return undefined;
    isTaken = true;
    return organization;
  };
}

/** Options of an embedded client. */
export interface EmbeddedClientOptions {
  readonly dataDir: string;
  /** The location of the platform's records. */
  readonly records: RecordsPlace;
  /** Timeout of one request, in seconds. */
  readonly requestTimeout: number;
  /** Name or id of the chosen organization. */
  readonly organization?: string;
  readonly log: ServerLogger;
  readonly observer?: RequestObserver;
}

const tokenFile = (dataDir: string): string => join(dataDir, 'token');

/** The token stored in the data directory; undefined if there is none yet. */
export const storedToken = (dataDir: string): Promise<string | undefined> => readTextFile(tokenFile(dataDir));

/**
 * The token stored in the data directory, or a new one. It is an administrator's, because the directory belongs to the
 * user.
 */
async function storedOrNewToken(options: EmbeddedClientOptions): Promise<string> {
  const { dataDir, records } = options;
  const stored = await storedToken(dataDir);
  if (stored) return stored;
  const created = await createToken(records, { name: 'infra-mcp', permission: 'admin' });
  return (await createSecretFile(tokenFile(dataDir), created)) ? created : storedOrNewToken(options);
}

/**
 * The failure of every call if the chosen organization isn't that of the embedded platform, because another platform
 * may be meant.
 */
const otherOrganization = ({ operation, detail }: ApiError, organization: string | undefined): ApiError =>
  new ApiError(operation, {
    kind: 'unclear_organization',
    reason: `the embedded platform has no organization ${JSON.stringify(organization)}, which this server is to use`,
    detail,
    next: 'Whoever runs this server sets INFRA_BASE_URL to the platform that has it, or removes INFRA_ORGANIZATION, --organization or organization in the profile.',
  });

async function tryConnect(url: string, options: EmbeddedClientOptions): Promise<EmbeddedClient> {
  const { requestTimeout, organization: choice, log, observer } = options;
  const token = await storedOrNewToken(options);
  const timeout = requestTimeout * 1000;
  const client = createClient({
    baseUrl: url,
    credential: credentialOf(token),
    organization: choice,
    timeouts: { headers: timeout, body: timeout },
    log,
    observer,
  });
  try {
    const organization = await client.call(operations.get_organization, {});
    return { url, client, token, takeOrganization: onceWhileFresh(organization) };
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unclear_organization')
      return { url, client, token, takeOrganization: () => undefined, refusal: otherOrganization(error, choice) };
    await client.close();
    throw error;
  }
}

/**
 * Connects to the platform of a data directory and checks that it responds. A stored token that was revoked, or that
 * belongs to a deleted database, is replaced.
 * @throws ApiError if the check fails.
 */
export async function connectEmbedded(url: string, options: EmbeddedClientOptions): Promise<EmbeddedClient> {
  try {
    return await tryConnect(url, options);
  } catch (error) {
    if (!(error instanceof ApiError && error.kind === 'unauthorized')) throw error;
    options.log.warn(
      { dataDir: options.dataDir },
      'the token in the data directory is no longer accepted; creating a new one',
    );
    await rm(tokenFile(options.dataDir), { force: true });
    return tryConnect(url, options);
  }
}
