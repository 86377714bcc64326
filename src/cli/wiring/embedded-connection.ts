import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { Config } from '../config/read-config.ts';
import { operations } from '../../contract/operations.ts';
import type { ServerLogger } from '../../server/context/call-context.ts';
import { type DataDirClaim, claimDataDir, endpointOf } from './data-dir-claim.ts';
import type { Connection } from './connection.ts';
import { connectEmbedded, type EmbeddedClient } from './embedded-client.ts';
import { startEmbeddedPlatform, type EmbeddedPlatform } from './embedded-platform.ts';

// How long another process may take to start the platform, and how often it is looked for, in milliseconds.
const startTimeout = 15_000;
const pollInterval = 50;

const unavailableError = (dataDir: string, cause: Error): Error =>
  new Error(
    `There is no embedded platform of ${dataDir}: ${cause.message.replace(/\.?$/, '.')} Set INFRA_DATA_DIR to another directory, or end the process that uses this one.`,
    { cause },
  );

/** Whether a call failed because nothing was there to take it, so that it can safely be made again. */
const isSafeToRepeat = (error: unknown): boolean => error instanceof ApiError && error.kind === 'unreachable' && !error.outcomeUnknown;

/**
 * The way to the embedded platform of a data directory. The first process that calls serves it; the others use that
 * one's, and when it has ended, the next to call takes over.
 */
export function embeddedConnection(config: Config, log: ServerLogger): Connection {
  const { dataDir } = config;
  const links: EmbeddedClient[] = [];
  let serving: EmbeddedPlatform | undefined;
  let link: EmbeddedClient | undefined;
  let linking: Promise<EmbeddedClient> | undefined;

  const relink = async (url: string): Promise<EmbeddedClient> => {
    link = await connectEmbedded(url, { ...config, log });
    links.push(link);
    return link;
  };

  const serveHere = async (claimed: DataDirClaim): Promise<EmbeddedClient> => {
    serving = await startEmbeddedPlatform(claimed, config, log);
    log.info({ dataDir, url: serving.platform.url }, 'serving the embedded platform');
    return relink(serving.platform.url);
  };

  /** The link to the platform of the process that has the directory; undefined while it isn't ready. */
  const join = async (): Promise<EmbeddedClient | undefined> => {
    const endpoint = await endpointOf(dataDir);
    if (!endpoint) return undefined;
    return link?.url === endpoint.url ? link : relink(endpoint.url);
  };

  const find = async (until: number): Promise<EmbeddedClient> => {
    for (;;) {
      const claimed = await claimDataDir(dataDir);
      if (claimed) return serveHere(claimed);
      const found = await join().catch((error: Error) => error);
      if (found && !(found instanceof Error)) {
        if (config.scenario) log.warn({ dataDir, scenario: config.scenario }, 'another process serves this directory: a scenario that it does not hold is put on when this one begins to serve it');
        return found;
      }
      // The one that has it may be just starting, or just ending.
      if (Date.now() > until) throw found ?? new Error('Another process has claimed it, but serves no platform.');
      await pause(pollInterval);
    }
  };

  const open = (): Promise<EmbeddedClient> =>
    find(Date.now() + startTimeout).catch((error: Error) => {
      throw unavailableError(dataDir, error);
    });

  const current = async (): Promise<EmbeddedClient> => (serving && link) ?? (linking ??= open().finally(() => (linking = undefined)));

  /** Outlives the process that serves: a call that reached nobody is made once more, to whoever serves then. */
  const client: Client = {
    call: async (operation, input, options) => {
      const used = await current();
      // Whoever asks first what the greeting told is not to pay for it twice.
      const greeting = operation === operations.get_organization && options?.credential === undefined ? used.takeOrganization() : undefined;
      if (greeting !== undefined) return greeting as never;
      try {
        return await used.client.call(operation, input, options);
      } catch (error) {
        if (!isSafeToRepeat(error)) throw error;
        if (link === used) link = undefined;
        return (await current()).client.call(operation, input, options);
      }
    },
    budget: (credential) => link?.client.budget(credential),
    lacks: (operation) => link?.client.lacks(operation) ?? false,
    close: async () => {
      await linking?.catch(() => undefined);
      await Promise.all(links.map((one) => one.client.close()));
      await serving?.close();
    },
  };

  return {
    connect: async () => {
      await current();
      return { client };
    },
    secrets: () => links.map(({ token }) => token),
    close: () => client.close(),
  };
}
