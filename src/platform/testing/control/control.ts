import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gate } from '../../api/gate.ts';
import { prepareReplacement, prepareRestore, type Replacement } from '../../store/replacement.ts';
import type { Vault } from '../../store/vault.ts';
import type { PlatformServices } from '../../platform-services.ts';
import { type ControlServerDependencies, controlPrefix, createControlServer, createControlToken } from './server.ts';

/** What is stopped while records are exchanged, and started on the new ones. */
export interface ReplacementOptions {
  readonly gate: Gate;
  /** Stops whatever works on the records. */
  readonly stop: () => Promise<void>;
  /** Starts it on what is there now. */
  readonly start: () => Promise<void>;
}

/**
 * Puts records in place while the platform serves: requests in hand are answered first, others wait. Where that fails,
 * it goes on with the records it had.
 */
async function applyReplacement(prepared: Promise<Replacement>, { gate, stop, start }: ReplacementOptions): Promise<void> {
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
  /** Takes a request over where it is for them. */
  readonly divert: (request: IncomingMessage, response: ServerResponse) => boolean;
  close(): Promise<void>;
}

/** What control is taken of. */
export interface ControlDependencies extends Pick<ControlServerDependencies, 'dataDir' | 'clock' | 'timeScale' | 'stepping' | 'faults' | 'log'> {
  readonly vault: Vault;
  readonly gate: Gate;
  readonly services: PlatformServices;
}

const isForControl = (url = ''): boolean => url === controlPrefix || url.startsWith(`${controlPrefix}/`) || url.startsWith(`${controlPrefix}?`);

/** Opens the control endpoints, with a token made just now. */
export async function openControl({ vault, gate, services: work, ...parts }: ControlDependencies): Promise<Control> {
  const { dataDir } = parts;
  const token = createControlToken();
  const exchange = {
    gate,
    stop: work.stop,
    start: async () => {
      await work.start();
      await work.current().engine.start();
    },
  };
  const app = createControlServer({
    ...parts,
    token,
    settled: () => work.current().engine.settled(),
    restore: (name) => applyReplacement(prepareRestore(dataDir, name, vault), exchange),
    reset: () => applyReplacement(prepareReplacement(dataDir, work.seedDirectory), exchange),
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
