import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { Agent, buildConnector, Dispatcher, Pool } from 'undici';
import { withoutBrackets } from './hosts.ts';
import { type Proxy, proxyFor } from './proxies.ts';
import { proxyErrorOf, ProxyError, refusedTunnel } from './proxy-error.ts';

/** A request. The origin and the path are as in a URL; the path includes the query. */
export type OutgoingRequest = Omit<Dispatcher.RequestOptions, 'origin'> & { readonly origin: string };

/** Pooled connections to other programs, through the proxies of the environment. */
export interface Connections {
  /**
   * Sends a request, and follows no redirect. The body of the response is as it was sent: see `readBody`.
   * @throws ProxyError, or an error of the network or of undici
   */
  request(request: OutgoingRequest): Promise<Dispatcher.ResponseData>;
  /** Closes all connections immediately. */
  close(): Promise<void>;
}

/** Settings of connections. Times are in milliseconds. */
export interface ConnectionOptions extends Omit<Agent.Options, 'connect' | 'factory' | 'allowH2'> {
  /** Until a connection is established. With a proxy, until each of the two is. */
  readonly connectTimeout: number;
  /** The certificate authorities to verify servers with, in PEM format. Default: those of Node. */
  readonly ca?: string;
  /** Whether servers may have any certificate. Default: no. */
  readonly isUnverified?: boolean;
  /**
   * Resolves a host to the only addresses that may be connected to. Called for every connection. A proxy resolves names
   * by itself: behind it an https server proves its name, and for http the proxy is given the address.
   * @param host a name or an IP address
   * @throws Error for a host that is refused
   */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
}

type Undici = typeof import('undici');

const isSocks = ({ url }: Proxy): boolean => url.startsWith('socks5:');

/** The certificates that a server may have, as options of TLS connections. */
const certificateRules = ({ ca, isUnverified }: Pick<ConnectionOptions, 'ca' | 'isUnverified'>) => ({
  ...(ca !== undefined && { ca }),
  ...(isUnverified && { rejectUnauthorized: false }),
});

/** The host and port that a tunnel is opened to. @param path as the ProxyAgent asks for it */
const tunnelTarget = async (path: string, origin: URL, { resolve }: ConnectionOptions): Promise<string> => {
  const [first] = (await resolve?.(withoutBrackets(origin.hostname))) ?? [];
  if (first === undefined || origin.protocol === 'https:') return path;
  return `${first.family === 6 ? `[${first.address}]` : first.address}:${Number(origin.port) || 80}`;
};

/** The connections to a proxy, over which it is asked for tunnels to an origin. */
function openTunnels({ Pool }: Undici, proxy: Proxy, origin: URL, options: ConnectionOptions, pool: object): Pool {
  const tunnels = new Pool(new URL(proxy.url).origin, { ...pool, headersTimeout: options.connectTimeout });
  const connect = tunnels.connect.bind(tunnels);
  const open = async (asked: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> => {
    const path = await tunnelTarget(asked.path, origin, options);
    const answer = await connect({ ...asked, path }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'UND_ERR_HEADERS_TIMEOUT') throw error;
      throw new ProxyError(proxy, { reason: 'it did not answer in time', transient: true, cause: error });
    });
    if (answer.statusCode === 200) return answer;
    answer.socket.on('error', () => undefined).destroy();
    throw refusedTunnel(proxy, path, answer.statusCode);
  };
  return Object.assign(tunnels, { connect: open });
}

/** The connections to one origin through a proxy. */
function openProxied(undici: Undici, proxy: Proxy, origin: URL, options: ConnectionOptions): Dispatcher {
  const { connectTimeout, ca, isUnverified, resolve, ...agent } = options;
  if (resolve !== undefined && isSocks(proxy))
    throw new ProxyError(proxy, {
      reason: 'hosts that may not be private are not reached through SOCKS',
      transient: false,
    });
  return new undici.ProxyAgent({
    ...agent,
    allowH2: false,
    uri: proxy.url,
    connectTimeout,
    proxyTunnel: resolve !== undefined || undefined,
    requestTls: certificateRules({ ca, isUnverified }),
    clientFactory: (_, pool) => openTunnels(undici, proxy, origin, options, pool),
  });
}

/** A connector that connects only to the addresses that `resolve` returns. */
function checkedConnector(
  { buildConnector: build }: Undici,
  resolve: NonNullable<ConnectionOptions['resolve']>,
  tls: buildConnector.BuildOptions,
): buildConnector.connector {
  const resolved = callbackify(resolve);
  const lookup: LookupFunction = (host, { all }, done) =>
    resolved(host, (error, addresses) => {
      if (error) done(error, '', 0);
      else if (all) done(null, [...addresses]);
      else done(null, addresses[0]!.address, addresses[0]!.family);
    });
  const connect = build({ ...tls, lookup });
  return (options, done) => {
    const host = withoutBrackets(options.hostname);
    // Literal IP addresses don't go through the lookup.
    if (isIP(host) === 0) connect(options, done);
    else resolved(host, (error) => (error ? done(error, null) : connect(options, done)));
  };
}

/** Creates connections. The first request loads the HTTP library, and reads the environment's variables for proxies. */
export function createConnections(options: ConnectionOptions): Connections {
  let opening: Promise<Agent> | undefined;
  const open = async (): Promise<Agent> => {
    // Only when needed: undici is large, and many runs send no request.
    const undici = await import('undici');
    const { connectTimeout, ca, isUnverified, resolve, ...agent } = options;
    const tls = { timeout: connectTimeout, allowH2: false, ...certificateRules({ ca, isUnverified }) };
    return new undici.Agent({
      ...agent,
      // Only HTTP/1.1: one protocol means one set of failures to handle.
      allowH2: false,
      connect: resolve === undefined ? tls : checkedConnector(undici, resolve, tls),
      factory: (origin, pool) => {
        const proxy = proxyFor(origin);
        return proxy === undefined
          ? new undici.Pool(origin, pool)
          : openProxied(undici, proxy, new URL(origin), options);
      },
    });
  };
  return {
    request: async (request) => {
      try {
        return await (await (opening ??= open())).request(request);
      } catch (error) {
        throw proxyErrorOf(error, request.origin) ?? error;
      }
    },
    close: async () => {
      await (await opening)?.destroy();
    },
  };
}
