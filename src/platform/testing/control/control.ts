import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gate } from '../../api/index.ts';
import type { Engine } from '../../engine/index.ts';
import { prepareReplacement, prepareRestore, type Replacement, type Vault } from '../../store/index.ts';
import { type ControlServerDependencies, controlPrefix, createControlServer, createControlToken } from './server.ts';

/** Stops and starts the services around a replacement of the records. */
export interface ReplacementOptions {
  readonly gate: Gate;
  /** Stops the services that work on the records. */
  readonly stop: () => Promise<void>;
  /** Starts them on the current records. */
  readonly start: () => Promise<void>;
}

/**
 * Replaces the records of a running platform: pending requests are answered first, new ones wait. If the replacement
 * fails, the platform continues with its old records.
 */
async function applyReplacement(
  prepared: Promise<Replacement>,
  { gate, stop, start }: ReplacementOptions,
): Promise<void> {
  const replacement = await prepared;
  try {
    await gate.whileClosed(async () => {
      await stop();
      try {
        await replacement.commit();
      } finally {
        await start();
      }
    });
  } finally {
    await replacement.discard();
  }
}

/** The control endpoints of a running platform. */
export interface Control {
  /** The value of their token. */
  readonly token: string;
  /** Handles a request to a control endpoint. Returns false for any other request. */
  readonly divert: (request: IncomingMessage, response: ServerResponse) => boolean;
  close(): Promise<void>;
}

/** The services that a restore or a reset restarts. */
export interface RestartableServices {
  readonly current: () => { readonly engine: Pick<Engine, 'start' | 'settled'> };
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Creates a database in another, empty directory and seeds it like that of a new platform. */
  readonly seedDirectory: (directory: string) => Promise<void>;
}

/** The platform under control. */
export interface ControlDependencies extends Pick<
  ControlServerDependencies,
  'dataDir' | 'isShared' | 'clock' | 'timeScale' | 'stepping' | 'faults' | 'log'
> {
  readonly vault: Vault;
  readonly gate: Gate;
  readonly services: RestartableServices;
}

const isForControl = (url = ''): boolean =>
  url === controlPrefix || url.startsWith(`${controlPrefix}/`) || url.startsWith(`${controlPrefix}?`);

/** Creates the control endpoints, with a new token. */
export async function openControl({ vault, gate, services, ...dependencies }: ControlDependencies): Promise<Control> {
  const { dataDir } = dependencies;
  const token = createControlToken();
  const options: ReplacementOptions = {
    gate,
    stop: services.stop,
    start: async () => {
      await services.start();
      await services.current().engine.start();
    },
  };
  const app = createControlServer({
    ...dependencies,
    token,
    settled: () => services.current().engine.settled(),
    restore: (name) => applyReplacement(prepareRestore(dataDir, name, vault), options),
    reset: () => applyReplacement(prepareReplacement(dataDir, services.seedDirectory), options),
  });
  await app.ready();
  return {
    token: token.value,
    divert: (request, response) => {
      if (!isForControl(request.url)) return false;
      app.routing(request, response);
      return true;
    },
    close: () => app.close(),
  };
}
