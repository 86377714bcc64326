import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { ownAnswers, proxyHeader } from './caddy-config.ts';
import type { Route } from './routes.ts';
import type { ProxySettings } from './settings.ts';

/**
 * The outcome of a request to a public address: an instance answered, or the proxy found no instance, has no such
 * route, did not respond, or could not be reached.
 */
export type PublicAnswer = 'answered' | 'no instance' | 'no route' | 'no answer' | 'no proxy';

/** The timeout of one request, in milliseconds: longer than the proxy tries to find an instance. */
const timeoutMilliseconds = 8000;

const everyAddress = ['0.0.0.0', '::', ''];

/** Returns the host at which this process reaches the proxy. @param engine the engine's address, as text */
const hostOf = ({ bind }: Pick<ProxySettings, 'bind'>, engine: string): string => {
  if (!everyAddress.includes(bind)) return bind;
  return engine.startsWith('tcp://')
    ? new URL(engine.replace(/^tcp:/, 'http:')).hostname.replace(/^\[(.*)\]$/, '$1')
    : '127.0.0.1';
};

const verdictOf = (own: string | string[] | undefined): PublicAnswer => {
  if (own === ownAnswers.noService) return 'no route';
  return own === ownAnswers.noInstance ? 'no instance' : 'answered';
};

/**
 * Checks whether a service answers at a public address. Sends one request without a body, directly to the proxy: DNS
 * records of the host are not used.
 * @param engine the address of the engine, as text
 */
export async function askRoute(
  { host, path = '', isSecure }: Route,
  settings: ProxySettings,
  engine: string,
  signal: AbortSignal,
): Promise<PublicAnswer> {
  const { promise, resolve } = Promise.withResolvers<PublicAnswer>();
  let connected = false;
  const asked = {
    host: hostOf(settings, engine),
    port: isSecure ? settings.httpsPort : settings.httpPort,
    method: 'HEAD',
    path: `${path}/`,
    headers: { host, 'user-agent': 'infra-mcp' },
    agent: false,
    timeout: timeoutMilliseconds,
    signal,
  } as const;
  const request = isSecure
    ? requestHttps({ ...asked, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) })
    : requestHttp(asked);
  request.on('socket', (socket) =>
    socket.once('connect', () => {
      connected = true;
    }),
  );
  request.on('response', (response) => {
    resolve(verdictOf(response.headers[proxyHeader.toLowerCase()]));
    response.destroy();
  });
  request.on('timeout', () => request.destroy());
  request.on('error', () => resolve(connected ? 'no answer' : 'no proxy'));
  request.end();
  const verdict = await promise;
  signal.throwIfAborted();
  return verdict;
}
