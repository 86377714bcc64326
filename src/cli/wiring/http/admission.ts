import { tools } from '../../../../tools/index.ts';
import type { Config } from '../../config/read-config.ts';
import type { Log } from '../../../server/context/context.ts';
import { unseenVariables } from '../../../server/guard/policy.ts';
import { bearer } from '../../../transport/http/bearer.ts';
import type { Handler } from '../../../transport/http/exchange.ts';
import type { Authenticate } from '../../../transport/http/identity.ts';
import { loadKeys, type Keys } from '../../../transport/http/keys.ts';
import type { OAuth } from '../../../transport/http/oauth.ts';

/** Who is let in, as configured. */
export interface ConfiguredAdmission {
  /** Absent where everybody on this machine is. */
  readonly authenticate?: Authenticate;
  /** What tells clients how to get in. */
  readonly routes: Readonly<Record<string, Handler>>;
  /** Variables of the environment that policies of keys let be set unseen, earlier ones too. */
  readonly unseen: () => readonly string[];
  /** Reads the keys again, and gives what puts them in place. */
  readonly read: () => Promise<() => void>;
}

const keysOf = async ({ keysFile }: Config): Promise<Keys | undefined> => (keysFile === undefined ? undefined : loadKeys(keysFile, tools));

const variablesOf = (keys: Keys | undefined): readonly string[] => [...(keys?.values() ?? [])].flatMap(({ restriction }) => unseenVariables(restriction.rules));

/** The part of an OAuth resource server. Its library is loaded where it is used only. */
async function oauthOf({ oauthIssuer: issuer, oauthAudience, oauthJwksUrl, publicUrl }: Config, log: Log): Promise<{ oauth?: OAuth; routes: Record<string, Handler> }> {
  if (issuer === undefined || publicUrl === undefined) return { routes: {} };
  const [{ createOAuth }, { metadata, metadataUrlOf }] = await Promise.all([import('../../../transport/http/oauth.ts'), import('../../../transport/http/metadata.ts')]);
  const url = metadataUrlOf(publicUrl);
  const oauth = createOAuth({ issuer, audience: oauthAudience ?? publicUrl.href, jwksUri: oauthJwksUrl, metadataUrl: url.href, clock: { now: Date.now }, log });
  return { oauth, routes: { [url.pathname]: metadata(publicUrl, issuer) } };
}

/**
 * Who is let in: whoever brings a key, an access token, or either.
 * @throws Error when the keys or the issuer can't be used.
 */
export async function admissionOf(config: Config, log: Log): Promise<ConfiguredAdmission> {
  let keys = await keysOf(config);
  const unseen = new Set(variablesOf(keys));
  const { oauth, routes } = await oauthOf(config, log);
  return {
    ...((keys ?? oauth) && { authenticate: (request) => bearer({ keys, oauth })(request) }),
    routes,
    unseen: () => [...unseen],
    read: async () => {
      const next = await keysOf(config);
      return () => {
        keys = next;
        for (const name of variablesOf(next)) unseen.add(name);
      };
    },
  };
}
