import { repeated } from '../../contract/index.ts';
import { errorResponse } from './error-response.ts';
import type { Restriction } from './caller.ts';
import { chooseToolsets, toolsetsQuery, type OfferedToolsets } from './toolset-choice.ts';

/** Header and query parameter by which a request restricts itself to reads. */
export const readOnlyHeader = 'X-Infra-Read-Only';
export const readOnlyQuery = 'read_only';

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** No rules beyond the operator's policy. */
export const unrestricted: Restriction = { name: '', rules: [] };

/** Adds read-only mode to a restriction. @param setBy where it is set, for the text of denials. */
export const addReadOnly = ({ name, rules, ...others }: Restriction, setBy: string): Restriction => ({
  ...others,
  name: `${name}+read-only`,
  rules: [...rules, { readOnly: setBy, deny: [], freezes: [] }],
});

const queryNames = [readOnlyQuery, toolsetsQuery];

/**
 * The restriction of a request: the caller's own, plus read-only mode and toolsets if the request asks for them. A request can only
 * narrow its rights. Unknown parameters and invalid values get 400: if they were ignored, more would be allowed than the client intended.
 */
export function requestRestriction(request: Request, own: Restriction, toolsets: OfferedToolsets): Restriction | Response {
  const { headers, url } = request;
  const { searchParams: query } = new URL(url);
  const unknown = [...query.keys()].find((name) => !queryNames.includes(name));
  if (unknown !== undefined) return errorResponse({ status: 400, message: `Unknown query parameter "${repeated(unknown)}". There are: ${queryNames.join(', ')}.` });
  const values = [headers.get(readOnlyHeader), ...query.getAll(readOnlyQuery)].filter((value) => value !== null);
  if (values.some((value) => !Object.hasOwn(booleans, value))) {
    return errorResponse({ status: 400, message: `${readOnlyHeader} and ${readOnlyQuery} are "true" or "false".` });
  }
  return chooseToolsets(request, values.some((value) => booleans[value]) ? addReadOnly(own, 'the request itself') : own, toolsets);
}
