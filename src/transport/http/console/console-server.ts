import type { Clock, ServerLogger } from '../../../server/context/index.ts';
import type { ApprovalsSource } from '../approvals/approvals-tab.ts';
import { startHost } from '../host.ts';
import { defaultLimits, identityLimits, type Limits } from '../limits.ts';
import { acceptedHosts, hostCheck } from '../listen-address.ts';
import { mountOf } from '../mount.ts';
import { createSlots } from '../slots.ts';
import { consolePath } from './page-frame.ts';
import { operatorRoutes, type ConsoleSource } from './routes.ts';

/** Options of a server that has nothing but the console. */
export interface ConsoleServerOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly approvals: ApprovalsSource;
  readonly console: ConsoleSource;
  readonly limits?: Partial<Limits>;
  readonly clock: Clock;
  readonly log: ServerLogger;
}

/** A listening server with the console. */
export interface ConsoleServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const host = '127.0.0.1';

/**
 * Serves the console to this machine only.
 * @throws Error when the port can't be bound.
 */
export async function startConsoleServer({
  port,
  approvals,
  console,
  limits: given,
  clock,
  log,
}: ConsoleServerOptions): Promise<ConsoleServer> {
  const limits = { ...defaultLimits, ...given };
  const slots = createSlots(limits, identityLimits(limits, false));
  const accepted = acceptedHosts({ host, allowedHosts: [], allowedOrigins: [] });
  const httpHost = await startHost({
    host,
    port,
    limits,
    log,
    routes: operatorRoutes({
      approvals,
      console,
      rejectUnknownHost: hostCheck(accepted, 'use the address that it prints', log),
      base: mountOf(undefined).base,
      slots,
      clock,
      log,
    }),
  });
  return { url: `http://${host}:${httpHost.port}${consolePath}`, close: () => httpHost.drain() };
}
