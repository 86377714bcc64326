import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Client } from '../../client/client.ts';
import { credentialOf } from '../../client/credential.ts';
import { ApiError } from '../../client/errors.ts';
import { operations } from '../../contract/operations.ts';
import type { Log } from '../../server/context/context.ts';
import { createToken } from '../../platform/api/tokens.ts';
import { createSecretFile, readTextFile } from './secret-file.ts';

/** A client that the platform of a data directory has let in. */
export interface Link {
  readonly url: string;
  readonly client: Client;
  readonly token: string;
  /** What the platform answered when it was seen to be there: the organization. Given once, and only while it is fresh. */
  readonly greeting: () => unknown;
}

// How long what was just answered need not be asked again, in milliseconds.
const freshFor = 1_000;

function givenOnce(answer: unknown): Link['greeting'] {
  const until = Date.now() + freshFor;
  let isGiven = false;
  return () => {
    if (isGiven || Date.now() > until) return undefined;
    isGiven = true;
    return answer;
  };
}

/** What a link is made with. */
export interface LinkOptions {
  readonly dataDir: string;
  /** Longest wait for one answer, in seconds. */
  readonly requestTimeout: number;
  readonly log: Log;
}

const tokenFile = (dataDir: string): string => join(dataDir, 'token');

/** The token that the data directory holds; undefined where there is none yet. */
export const keptToken = (dataDir: string): Promise<string | undefined> => readTextFile(tokenFile(dataDir));

/** The token in the data directory; one is made where there is none. An administrator's: the directory is the user's own. */
async function tokenOf(dataDir: string): Promise<string> {
  const kept = await keptToken(dataDir);
  if (kept) return kept;
  const created = await createToken(dataDir, { name: 'infra-mcp stdio', permission: 'admin' });
  return (await createSecretFile(tokenFile(dataDir), created)) ? created : tokenOf(dataDir);
}

async function tryLink(url: string, { dataDir, requestTimeout, log }: LinkOptions): Promise<Link> {
  const token = await tokenOf(dataDir);
  const wait = requestTimeout * 1000;
  const client = createClient({ baseUrl: url, credential: credentialOf(token), timeouts: { headers: wait, body: wait }, log });
  try {
    const organization = await client.call(operations.get_organization, {});
    return { url, client, token, greeting: givenOnce(organization) };
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
export async function linkTo(url: string, options: LinkOptions): Promise<Link> {
  try {
    return await tryLink(url, options);
  } catch (error) {
    if (!(error instanceof ApiError && error.kind === 'unauthorized')) throw error;
    options.log.warn({ dataDir: options.dataDir }, 'the token kept in the data directory is no longer accepted; making a new one');
    await rm(tokenFile(options.dataDir), { force: true });
    return tryLink(url, options);
  }
}
