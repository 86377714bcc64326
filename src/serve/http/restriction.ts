import { refuse } from './answers.ts';
import type { Restriction } from './caller.ts';

/** How a request asks for less than it may do. */
export const restrictionNames = { readOnly: { header: 'X-Infra-Read-Only', query: 'read_only' } } as const;

const { header, query } = restrictionNames.readOnly;
const truth: Readonly<Record<string, boolean>> = { true: true, false: false };

// A misspelt wish to be held back must not be overlooked.
const unknownQuery = (url: URL): Response | undefined => {
  const unknown = [...url.searchParams.keys()].find((name) => name !== query);
  return unknown === undefined ? undefined : refuse({ status: 400, message: `Unknown query parameter "${unknown}". There is: ${query}.` });
};

/**
 * What a request is held to: what its caller is held to anyway, and what it asks for itself. It can only ask for less.
 * Wishes that can't be understood are answered, never overlooked.
 */
export function restrictionOf(request: Request, own: Restriction): Restriction | Response {
  const url = new URL(request.url);
  const wishes = [request.headers.get(header), ...url.searchParams.getAll(query)].filter((wish) => wish !== null);
  const strange = wishes.find((wish) => !Object.hasOwn(truth, wish));
  if (strange !== undefined) return refuse({ status: 400, message: `${header} and ${query} are true or false.` });
  return unknownQuery(url) ?? { readOnly: own.readOnly || wishes.some((wish) => truth[wish]) };
}
