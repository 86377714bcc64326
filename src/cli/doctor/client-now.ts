import { createClient, type Client } from '../../client/client.ts';
import { credentialOf } from '../../client/credential.ts';
import type { Config } from '../config/read-config.ts';
import { endpointOf } from '../wiring/claim.ts';
import { keptToken } from '../wiring/link.ts';
import { createLog } from '../wiring/log.ts';
import { remoteConnection } from '../wiring/remote.ts';

/** Longest that an answer is waited for, in milliseconds. */
export const patience = 10_000;

/** A client of the platform that is there now, with a token that is there now; undefined where one of both is not. */
export async function clientNow(config: Config): Promise<Client | undefined> {
  const log = createLog('silent');
  if (config.baseUrl !== undefined) {
    const connection = await remoteConnection(config, log);
    const { client } = await connection.connect();
    if (connection.secrets().length > 0) return client;
    await connection.close();
    return undefined;
  }
  const [endpoint, token] = await Promise.all([endpointOf(config.dataDir), keptToken(config.dataDir)]);
  return endpoint && token ? createClient({ baseUrl: endpoint.url, credential: credentialOf(token), timeouts: { headers: patience, body: patience }, log }) : undefined;
}
