import manifest from '../../../package.json' with { type: 'json' };
import type { Config } from '../config/read-config.ts';
import type { ServerLogger } from '../../server/context/call-context.ts';
import type { Policy } from '../../server/guard/policy/policy.ts';
import { createDependencies, type SharedDependencies } from '../../server/protocol/shared-dependencies.ts';
import type { Texts } from '../../server/browse/texts.ts';
import { openNameResolver } from './name-resolver.ts';
import type { Connection } from './connection.ts';
import { openGuard } from './guard.ts';
import { offeredTools, toolsLeftOut } from './offered-tools.ts';

/** What carries requests out, opened. */
export interface OpenDependencies {
  readonly dependencies: SharedDependencies;
  /** Writes what is yet to be written. */
  readonly close: () => Promise<void>;
}

/**
 * Opens what carries requests out.
 * @throws Error when the options choose tools that there aren't.
 */
export function openDependencies(config: Config, given: { readonly policy: Policy; readonly connection: Connection; readonly texts: Texts; readonly log: ServerLogger }): OpenDependencies {
  const { policy, connection: { connect, secrets }, texts, log } = given;
  const tools = offeredTools(config);
  const guard = openGuard(config);
  const addresses = openNameResolver(config);
  return {
    dependencies: createDependencies({ tools, otherTools: toolsLeftOut(tools), connect, secrets, log, policy, guard: guard.dependencies, resolver: addresses, texts, version: manifest.version, clock: { now: Date.now } }),
    close: async () => {
      await addresses.flush();
      await guard.close();
    },
  };
}
