import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gate } from '../../api/gate.ts';
import { prepareReplacement, prepareRestore } from '../../store/replace.ts';
import type { Vault } from '../../store/vault.ts';
import type { Work } from '../../work.ts';
import { exchangeRecords } from './records.ts';
import { type ControlParts, controlPrefix, createControl } from './server.ts';
import { createControlToken } from './token.ts';

/** The control endpoints of a running platform. */
export interface Control {
  /** The value of their token. */
  readonly token: string;
  /** Takes a request over where it is for them. */
  readonly divert: (request: IncomingMessage, response: ServerResponse) => boolean;
  close(): Promise<void>;
}

/** What control is taken of. */
export interface Controlled extends Pick<ControlParts, 'dataDir' | 'clock' | 'timeScale' | 'stepping' | 'faults' | 'log'> {
  readonly vault: Vault;
  readonly gate: Gate;
  readonly work: Work;
}

const isForControl = (url = ''): boolean => url === controlPrefix || url.startsWith(`${controlPrefix}/`) || url.startsWith(`${controlPrefix}?`);

/** Opens the control endpoints, with a token made just now. */
export async function openControl({ vault, gate, work, ...parts }: Controlled): Promise<Control> {
  const { dataDir } = parts;
  const token = createControlToken();
  const exchange = {
    gate,
    stop: work.end,
    start: async () => {
      await work.begin();
      await work.now().engine.start();
    },
  };
  const app = createControl({
    ...parts,
    token,
    settled: () => work.now().engine.settled(),
    restore: (name) => exchangeRecords(prepareRestore(dataDir, name, vault), exchange),
    reset: () => exchangeRecords(prepareReplacement(dataDir, work.fillWithSeed), exchange),
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
