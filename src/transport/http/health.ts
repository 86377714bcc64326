import type { Clock, ServerLogger } from '../../server/context/call-context.ts';
import type { HttpHandler } from './exchange.ts';

/** How long an answer about the platform is trusted, in milliseconds: it is asked at most this often. */
const cacheTime = 5 * 60_000;

/** What health checks work with. */
export interface HealthDependencies {
  /** Asks the platform once; fails when it can't be reached or doesn't accept the token. */
  readonly askPlatform: () => Promise<unknown>;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

const get = (handler: HttpHandler): HttpHandler => async (exchange) =>
  ['GET', 'HEAD'].includes(exchange.request.method)
    ? handler(exchange)
    : Response.json({ status: 'method not allowed' }, { status: 405, headers: { Allow: 'GET, HEAD' } });

const answer = (status: number, body: object): Response => Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } });

/** /livez: the process answers. */
export const livez: HttpHandler = get(async () => answer(200, { status: 'ok' }));

/** /readyz: it takes calls, and the platform is there and accepts its token. The reason for a no is in the log only. */
export function readyz({ askPlatform, clock, log }: HealthDependencies): HttpHandler {
  let latest: { readonly at: number; readonly usable: Promise<boolean> } | undefined;

  const ask = async (): Promise<boolean> => {
    try {
      await askPlatform();
      return true;
    } catch (error) {
      log.warn({ err: error }, 'not ready: the platform cannot be worked with');
      return false;
    }
  };

  return get(async ({ draining }) => {
    if (draining.aborted) return answer(503, { status: 'stopping' });
    const now = clock.now();
    if (!latest || now - latest.at >= cacheTime) latest = { at: now, usable: ask() };
    const { at, usable } = latest;
    const checked = new Date(at).toISOString();
    return (await usable) ? answer(200, { status: 'ready', checked }) : answer(503, { status: 'platform not usable', checked });
  });
}
