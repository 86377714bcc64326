import { withOwnNames, issuesOf, lenientArguments, type Tool } from '../../src/server/tool/index.ts';

/** All issues with the arguments of a call, as it is given: under whatever names, and with numbers as text. */
export function issuesOfCall(tool: Tool, given: Readonly<Record<string, unknown>>): readonly string[] {
  const { args, issues } = withOwnNames(tool, given);
  return [...issues, ...issuesOf(tool, lenientArguments(tool, args))];
}
