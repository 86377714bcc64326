import { withRules } from '../../server/guard/policy/policy.ts';
import { dependenciesUnder, type SharedDependencies } from '../../server/protocol/shared-dependencies.ts';
import type { Tool } from '../../server/tool/tool.ts';
import type { Restriction } from './caller.ts';

/**
 * Gives the parts for callers held to more than the operator's policy. Whatever counts or remembers stays shared, so
 * that nobody gains by asking for less. The tools of each restriction are listed once.
 */
export function restrictedDependencies(base: SharedDependencies, tools: readonly Tool[]): (restriction: Restriction) => SharedDependencies {
  const known = new Map<string, SharedDependencies>();
  return ({ name, rules }) => {
    if (rules.length === 0) return base;
    const before = known.get(name);
    if (before) return before;
    const parts = dependenciesUnder(base, tools, rules.reduce(withRules, base.policy));
    known.set(name, parts);
    return parts;
  };
}
