import { LRUCache } from 'lru-cache';
import { repeated } from '../../contract/index.ts';
import { errorResponse } from './error-response.ts';
import type { Restriction } from './caller.ts';
import { chooseToolsets, toolsetsQuery, type OfferedToolsets } from './toolset-choice.ts';
import { withRules } from '../../server/guard/index.ts';
import { dependenciesUnder, type SharedDependencies } from '../../server/protocol/index.ts';
import type { Tool } from '../../server/tool/index.ts';
import type { HttpRequest } from './http-request.ts';

/**
 * Number of restrictions whose tool lists are cached. Requests choose their toolsets freely, so other lists are built
 * again when needed.
 */
const mostKept = 128;

/**
 * The server's dependencies under a caller's restriction. Counters and caches stay shared, so that a stricter
 * restriction can't be used to get around a limit. The tool list of each restriction is cached until many others have
 * been used.
 * @param tools those of the base, which are offered unless a request chooses.
 * @param choosable those that a request can choose. Default: the same.
 */
export function restrictedDependencies(
  base: SharedDependencies,
  tools: readonly Tool[],
  choosable: readonly Tool[] = tools,
): (restriction: Restriction) => SharedDependencies {
  const cache = new LRUCache<string, SharedDependencies>({ max: mostKept });
  return ({ name, rules, choice }) => {
    if (rules.length === 0 && !choice) return base;
    const cached = cache.get(name);
    if (cached) return cached;
    const policy = rules.reduce(withRules, base.policy);
    const [chosen, others] = choice
      ? [
          choosable.filter((tool) => choice.tools.has(tool.name)),
          choosable.filter((tool) => !choice.tools.has(tool.name)),
        ]
      : [tools, []];
    const dependencies = dependenciesUnder(
      base,
      chosen,
      policy,
      new Map(others.map((tool) => [tool.name, { tool, why: choice!.leavesOutOthers }])),
    );
    cache.set(name, dependencies);
    return dependencies;
  };
}

/** Header and query parameter by which a request restricts itself to reads. */
const readOnlyHeader = 'X-Infra-Read-Only';
const readOnlyQuery = 'read_only';

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** No rules beyond the operator's policy. */
export const unrestricted: Restriction = { name: '', rules: [] };

/** Adds read-only mode to a restriction. @param setBy the place where it is set, for the text of denials. */
export const addReadOnly = ({ name, rules, ...others }: Restriction, setBy: string): Restriction => ({
  ...others,
  name: `${name}+read-only`,
  rules: [...rules, { readOnly: setBy, deny: [], freezes: [] }],
});

const queryNames = [readOnlyQuery, toolsetsQuery];

/**
 * The restriction of a request: the caller's own, plus read-only mode and toolsets if the request sets them. A request
 * can only narrow its rights. Unknown parameters and invalid values get 400: if they were ignored, more would be
 * allowed than the client intended.
 */
export function requestRestriction(
  request: HttpRequest,
  own: Restriction,
  toolsets: OfferedToolsets,
): Restriction | Response {
  const { headers, url } = request;
  const { searchParams: query } = new URL(url);
  const unknown = [...query.keys()].find((name) => !queryNames.includes(name));
  if (unknown !== undefined)
    return errorResponse({
      status: 400,
      message: `Unknown query parameter "${repeated(unknown)}". There are: ${queryNames.join(', ')}.`,
    });
  const values = [headers.get(readOnlyHeader), ...query.getAll(readOnlyQuery)].filter((value) => value !== null);
  if (values.some((value) => !Object.hasOwn(booleans, value))) {
    return errorResponse({ status: 400, message: `${readOnlyHeader} and ${readOnlyQuery} are "true" or "false".` });
  }
  return chooseToolsets(
    request,
    values.some((value) => booleans[value]) ? addReadOnly(own, 'the request itself') : own,
    toolsets,
  );
}
