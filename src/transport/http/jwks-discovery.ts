import * as z from 'zod';

/** Longest wait for the authorization server, in milliseconds. */
const requestTimeout = 5000;

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Where an authorization server may describe itself: RFC 8414 first, then OpenID Connect Discovery. */
const metadataUrls = (issuer: string): URL[] => {
  const path = new URL(issuer).pathname.replace(/\/$/, '');
  return [`/.well-known/oauth-authorization-server${path}`, `/.well-known/openid-configuration${path}`, `${path}/.well-known/openid-configuration`]
    .filter((place, index, places) => places.indexOf(place) === index)
    .map((place) => new URL(place, issuer));
};

async function jwksUriAt(place: URL, issuer: string): Promise<URL | undefined> {
  const answer = await fetch(place, { signal: AbortSignal.timeout(requestTimeout), redirect: 'error', headers: { accept: 'application/json' } });
  if (!answer.ok) return undefined;
  const metadata = Metadata.parse(await answer.json());
  // A description that stands here but is of another issuer could lead to keys of that one's choosing.
  if (metadata.issuer !== issuer) throw new Error(`${place.href} describes the issuer ${metadata.issuer}, not ${issuer}`);
  return new URL(metadata.jwks_uri);
}

/**
 * Finds out where an authorization server keeps its keys.
 * @throws Error when it can't be reached or doesn't say.
 */
export async function discoverJwksUri(issuer: string): Promise<URL> {
  const failures: unknown[] = [];
  for (const place of metadataUrls(issuer)) {
    const found = await jwksUriAt(place, issuer).catch((error: unknown) => void failures.push(error));
    if (found) return found;
  }
  throw new AggregateError(failures, `The authorization server ${issuer} doesn't say where its keys are.`);
}
