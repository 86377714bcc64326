import * as z from 'zod';

/** Timeout of a request to the authorization server, in milliseconds. */
const requestTimeout = 5000;

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** URLs at which an authorization server may publish its metadata: RFC 8414 first, then OpenID Connect Discovery. */
const metadataUrls = (issuer: string): URL[] => {
  const path = new URL(issuer).pathname.replace(/\/$/, '');
  return [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`, `${path}/.well-known/openid-configuration`]
    .filter((candidate, index, candidates) => candidates.indexOf(candidate) === index)
    .map((candidate) => new URL(candidate, issuer));
};

async function jwksUriAt(url: URL, issuer: string): Promise<URL | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(requestTimeout), redirect: 'error', headers: { accept: 'application/json' } });
  if (!response.ok) return undefined;
  const metadata = Metadata.parse(await response.json());
  // Metadata of another issuer could point to that issuer's keys.
  if (metadata.issuer !== issuer) throw new Error(`${url.href} describes the issuer ${metadata.issuer}, not ${issuer}`);
  return new URL(metadata.jwks_uri);
}

/**
 * Discovers the JWKS URL of an authorization server.
 * @throws AggregateError if the server can't be reached or publishes no metadata.
 */
export async function discoverJwksUri(issuer: string): Promise<URL> {
  const failures: unknown[] = [];
  for (const url of metadataUrls(issuer)) {
    const found = await jwksUriAt(url, issuer).catch((error: unknown) => void failures.push(error));
    if (found) return found;
  }
  throw new AggregateError(failures, `The authorization server ${issuer} doesn't say where its keys are.`);
}
