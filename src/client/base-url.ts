import { isLoopbackHost } from '../outgoing/index.ts';

/** The base URL of a platform. */
export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Prefix of every operation's path, without a trailing slash; often empty. */
  readonly prefix: string;
}

const baseUrlProblem = (url: URL): string | undefined => {
  if (url.username || url.password) return 'must not contain a user name or password: the token is given apart from it';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `must begin with https:// (or http:// on this machine), not ${url.protocol}//`;
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return `must begin with https://: over plain http to ${url.host} the token could be read on the way`;
  }
  if (url.search || url.hash) return 'must end with its path: no query and no fragment';
  return undefined;
};

/**
 * Parses the base URL of a platform: https, or plain http to a loopback host. A path prefix is kept.
 * @throws Error that explains what is wrong, without repeating parts that may be secret.
 */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.parse(text.trim());
  if (!url) throw new Error('The base URL is not a URL. Give it like https://api.example.com.');
  const problem = baseUrlProblem(url);
  if (problem) throw new Error(`The base URL ${problem}. Give it like https://api.example.com.`);
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}
