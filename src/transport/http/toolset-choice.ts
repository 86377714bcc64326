import { repeated } from '../../contract/index.ts';
import { nearestName } from '../../server/tool/index.ts';
import { errorResponse } from './error-response.ts';
import type { Restriction } from './caller.ts';
import type { HttpRequest } from './http-request.ts';

/** Header and query parameter with which a request chooses toolsets. */
const toolsetsHeader = 'X-Infra-Toolsets';
export const toolsetsQuery = 'toolsets';

/** The names of the tools that the server offers, by toolset. */
export type OfferedToolsets = Readonly<Record<string, readonly string[]>>;

/** The toolsets that a header or the query names: the request sees the tools of any of them. */
interface NamedToolsets {
  readonly place: string;
  readonly names: readonly string[];
}

const namesIn = (values: readonly string[]): readonly string[] =>
  [
    ...new Set(
      values
        .flatMap((value) => value.split(','))
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ].toSorted();

const namedIn = ({ headers, url }: HttpRequest): readonly NamedToolsets[] => {
  const header = headers.get(toolsetsHeader);
  const query = new URL(url).searchParams.getAll(toolsetsQuery);
  return [
    ...(header === null ? [] : [{ place: toolsetsHeader, names: namesIn([header]) }]),
    ...(query.length === 0 ? [] : [{ place: toolsetsQuery, names: namesIn(query) }]),
  ];
};

function faultIn({ place, names }: NamedToolsets, toolsets: OfferedToolsets): string | undefined {
  const known = Object.keys(toolsets);
  const list = `There are: ${known.join(', ')}.`;
  if (names.length === 0) return `${place} names no toolset. ${list} Leave it out for every tool that is offered.`;
  const unknown = names.find((name) => !Object.hasOwn(toolsets, name));
  if (unknown === undefined) return undefined;
  const near = nearestName(unknown, known);
  return `${place}: there is no toolset "${repeated(unknown)}"${near ? `; did you mean "${near}"?` : '.'} ${list}`;
}

/**
 * Narrows a restriction to the toolsets that a request chooses, if it does. Where both header and query choose, a tool
 * has to be in both choices, so that a proxy's choice in one can't be widened in the other.
 * @returns the response with 400 for unknown names, or for a choice that leaves no tool.
 */
export function chooseToolsets(
  request: HttpRequest,
  own: Restriction,
  toolsets: OfferedToolsets,
): Restriction | Response {
  const named = namedIn(request);
  if (named.length === 0) return own;
  const fault = named.map((one) => faultIn(one, toolsets)).find((one) => one !== undefined);
  if (fault !== undefined) return errorResponse({ status: 400, message: fault });
  const choices = named.map(({ names }) => names.flatMap((name) => toolsets[name]!));
  const chosen = new Set(choices.flat().filter((tool) => choices.every((choice) => choice.includes(tool))));
  // The same toolsets are one choice, in whatever order and place they are named.
  const lists = [...new Set(named.map(({ names }) => names.join(', ')))].toSorted();
  if (chosen.size === 0) {
    const offering = Object.entries(toolsets).flatMap(([name, tools]) => (tools.length > 0 ? [name] : []));
    return errorResponse({
      status: 400,
      message: `No tool is left: this server offers none in ${lists.join(' that is also in ')}. It offers tools in ${offering.join(', ')}.`,
    });
  }
  return {
    ...own,
    name: `${own.name}+toolsets(${lists.join('&')})`,
    choice: {
      tools: chosen,
      leavesOutOthers: `the client's connection chooses only toolsets (${lists.join(' within ')}) without it`,
    },
  };
}
