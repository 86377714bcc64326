import { withRules } from '../../server/guard/index.ts';
import { dependenciesUnder, type SharedDependencies } from '../../server/protocol/index.ts';
import type { Tool } from '../../server/tool/index.ts';
import type { Restriction } from './caller.ts';

/**
 * The server's dependencies under a caller's restriction. Counters and caches stay shared, so that a stricter restriction can't be used
 * to get around a limit. The tool list of each restriction is built once.
 */
export function restrictedDependencies(base: SharedDependencies, tools: readonly Tool[]): (restriction: Restriction) => SharedDependencies {
  const cache = new Map<string, SharedDependencies>();
  return ({ name, rules }) => {
    if (rules.length === 0) return base;
    const cached = cache.get(name);
    if (cached) return cached;
    const dependencies = dependenciesUnder(base, tools, rules.reduce(withRules, base.policy));
    cache.set(name, dependencies);
    return dependencies;
  };
}
