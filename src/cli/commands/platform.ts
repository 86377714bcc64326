import type { Config } from '../config/index.ts';
import { isLoopback } from '../../transport/index.ts';
import { loadFaults } from '../../platform/testing/index.ts';
import { alreadyServedError, claimRecords } from '../wiring/data-dir-claim.ts';
import { requireWritable } from '../wiring/written-places.ts';
import { withProgress } from '../terminal/progress.ts';
import { createLog } from '../wiring/log.ts';
import { listeningOn } from '../wiring/listen-error.ts';
import { readOrCreateToken, readToken } from '../wiring/secret-file.ts';
import { startEmbeddedPlatform } from '../wiring/embedded-connection.ts';
import { openClusters } from '../wiring/real-clusters.ts';
import { openTelemetry } from '../wiring/telemetry.ts';
import { serviceManager, type ServiceManager } from '../systemd/service-manager.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import { untilStopped } from '../wiring/until-stopped.ts';

/**
 * `infra-mcp platform`: serves the platform until a signal stops it. When it is ready, prints one line of JSON on
 * stdout: its URL, its token unless it is known or in a token file, the ids of the seed if there is one, the URL and
 * token of the test control, and the URL of its metrics.
 * @throws Error if the data directory is in use, the database can't be used, the fault rules are invalid, or the
 *   address can't be bound; at the end, if a newer version has changed the database.
 */
export async function platformCommand(config: Config): Promise<void> {
  const { faultsFile } = config;
  const log = createLog(config.logLevel);
  const manager = serviceManager(log);
  // What the options name is read before anything is made.
  const faults = faultsFile === undefined ? [] : await loadFaults(faultsFile);
  if (config.tokenFile !== undefined) await readToken(config.tokenFile);
  const clusters = await openClusters(config);
  try {
    await serve(config, log, { manager, faults, clusters });
  } finally {
    await clusters?.close();
  }
}

/** Serves until a signal stops it. The clusters stay open. */
async function serve(
  config: Config,
  log: ServerLogger,
  {
    manager,
    faults,
    clusters,
  }: {
    readonly manager: ServiceManager;
    readonly faults: Awaited<ReturnType<typeof loadFaults>>;
    readonly clusters: Awaited<ReturnType<typeof openClusters>>;
  },
): Promise<void> {
  const { dataDir, host, port, control, steppedTime, randomSeed } = config;
  const stopped = untilStopped();
  requireWritable({ ...(config.databaseUrl === undefined && { dataDir }), keysDir: config.keysDir });
  const claim = await claimRecords(config);
  if (!claim) throw await alreadyServedError(dataDir, 'Use that one, stop it, or give another --data-dir.');
  if (!isLoopback(host))
    log.warn({ host }, 'other machines can reach this platform, and its tokens cross the network unencrypted');
  const configuredToken = config.tokenFile === undefined ? config.token : await readOrCreateToken(config.tokenFile);
  const overrides = {
    host,
    port,
    token: configuredToken,
    control,
    steppedTime,
    randomSeed,
    faults,
    ...(clusters && { realClusters: clusters.realClusters }),
  };
  const embedded = await withProgress('Starting the platform', () =>
    listeningOn({ host, port }, () => startEmbeddedPlatform(claim, config, log, overrides)),
  );
  const { url, token, organizationId, seed, control: testControl } = embedded.platform;
  const telemetry = await openTelemetry(config, ['engine'], log);
  const metricsUrl = await telemetry
    .serve({ engine: () => embedded.platform.statistics() })
    .catch(async (error: unknown) => {
      await embedded.close();
      throw error;
    });
  // Standard output ends up in logs, so a token with its own file stays there.
  const ready = {
    url,
    token: config.tokenFile === undefined ? token : null,
    token_file: config.tokenFile,
    organization_id: organizationId,
    seed,
    metrics_url: metricsUrl,
  };
  process.stdout.write(
    `${JSON.stringify({ ...ready, ...(testControl && { control_url: testControl.url, control_token: testControl.token }) })}\n`,
  );
  await manager.ready();
  const failure = await Promise.race([stopped, embedded.platform.unusable]);
  await manager.stopping();
  await telemetry.close();
  await embedded.close();
  if (failure) throw failure;
}
