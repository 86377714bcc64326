import { tools } from '../../../../tools/index.ts';
import { typedProgram } from '../../init/launch.ts';
import type { Config } from '../../config/index.ts';
import type { ServerLogger } from '../../../server/context/index.ts';
import { valueVariables } from '../../../server/guard/index.ts';
import {
  bearerAuthentication,
  loadApiKeys,
  type ApiKeys,
  type AuthenticateCaller,
  type HttpHandler,
  type OAuth,
} from '../../../transport/index.ts';

/** The configured authentication of callers. */
export interface ConfiguredAuthentication {
  /** Absent without authentication. Then only this machine can connect. */
  readonly authenticate?: AuthenticateCaller;
  /** Handlers by path for the OAuth metadata of this server. */
  readonly routes: Readonly<Record<string, HttpHandler>>;
  /**
   * Environment variables that the policies of current and earlier keys allow to be set without showing their values.
   */
  readonly valueVariableNames: () => readonly string[];
  /** Rereads the keys. @returns a function that applies them. */
  readonly prepareReload: () => Promise<() => void>;
}

const configuredKeys = async ({ keysFile }: Config): Promise<ApiKeys | undefined> =>
  keysFile === undefined ? undefined : loadApiKeys(keysFile, tools, `${typedProgram()} key`);

const valueVariablesOf = (keys: ApiKeys | undefined): readonly string[] =>
  [...(keys?.values() ?? [])].flatMap(({ restriction }) => valueVariables(restriction.rules));

/** The OAuth resource server, if configured. Its library is loaded only then. */
async function configuredOAuth(
  { oauthIssuer: issuer, oauthAudience, oauthJwksUrl, publicUrl }: Config,
  log: ServerLogger,
): Promise<{ oauth?: OAuth; routes: Record<string, HttpHandler> }> {
  if (issuer === undefined || publicUrl === undefined) return { routes: {} };
  const [{ createOAuth }, { resourceMetadata, resourceMetadataUrl }] = await Promise.all([
    import('../../../transport/http/oauth.ts'),
    import('../../../transport/http/resource-metadata.ts'),
  ]);
  const url = resourceMetadataUrl(publicUrl);
  const oauth = createOAuth({
    issuer,
    audience: oauthAudience ?? publicUrl.href,
    jwksUri: oauthJwksUrl,
    metadataUrl: url.href,
    clock: { now: Date.now },
    log,
  });
  return { oauth, routes: { [url.pathname]: resourceMetadata(publicUrl, issuer) } };
}

/**
 * Opens the configured authentication: API keys, OAuth access tokens, or both.
 * @throws Error if the keys or the issuer can't be used.
 */
export async function authenticationOf(config: Config, log: ServerLogger): Promise<ConfiguredAuthentication> {
  let keys = await configuredKeys(config);
  const valueVariableNames = new Set(valueVariablesOf(keys));
  const { oauth, routes } = await configuredOAuth(config, log);
  return {
    ...((keys ?? oauth) && { authenticate: (request) => bearerAuthentication({ keys, oauth })(request) }),
    routes,
    valueVariableNames: () => [...valueVariableNames],
    prepareReload: async () => {
      const next = await configuredKeys(config);
      return () => {
        keys = next;
        for (const name of valueVariablesOf(next)) valueVariableNames.add(name);
      };
    },
  };
}
