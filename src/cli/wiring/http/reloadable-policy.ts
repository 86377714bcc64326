import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import type { Config } from '../../config/index.ts';
import type { Policy } from '../../../server/guard/index.ts';
import { dependenciesUnder, type SharedDependencies } from '../../../server/protocol/index.ts';
import type { Tool } from '../../../server/tool/index.ts';
import { restrictedDependencies, type Restriction } from '../../../transport/index.ts';
import { serverPolicy } from '../policy.ts';

/** The operator's policy, which can be reloaded while the server runs. */
export interface ReloadablePolicy {
  /** The server's dependencies under the policy and a caller's restriction. */
  readonly dependencies: (restriction: Restriction) => SharedDependencies;
  /** Changes whenever the policy does. */
  readonly version: () => string;
  /** Rereads the policy. @returns a function that applies it. */
  readonly prepareReload: () => Promise<() => void>;
}

const policyVersionOf = async ({ policyFile }: Config): Promise<string> =>
  policyFile === undefined
    ? ''
    : createHash('sha256')
        .update(await readFile(policyFile))
        .digest('base64url');

/**
 * Loads the policy.
 * @param tools the offered tools, and those that requests can choose.
 * @param create creates the dependencies under a policy. Called once, so that their state survives a reload.
 * @throws Error that says what is wrong with the policy.
 */
export async function openReloadablePolicy(
  config: Config,
  { offered, choosable }: { readonly offered: readonly Tool[]; readonly choosable: readonly Tool[] },
  create: (policy: Policy) => SharedDependencies,
): Promise<ReloadablePolicy> {
  const base = create(await serverPolicy(config));
  const under = (policy: Policy): SharedDependencies => dependenciesUnder(base, offered, policy);
  const restricted = (dependencies: SharedDependencies) => restrictedDependencies(dependencies, offered, choosable);
  let current = { dependencies: restricted(base), version: await policyVersionOf(config) };
  return {
    dependencies: (restriction) => current.dependencies(restriction),
    version: () => current.version,
    prepareReload: async () => {
      const version = await policyVersionOf(config);
      if (version === current.version) return () => undefined;
      const next = { dependencies: restricted(under(await serverPolicy(config))), version };
      return () => void (current = next);
    },
  };
}
