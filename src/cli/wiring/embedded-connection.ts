import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type Client, type RequestObserver } from '../../client/index.ts';
import type { Config } from '../config/index.ts';
import { operations } from '../../contract/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import { claimRecords, type DataDirClaim, endpointOf } from './data-dir-claim.ts';
import { UnusablePlace } from './written-places.ts';
import type { Connection } from './connection.ts';
import { connectEmbedded, type EmbeddedClient } from './embedded-client.ts';
import { recordsPlaceOf } from './records-place.ts';
import { type PlatformOptions, type RunningPlatform, startPlatform } from '../../platform/index.ts';

/** A platform served by this process. Other processes find it through its data directory. */
export interface EmbeddedPlatform {
  readonly platform: RunningPlatform;
  close(): Promise<void>;
}

/**
 * Starts the platform of a claimed data directory and publishes its URL for other processes. The claim is released when
 * the platform closes, or if it can't be started.
 * @param overrides options that are not part of the configuration.
 */
export async function startEmbeddedPlatform(
  claim: DataDirClaim,
  config: Config,
  log: ServerLogger,
  overrides: Partial<PlatformOptions> = {},
): Promise<EmbeddedPlatform> {
  const { rateLimit, rateWindow, timeScale, allowPrivateWebhookTargets, scenario } = config;
  try {
    const platform = await startPlatform({
      ...recordsPlaceOf(config),
      rateLimit,
      rateWindowSeconds: rateWindow,
      timeScale,
      allowPrivateWebhookTargets,
      scenarios: scenario,
      log,
      ...overrides,
    });
    await claim.publish(platform.url);
    return {
      platform,
      close: async () => {
        await platform.close();
        await claim.release();
      },
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

// How long another process may take to start the platform, and how often to check for it, in milliseconds.
const startTimeout = 15_000;
const pollInterval = 50;

const unavailableError = ({ dataDir, databaseUrl }: Config, cause: Error): Error => {
  if (cause instanceof UnusablePlace) return new Error(`There is no embedded platform. ${cause.message}`, { cause });
  const [records, advice] =
    databaseUrl === undefined
      ? [` of ${dataDir}`, 'Set INFRA_DATA_DIR to another directory, or stop the process that uses this one.']
      : ['', 'The next call tries again.'];
  return new Error(`There is no embedded platform${records}: ${cause.message.replace(/\.?$/, '.')} ${advice}`, {
    cause,
  });
};

/** Whether a call never reached a platform, so that it can be repeated safely. */
const isSafeToRepeat = (error: unknown): boolean =>
  error instanceof ApiError && error.kind === 'unreachable' && !error.outcomeUnknown;

/**
 * The connection to the embedded platform of a data directory. The first process that makes a call serves the platform
 * and the others connect to it. After that process has exited, the next one to make a call takes over. If the records
 * are in a database, each process serves its own platform on them.
 */
export function embeddedConnection(config: Config, log: ServerLogger, observer?: RequestObserver): Connection {
  const { dataDir } = config;
  const clients: EmbeddedClient[] = [];
  let served: EmbeddedPlatform | undefined;
  let latest: EmbeddedClient | undefined;
  let connecting: Promise<EmbeddedClient> | undefined;
  const unusable = Promise.withResolvers<Error>();

  const connectTo = async (url: string): Promise<EmbeddedClient> => {
    latest = await connectEmbedded(url, { ...config, records: recordsPlaceOf(config), log, observer });
    clients.push(latest);
    return latest;
  };

  const serveHere = async (claim: DataDirClaim): Promise<EmbeddedClient> => {
    served ??= await startEmbeddedPlatform(claim, config, log);
    void served.platform.unusable.then(unusable.resolve);
    log.info({ dataDir, url: served.platform.url }, 'serving the embedded platform');
    return connectTo(served.platform.url);
  };

  /** Connects to the platform of the process that claimed the directory; undefined if it isn't ready yet. */
  const join = async (): Promise<EmbeddedClient | undefined> => {
    const endpoint = await endpointOf(dataDir);
    if (!endpoint) return undefined;
    return latest?.url === endpoint.url ? latest : connectTo(endpoint.url);
  };

  const find = async (deadline: number): Promise<EmbeddedClient> => {
    for (;;) {
      const claim = await claimRecords(config);
      if (claim) return serveHere(claim);
      const found = await join().catch((error: Error) => error);
      if (found && !(found instanceof Error)) {
        if (config.scenario)
          log.warn(
            { dataDir, scenario: config.scenario },
            'another process serves this directory: missing scenarios are applied when this process starts serving it',
          );
        return found;
      }
      // The process that claimed it may be starting or stopping.
      if (Date.now() > deadline) throw found ?? new Error('Another process has claimed it, but serves no platform.');
      await pause(pollInterval);
    }
  };

  const open = (): Promise<EmbeddedClient> =>
    find(Date.now() + startTimeout).catch((error: Error) => {
      throw unavailableError(config, error);
    });

  const current = async (): Promise<EmbeddedClient> =>
    (served && latest) ?? (connecting ??= open().finally(() => (connecting = undefined)));

  /** Survives the exit of the serving process: a call that reached no platform is repeated once, after reconnecting. */
  const client: Client = {
    call: async (operation, input, options) => {
      const used = await current();
      if (used.refusal) throw used.refusal;
      // The connection check has just fetched the organization, so the first call for it reuses the response.
      const organization =
        operation === operations.get_organization && options?.credential === undefined
          ? used.takeOrganization()
          : undefined;
      if (organization !== undefined) return organization as never;
      try {
        return await used.client.call(operation, input, options);
      } catch (error) {
        if (!isSafeToRepeat(error)) throw error;
        if (latest === used) latest = undefined;
        return (await current()).client.call(operation, input, options);
      }
    },
    budget: (credential) => latest?.client.budget(credential),
    lacks: (operation) => latest?.client.lacks(operation) ?? false,
    close: async () => {
      await connecting?.catch(() => undefined);
      await Promise.all(clients.map((one) => one.client.close()));
      await served?.close();
    },
  };

  return {
    connect: async () => {
      await current();
      return { client };
    },
    secrets: () => clients.map(({ token }) => token),
    engine: async () => served?.platform.statistics(),
    unusable: unusable.promise,
    close: () => client.close(),
  };
}
