import { tighten } from '../../mcp/guard/policy.ts';
import { createRegistry } from '../../mcp/registry.ts';
import type { ServerParts } from '../../mcp/server.ts';
import type { Tool } from '../../mcp/tool.ts';
import type { Restriction } from './caller.ts';

/**
 * Gives the parts for callers held to more than the operator's policy. Whatever counts or remembers stays shared, so
 * that nobody gains by asking for less. The tools of each restriction are listed once.
 */
export function tightened(base: ServerParts, tools: readonly Tool[]): (restriction: Restriction) => ServerParts {
  const known = new Map<string, ServerParts>();
  return ({ name, rules }) => {
    if (rules.length === 0) return base;
    const before = known.get(name);
    if (before) return before;
    const policy = rules.reduce(tighten, base.policy);
    const parts = { ...base, policy, registry: createRegistry(tools, policy) };
    known.set(name, parts);
    return parts;
  };
}
