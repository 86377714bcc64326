import type { ServerLogger } from '../../server/context/index.ts';
import { errorResponse } from './error-response.ts';
import type { HttpHandler } from './exchange.ts';
import { startHost } from './host.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { acceptedHosts, hostCheck, hostForUrl, isLoopback } from './listen-address.ts';

/** Options of a metrics server. */
export interface MetricsServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The metrics, in the format that an Accept header prefers. */
  readonly page: (accept: string) => Promise<{ readonly type: string; readonly text: string }>;
  readonly log: ServerLogger;
}

/** A listening metrics server. */
export interface MetricsServer {
  /** URL of the metrics. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const path = '/metrics';

/** Few clients fetch metrics, and the shutdown needn't wait for them. */
const limits: Limits = {
  ...defaultLimits,
  connections: 64,
  connectionsPerAddress: 64,
  shutdownDelay: 0,
  drainTime: 1_000,
};

/**
 * Serves metrics. On a loopback address, only to clients that name it as the host: a web page could otherwise read them
 * under its own host name.
 */
function metricsHandler({ host, page, log }: MetricsServerOptions): HttpHandler {
  const rejectUnknownHost = hostCheck(
    acceptedHosts({ host, allowedHosts: [], allowedOrigins: [] }),
    'set INFRA_METRICS_HOST (--metrics-host) to an address that other machines reach',
    log,
  );
  return async ({ request }) => {
    const unknownHost = isLoopback(host) ? rejectUnknownHost(request) : undefined;
    if (unknownHost) return unknownHost;
    if (!['GET', 'HEAD'].includes(request.method))
      return errorResponse({
        status: 405,
        message: 'Method Not Allowed: metrics are fetched with GET.',
        headers: { Allow: 'GET, HEAD' },
      });
    const { type, text } = await page(request.headers.get('accept') ?? '');
    return new Response(text, {
      headers: { 'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
    });
  };
}

/**
 * Serves metrics at a separate address.
 * @throws Error when the address can't be bound.
 */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port, log } = options;
  // A log line for each fetch would hide the others.
  const quiet: ServerLogger = { ...log, info: () => undefined };
  if (!isLoopback(host)) log.warn({ host }, 'other machines can read the metrics of this server');
  const served = await startHost({ host, port, limits, log: quiet, routes: { [path]: metricsHandler(options) } });
  const url = `http://${hostForUrl(host)}:${served.port}${path}`;
  log.info({ url }, 'serving metrics');
  return { url, close: () => served.drain() };
}
