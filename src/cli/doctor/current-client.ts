import { createClient, credentialOf, type Client } from '../../client/index.ts';
import type { Config } from '../config/index.ts';
import { endpointOf } from '../wiring/data-dir-claim.ts';
import { storedToken } from '../wiring/embedded-client.ts';
import { createLog } from '../wiring/log.ts';
import { remoteConnection } from '../wiring/remote-connection.ts';

/** Request timeout in milliseconds. */
export const answerTimeout = 10_000;

/** A client of the current platform, with its token. */
export interface CurrentClient {
  readonly client: Client;
  readonly token: string;
}

/** A client with the current platform and token; undefined if either is missing. Starts and creates nothing. */
export async function currentClient(config: Config): Promise<CurrentClient | undefined> {
  const log = createLog('silent');
  if (config.baseUrl !== undefined) {
    const connection = await remoteConnection(config, log);
    const { client } = await connection.connect();
    const [token] = connection.secrets();
    if (token !== undefined) return { client, token };
    await connection.close();
    return undefined;
  }
  const [endpoint, token] = await Promise.all([endpointOf(config.dataDir), storedToken(config.dataDir)]);
  return endpoint && token
    ? {
        client: createClient({
          baseUrl: endpoint.url,
          credential: credentialOf(token),
          organization: config.organization,
          timeouts: { headers: answerTimeout, body: answerTimeout },
          log,
        }),
        token,
      }
    : undefined;
}
