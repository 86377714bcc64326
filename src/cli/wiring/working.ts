import manifest from '../../../package.json' with { type: 'json' };
import type { Config } from '../config/read-config.ts';
import type { Log } from '../../server/context/context.ts';
import type { Policy } from '../../server/guard/policy.ts';
import { createParts, type Parts } from '../../server/protocol/parts.ts';
import type { Texts } from '../../server/browse/texts.ts';
import { openAddresses } from './addresses.ts';
import type { Connection } from './connection.ts';
import { openGuard } from './guard.ts';
import { offeredTools, toolsLeftOut } from './offered-tools.ts';

/** What carries requests out, opened. */
export interface Working {
  readonly parts: Parts;
  /** Writes what is yet to be written. */
  readonly close: () => Promise<void>;
}

/**
 * Opens what carries requests out.
 * @throws Error when the options choose tools that there aren't.
 */
export function openWork(config: Config, given: { readonly policy: Policy; readonly connection: Connection; readonly texts: Texts; readonly log: Log }): Working {
  const { policy, connection: { connect, secrets }, texts, log } = given;
  const tools = offeredTools(config);
  const guard = openGuard(config);
  const addresses = openAddresses(config);
  return {
    parts: createParts({ tools, otherTools: toolsLeftOut(tools), connect, secrets, log, policy, guard: guard.parts, addresses, texts, version: manifest.version, clock: { now: Date.now } }),
    close: async () => {
      await addresses.flush();
      await guard.close();
    },
  };
}
