import type { Clock, ServerLogger } from '../../server/context/index.ts';
import type { HttpHandler } from './exchange.ts';

/** How long a platform check is cached, in milliseconds. The platform is checked at most this often. */
const cacheTime = 5 * 60_000;

export interface HealthDependencies {
  /** Sends one request to the platform. Rejects if the platform can't be reached or doesn't accept the token. */
  readonly askPlatform: () => Promise<unknown>;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

const get =
  (handler: HttpHandler): HttpHandler =>
  async (exchange) =>
    ['GET', 'HEAD'].includes(exchange.request.method)
      ? handler(exchange)
      : Response.json({ status: 'method not allowed' }, { status: 405, headers: { Allow: 'GET, HEAD' } });

const answer = (status: number, body: object): Response =>
  Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } });

/** /livez: the process responds. */
export const livez: HttpHandler = get(async () => answer(200, { status: 'ok' }));

/**
 * The status while the server stops. The client may choose one: HAProxy keeps existing sessions on a server that
 * returns 404, and sends it no new ones.
 */
const stoppingStatus = (url: URL): number => {
  const chosen = url.searchParams.get('stopping') ?? '';
  return /^[45]\d\d$/.test(chosen) ? Number(chosen) : 503;
};

/**
 * /readyz: the server takes calls, and the platform is reachable and accepts its token. The reason for a failure is
 * only logged.
 */
export function readyz({ askPlatform, clock, log }: HealthDependencies): HttpHandler {
  let cached: { readonly at: number; readonly usable: Promise<boolean> } | undefined;

  const check = async (): Promise<boolean> => {
    try {
      await askPlatform();
      return true;
    } catch (error) {
      log.warn({ err: error }, 'not ready: the platform can not be used');
      return false;
    }
  };

  return get(async ({ isStopping, url }) => {
    if (isStopping) return answer(stoppingStatus(url), { status: 'stopping' });
    const now = clock.now();
    if (!cached || now - cached.at >= cacheTime) cached = { at: now, usable: check() };
    const { at, usable } = cached;
    const checked = new Date(at).toISOString();
    return (await usable)
      ? answer(200, { status: 'ready', checked })
      : answer(503, { status: 'platform not usable', checked });
  });
}
