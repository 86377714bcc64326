import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Client } from '../../client/client.ts';
import { credentialOf } from '../../client/credential.ts';
import { ApiError } from '../../client/errors.ts';
import { operations } from '../../contract/operations.ts';
import type { ServerLogger } from '../../server/context/call-context.ts';
import { createToken } from '../../platform/api/tokens.ts';
import { createSecretFile, readTextFile } from './secret-file.ts';

/** A client that the platform of a data directory has let in. */
export interface EmbeddedClient {
  readonly url: string;
  readonly client: Client;
  readonly token: string;
  /** What the platform answered when it was seen to be there: the organization. Given once, and only while it is fresh. */
  readonly takeOrganization: () => unknown;
}

// How long what was just answered need not be asked again, in milliseconds.
const freshTime = 1_000;

function onceWhileFresh(answer: unknown): EmbeddedClient['takeOrganization'] {
  const until = Date.now() + freshTime;
  let isGiven = false;
  return () => {
    if (isGiven || Date.now() > until) return undefined;
    isGiven = true;
    return answer;
  };
}

/** What a link is made with. */
export interface EmbeddedClientOptions {
  readonly dataDir: string;
  /** Longest wait for one answer, in seconds. */
  readonly requestTimeout: number;
  readonly log: ServerLogger;
}

const tokenFile = (dataDir: string): string => join(dataDir, 'token');

/** The token that the data directory holds; undefined where there is none yet. */
export const storedToken = (dataDir: string): Promise<string | undefined> => readTextFile(tokenFile(dataDir));

/** The token in the data directory; one is made where there is none. An administrator's: the directory is the user's own. */
async function storedOrNewToken(dataDir: string): Promise<string> {
  const kept = await storedToken(dataDir);
  if (kept) return kept;
  const created = await createToken(dataDir, { name: 'infra-mcp stdio', permission: 'admin' });
  return (await createSecretFile(tokenFile(dataDir), created)) ? created : storedOrNewToken(dataDir);
}

async function tryConnect(url: string, { dataDir, requestTimeout, log }: EmbeddedClientOptions): Promise<EmbeddedClient> {
  const token = await storedOrNewToken(dataDir);
  const wait = requestTimeout * 1000;
  const client = createClient({ baseUrl: url, credential: credentialOf(token), timeouts: { headers: wait, body: wait }, log });
  try {
    const organization = await client.call(operations.get_organization, {});
    return { url, client, token, takeOrganization: onceWhileFresh(organization) };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/**
 * Connects to the platform that serves a data directory, and sees that it answers. A token that was revoked there, or
 * is of a database that is gone, is replaced by a new one.
 * @throws ApiError when the platform doesn't answer as it should.
 */
export async function connectEmbedded(url: string, options: EmbeddedClientOptions): Promise<EmbeddedClient> {
  try {
    return await tryConnect(url, options);
  } catch (error) {
    if (!(error instanceof ApiError && error.kind === 'unauthorized')) throw error;
    options.log.warn({ dataDir: options.dataDir }, 'the token kept in the data directory is no longer accepted; making a new one');
    await rm(tokenFile(options.dataDir), { force: true });
    return tryConnect(url, options);
  }
}
