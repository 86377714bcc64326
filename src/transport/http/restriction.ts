import { errorResponse } from './error-response.ts';
import type { Restriction } from './caller.ts';

/** Where a request says that it wants nothing but reads. */
export const readOnlyHeader = 'X-Infra-Read-Only';
export const readOnlyQuery = 'read_only';

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Nobody is held to anything but the operator's policy. */
export const unrestricted: Restriction = { name: '', rules: [] };

/** The same restriction, and nothing but reads. @param setBy where that is set, as denials call it. */
export const addReadOnly = ({ name, rules }: Restriction, setBy: string): Restriction => ({
  name: `${name}+read-only`,
  rules: [...rules, { readOnly: setBy, deny: [], freezes: [] }],
});

/**
 * What a request is held to: what its caller is held to anyway, and what it asks for itself. It can only ask for less.
 * Wishes that can't be understood are answered with 400: overlooked, they would leave more allowed than was wanted.
 */
export function requestRestriction({ headers, url }: Request, own: Restriction): Restriction | Response {
  const { searchParams: query } = new URL(url);
  const unknown = [...query.keys()].find((name) => name !== readOnlyQuery);
  if (unknown !== undefined) return errorResponse({ status: 400, message: `Unknown query parameter "${unknown}". There is: ${readOnlyQuery}.` });
  const wishes = [headers.get(readOnlyHeader), ...query.getAll(readOnlyQuery)].filter((wish) => wish !== null);
  if (wishes.some((wish) => !Object.hasOwn(booleans, wish))) {
    return errorResponse({ status: 400, message: `${readOnlyHeader} and ${readOnlyQuery} are "true" or "false".` });
  }
  return wishes.some((wish) => booleans[wish]) ? addReadOnly(own, 'the request itself') : own;
}
