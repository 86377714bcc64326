import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import type { Config } from '../../config/read-config.ts';
import type { Policy } from '../../../server/guard/policy.ts';
import { partsUnder, type Parts } from '../../../server/protocol/parts.ts';
import type { Tool } from '../../../server/tool/tool.ts';
import type { Restriction } from '../../../transport/http/caller.ts';
import { tightened } from '../../../transport/http/policies.ts';
import { policyOf } from '../policy.ts';

/** The operator's policy, which may be read again while the server runs. */
export interface Policies {
  /** What callers held to this are served with. */
  readonly parts: (restriction: Restriction) => Parts;
  /** The same as long as the policy is. */
  readonly version: () => string;
  /** Reads the policy again, and gives what puts it in place. */
  readonly read: () => Promise<() => void>;
}

const versionOf = async ({ policyFile }: Config): Promise<string> =>
  policyFile === undefined ? '' : createHash('sha256').update(await readFile(policyFile)).digest('base64url');

/**
 * Reads the policy.
 * @param tools that are offered.
 * @param create makes the parts under a policy; called once, so that what they remember survives a new policy.
 * @throws Error that says what is wrong with the policy.
 */
export async function openPolicies(config: Config, tools: readonly Tool[], create: (policy: Policy) => Parts): Promise<Policies> {
  const base = create(await policyOf(config));
  const under = (policy: Policy): Parts => partsUnder(base, tools, policy);
  let current = { parts: tightened(base, tools), version: await versionOf(config) };
  return {
    parts: (restriction) => current.parts(restriction),
    version: () => current.version,
    read: async () => {
      const version = await versionOf(config);
      if (version === current.version) return () => undefined;
      const next = { parts: tightened(under(await policyOf(config)), tools), version };
      return () => void (current = next);
    },
  };
}
