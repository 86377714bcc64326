import { join } from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import type { Config } from '../config/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import { handoverInFiles, type Policy, type WaitingWebhook } from '../../server/guard/index.ts';
import { createDependencies, type SharedDependencies } from '../../server/protocol/index.ts';
import type { Texts } from '../../server/browse/index.ts';
import { openNameResolver } from './name-resolver.ts';
import type { Connection } from './connection.ts';
import { openGuard } from './guard.ts';
import type { Telemetry } from './telemetry.ts';
import { offeredTools, toolsLeftOut } from './offered-tools.ts';

/** The server's dependencies, with a function to close them. */
export interface OpenDependencies {
  readonly dependencies: SharedDependencies;
  /** The number of calls that wait for the operator. */
  readonly approvalsWaiting: () => Promise<number>;
  /** Flushes pending writes and closes the files. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the server's dependencies.
 * @throws Error if the options name unknown tools.
 */
export function openDependencies(
  config: Config,
  services: {
    readonly policy: Policy;
    readonly connection: Connection;
    readonly texts: Texts;
    readonly log: ServerLogger;
    readonly webhook?: WaitingWebhook;
    readonly telemetry: Telemetry;
  },
): OpenDependencies {
  const {
    policy,
    connection: { connect, secrets },
    texts,
    log,
    webhook,
    telemetry,
  } = services;
  const tools = offeredTools(config);
  const guard = openGuard(config, { webhook, observer: telemetry.approvals });
  const resolver = openNameResolver(config);
  return {
    dependencies: createDependencies({
      tools,
      otherTools: toolsLeftOut(tools),
      connect,
      secrets,
      log,
      policy,
      guard: guard.dependencies,
      handover: handoverInFiles(join(config.dataDir, 'handed-over')),
      resolver,
      texts,
      version: manifest.version,
      clock: { now: Date.now },
      observer: telemetry.calls,
    }),
    approvalsWaiting: guard.waiting,
    close: async () => {
      await resolver.close();
      await guard.close();
    },
  };
}
