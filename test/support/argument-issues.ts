import { withOwnNames } from '../../src/server/tool/argument-names.ts';
import { issuesOf } from '../../src/server/tool/arguments.ts';
import { lenientArguments } from '../../src/server/tool/lenient-arguments.ts';
import type { Tool } from '../../src/server/tool/tool.ts';

/** All issues with the arguments of a call, as it is given: under whatever names, and with numbers as text. */
export function issuesOfCall(tool: Tool, given: Readonly<Record<string, unknown>>): readonly string[] {
  const { args, issues } = withOwnNames(tool, given);
  return [...issues, ...issuesOf(tool, lenientArguments(tool, args))];
}
