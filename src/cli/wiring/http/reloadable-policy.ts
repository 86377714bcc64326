import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import type { Config } from '../../config/read-config.ts';
import type { Policy } from '../../../server/guard/policy/policy.ts';
import { dependenciesUnder, type SharedDependencies } from '../../../server/protocol/shared-dependencies.ts';
import type { Tool } from '../../../server/tool/tool.ts';
import type { Restriction } from '../../../transport/http/caller.ts';
import { restrictedDependencies } from '../../../transport/http/restricted-dependencies.ts';
import { configuredPolicy } from '../policy.ts';

/** The operator's policy, which may be read again while the server runs. */
export interface ReloadablePolicy {
  /** What callers held to this are served with. */
  readonly dependencies: (restriction: Restriction) => SharedDependencies;
  /** The same as long as the policy is. */
  readonly version: () => string;
  /** Reads the policy again, and gives what puts it in place. */
  readonly prepareReload: () => Promise<() => void>;
}

const policyVersionOf = async ({ policyFile }: Config): Promise<string> =>
  policyFile === undefined ? '' : createHash('sha256').update(await readFile(policyFile)).digest('base64url');

/**
 * Reads the policy.
 * @param tools that are offered.
 * @param create makes the parts under a policy; called once, so that what they remember survives a new policy.
 * @throws Error that says what is wrong with the policy.
 */
export async function openReloadablePolicy(config: Config, tools: readonly Tool[], create: (policy: Policy) => SharedDependencies): Promise<ReloadablePolicy> {
  const base = create(await configuredPolicy(config));
  const under = (policy: Policy): SharedDependencies => dependenciesUnder(base, tools, policy);
  let current = { parts: restrictedDependencies(base, tools), version: await policyVersionOf(config) };
  return {
    dependencies: (restriction) => current.parts(restriction),
    version: () => current.version,
    prepareReload: async () => {
      const version = await policyVersionOf(config);
      if (version === current.version) return () => undefined;
      const next = { parts: restrictedDependencies(under(await configuredPolicy(config)), tools), version };
      return () => void (current = next);
    },
  };
}
