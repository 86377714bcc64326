import { LRUCache } from 'lru-cache';
import { withRules } from '../../server/guard/index.ts';
import { dependenciesUnder, type SharedDependencies } from '../../server/protocol/index.ts';
import type { Tool } from '../../server/tool/index.ts';
import type { Restriction } from './caller.ts';

/** How many restrictions' tool lists are kept. Requests choose their toolsets freely, so the rest is built again when needed. */
const mostKept = 128;

/**
 * The server's dependencies under a caller's restriction. Counters and caches stay shared, so that a stricter restriction can't be used
 * to get around a limit. The tool list of each restriction is built once, and again after many others.
 */
export function restrictedDependencies(base: SharedDependencies, tools: readonly Tool[]): (restriction: Restriction) => SharedDependencies {
  const cache = new LRUCache<string, SharedDependencies>({ max: mostKept });
  return ({ name, rules, choice }) => {
    if (rules.length === 0 && !choice) return base;
    const cached = cache.get(name);
    if (cached) return cached;
    const policy = rules.reduce(withRules, base.policy);
    const [chosen, others] = choice ? [tools.filter((tool) => choice.tools.has(tool.name)), tools.filter((tool) => !choice.tools.has(tool.name))] : [tools, []];
    const dependencies = dependenciesUnder(base, chosen, policy, new Map(others.map((tool) => [tool.name, choice!.leavesOutOthers])));
    cache.set(name, dependencies);
    return dependencies;
  };
}
