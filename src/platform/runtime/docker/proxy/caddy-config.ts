import { createHash } from 'node:crypto';
import type { Route } from './routes.ts';
import type { CertificateAuthority, ProxySettings } from './settings.ts';

/** A route, and the service that it forwards to. */
export interface ServedRoute extends Route {
  /** The name of the service on the network of its environment. */
  readonly upstream: string;
  /** The port of the previous version, while its instances may still run. */
  readonly earlierPort?: number;
}

/** The environment variables of a Caddy container: the paths for its data. */
export const caddyVariables: readonly string[] = ['HOME=/data', 'XDG_DATA_HOME=/data', 'XDG_CONFIG_HOME=/data'];

/** The ports on which the proxy listens in its container. */
export const proxyPorts = { http: 80, https: 443 } as const;

/** The socket of the proxy's admin API. It is a file in the container, so that it can't be reached over a network. */
export const adminSocket = 'unix//run/admin/admin.sock';

/**
 * The log of the requests to services, from which they are counted: its folder in the container, and the prefix of the
 * logger names of services.
 */
export const accessLog = { folder: '/infra-access', logger: 'http.log.access.service' } as const;

/** Without the request, no data about the client or its request is kept: no address, path, query or header. */
const withoutRequest = {
  format: 'filter',
  wrap: { format: 'json' },
  fields: Object.fromEntries(['request', 'resp_headers', 'user_id'].map((field) => [field, { filter: 'delete' }])),
};

const logging = {
  logs: {
    default: { exclude: ['http.log.access'], encoder: withoutRequest },
    access: {
      include: [accessLog.logger],
      encoder: withoutRequest,
      writer: {
        output: 'file',
        filename: `${accessLog.folder}/access.log`,
        roll_size_mb: 1,
        roll_gzip: false,
        roll_keep: 2,
      },
    },
  },
};

/** Requests are logged under the name of the service that they are forwarded to. */
const loggersOf = (routes: readonly ServedRoute[]) => ({
  logs: { logger_names: Object.fromEntries(routes.map(({ host, upstream }) => [host, `service.${upstream}`])) },
});

/** The header that marks a response as the proxy's own, and its two reasons. */
export const proxyHeader = 'X-Infra-Proxy';
export const ownAnswers = { noService: 'no-service', noInstance: 'no-instance' } as const;

const answer = (status: number, reason: string, text: string) => ({
  handler: 'static_response',
  status_code: status,
  headers: { 'Content-Type': ['text/plain; charset=utf-8'], [proxyHeader]: [reason] },
  body: `${text}\n`,
});

const nothingHere = { handle: [answer(404, ownAnswers.noService, 'No service has this address.')] };

/** The response when no instance could be reached. A service's own errors are passed on. */
const noInstance = {
  routes: [{ handle: [answer(502, ownAnswers.noInstance, 'The service at this address does not answer.')] }],
};

/** The instances of a service, resolved every second: they come and go during rollouts. */
const instancesAt = (upstream: string, port: number) => ({
  source: 'a',
  name: upstream,
  port: String(port),
  refresh: '1s',
  resolver: { addresses: ['127.0.0.11:53'] },
});

const forward = ({ upstream, port, earlierPort, protocol }: ServedRoute) => ({
  handler: 'reverse_proxy',
  dynamic_upstreams:
    earlierPort === undefined
      ? instancesAt(upstream, port)
      : { source: 'multi', sources: [port, earlierPort].map((each) => instancesAt(upstream, each)) },
  // If an instance accepts no connection, another one is tried. Requests with a body can't be sent twice.
  load_balancing: { selection_policy: { policy: 'random' }, try_duration: '5s', try_interval: '100ms' },
  transport: { protocol: 'http', dial_timeout: '1s', ...(protocol === 'grpc' && { versions: ['h2c', '2'] }) },
});

/**
 * Escapes a path that a user has chosen: the proxy interprets braces as placeholders, for example for a file of its own
 * that contains a key.
 */
const literal = (path: string): string => path.replaceAll(/[{}\\]/g, encodeURIComponent);

const routeOf = (route: ServedRoute) => {
  const [path, rewrite] = [route.path, route.rewrite].map((each) => (each === undefined ? undefined : literal(each)));
  return {
    match: [{ host: [route.host], ...(path !== undefined && { path: [path, `${path}/*`] }) }],
    handle: [
      ...(path !== undefined && rewrite !== undefined
        ? [
            { handler: 'rewrite', strip_path_prefix: path },
            { handler: 'rewrite', uri: `${rewrite}{http.request.uri}` },
          ]
        : []),
      forward(route),
    ],
    terminal: true,
  };
};

const redirectOf = ({ host }: ServedRoute, httpsPort: number) => ({
  match: [{ host: [host] }],
  handle: [
    {
      handler: 'static_response',
      status_code: 308,
      headers: {
        Location: [
          `https://{http.request.host}${httpsPort === proxyPorts.https ? '' : `:${httpsPort}`}{http.request.uri}`,
        ],
      },
    },
  ],
  terminal: true,
});

/** The folder of the proxy's configuration. */
export const configFolder = 'infra-proxy';

/**
 * Returns the name of the file with an authority's root certificate, in that folder. Another root has another name, so
 * that the configuration changes with it.
 */
export const rootFile = (root: string): string =>
  `authority-${createHash('sha256').update(root).digest('hex').slice(0, 16)}.pem`;

const issuerOf = (email: string | undefined, { directory, root }: Partial<CertificateAuthority>) => ({
  module: 'acme',
  ...(email !== undefined && { email }),
  ...(directory !== undefined && { ca: directory }),
  ...(root !== undefined && { trusted_roots_pem_files: [`/${configFolder}/${rootFile(root)}`] }),
});

const hasStar = ({ host }: Pick<Route, 'host'>): boolean => host.startsWith('*');

/** Sorts routes: hosts without a star before those with one, then longer paths first, then by host. */
const inOrder = (routes: readonly ServedRoute[]): readonly ServedRoute[] =>
  routes.toSorted(
    (one, other) =>
      Number(hasStar(one)) - Number(hasStar(other)) ||
      (other.path?.length ?? 0) - (one.path?.length ?? 0) ||
      (one.host < other.host ? -1 : 1),
  );

/**
 * Returns the routes that close hosts which a wildcard name would otherwise match: those of stopped services, and paths
 * outside of a service's public path.
 */
const closedHosts = (open: readonly ServedRoute[], stopped: readonly string[]) => {
  if (!open.some(hasStar)) return [];
  const whole = new Set(open.filter(({ path }) => path === undefined).map(({ host }) => host));
  const hosts = new Set(
    [...stopped, ...open.map(({ host }) => host)].filter((host) => !hasStar({ host }) && !whole.has(host)),
  );
  return hosts.size === 0 ? [] : [{ match: [{ host: [...hosts].toSorted() }], ...nothingHere, terminal: true }];
};

/**
 * Returns the configuration of the proxy, as text. The same routes give the same text in any order.
 * @param stopped the hosts of stopped services, which remain reserved
 */
export function caddyConfig(
  routes: readonly ServedRoute[],
  { httpsPort, email, authority }: Pick<ProxySettings, 'httpsPort' | 'email' | 'authority'>,
  stopped: readonly string[] = [],
): string {
  const ordered = inOrder(routes);
  const secure = ordered.filter(({ isSecure }) => isSecure);
  const open = ordered.filter(({ isSecure }) => !isSecure);
  const plain = {
    ...loggersOf(open),
    listen: [`:${proxyPorts.http}`],
    protocols: ['h1', 'h2', 'h2c'],
    automatic_https: { disable: true },
    errors: noInstance,
    // Wildcard names have no certificate: only here could they match other hosts.
    routes: [
      ...open.filter((route) => !hasStar(route)).map(routeOf),
      ...secure.map((route) => redirectOf(route, httpsPort)),
      ...closedHosts(open, stopped),
      ...open.filter(hasStar).map(routeOf),
      nothingHere,
    ],
  };
  const secured = {
    ...loggersOf(secure),
    listen: [`:${proxyPorts.https}`],
    protocols: ['h1', 'h2'],
    automatic_https: { disable_redirects: true },
    errors: noInstance,
    routes: [...secure.map(routeOf), nothingHere],
  };
  return JSON.stringify({
    admin: { listen: adminSocket, config: { persist: false } },
    logging,
    apps: {
      http: { servers: { plain, ...(secure.length > 0 && { secured }) } },
      ...(secure.length > 0 &&
        (email !== undefined || authority !== undefined) && {
          tls: { automation: { policies: [{ issuers: [issuerOf(email, authority ?? {})] }] } },
        }),
    },
  });
}
