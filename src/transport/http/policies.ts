import { tighten } from '../../server/guard/policy.ts';
import { partsUnder, type Parts } from '../../server/protocol/parts.ts';
import type { Tool } from '../../server/tool/tool.ts';
import type { Restriction } from './caller.ts';

/**
 * Gives the parts for callers held to more than the operator's policy. Whatever counts or remembers stays shared, so
 * that nobody gains by asking for less. The tools of each restriction are listed once.
 */
export function tightened(base: Parts, tools: readonly Tool[]): (restriction: Restriction) => Parts {
  const known = new Map<string, Parts>();
  return ({ name, rules }) => {
    if (rules.length === 0) return base;
    const before = known.get(name);
    if (before) return before;
    const parts = partsUnder(base, tools, rules.reduce(tighten, base.policy));
    known.set(name, parts);
    return parts;
  };
}
