import {
  credentialOf,
  parseBaseUrl,
  readCredentialFile,
  type Client,
  type RequestObserver,
} from '../../client/index.ts';
import type { Config } from '../config/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import type { Connection } from './connection.ts';

/** Placeholder for a server without its own token, where callers send theirs. The platform never accepts it. */
const noToken = 'none';

/**
 * The connection to the platform at INFRA_BASE_URL. The HTTP client is loaded with the first call.
 * @throws Error if the address or the token can't be used.
 */
export async function remoteConnection(
  { baseUrl = '', apiToken, apiTokenFile, organization, requestTimeout }: Config,
  log: ServerLogger,
  observer?: RequestObserver,
): Promise<Connection> {
  parseBaseUrl(baseUrl);
  const credential =
    apiTokenFile === undefined ? credentialOf(apiToken ?? noToken) : await readCredentialFile(apiTokenFile);
  let client: Promise<Client> | undefined;
  const open = async (): Promise<Client> => {
    const { createClient } = await import('../../client/client.ts');
    return createClient({
      baseUrl,
      credential,
      organization,
      timeouts: { headers: requestTimeout * 1000, body: requestTimeout * 1000 },
      log,
      observer,
    });
  };
  return {
    connect: async () => ({ client: await (client ??= open()) }),
    secrets: () => (credential.value === noToken ? [] : [credential.value]),
    close: async () => (await client)?.close(),
  };
}
