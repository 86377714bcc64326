import type { Client } from '../client/client.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import { credentialOf, readCredentialFile } from '../client/credential.ts';
import { type Config, ConfigError } from '../config.ts';
import type { Log } from '../mcp/context.ts';
import type { Connection } from './connection.ts';

/**
 * The way to the platform at INFRA_BASE_URL. The HTTP client is loaded with the first call.
 * @throws ConfigError when the address or the token can't be used.
 */
export async function remoteConnection({ baseUrl = '', apiToken, apiTokenFile, requestTimeout }: Config, log: Log): Promise<Connection> {
  const refuse = (error: unknown): never => {
    throw new ConfigError((error as Error).message, { cause: error });
  };
  const credential = await (async () => {
    parseBaseUrl(baseUrl);
    return apiTokenFile === undefined ? credentialOf(apiToken ?? '') : readCredentialFile(apiTokenFile);
  })().catch(refuse);

  let client: Promise<Client> | undefined;
  const open = async (): Promise<Client> => {
    const { createClient } = await import('../client/client.ts');
    return createClient({ baseUrl, credential, timeouts: { headers: requestTimeout * 1000, body: requestTimeout * 1000 }, log });
  };
  return {
    connect: async () => ({ client: await (client ??= open()) }),
    secrets: () => [credential.value],
    close: async () => (await client)?.close(),
  };
}
