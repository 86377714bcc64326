import { core, coreName, tools } from '../../../tools/index.ts';
import { optionHelp, type Config } from '../config/index.ts';
import type { LeftOut } from '../../server/guard/index.ts';
import { nearestName, toolsets, type Tool } from '../../server/tool/index.ts';

type ToolOption = 'toolsets' | 'tools' | 'excludeTools';

/** The flag and environment variable of an option, for error texts. */
function optionLabel(name: ToolOption): string {
  const { env, flag } = optionHelp.find((option) => option.name === name)!;
  return `${flag} (${env})`;
}

const groups: Readonly<Record<string, readonly Tool[]>> = {
  [coreName]: core,
  ...Object.fromEntries(toolsets.map((name) => [name, tools.filter(({ toolset }) => toolset === name)])),
};

/** Names of all toolsets. */
export const groupNames: readonly string[] = Object.keys(groups);

/** Names of all tools. */
export const toolNames: readonly string[] = tools.map(({ name }) => name);

function unknownNames(
  option: ToolOption,
  what: string,
  names: readonly string[] = [],
  known: readonly string[],
): string[] {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearestName(name, known);
      return `${optionLabel(option)}: there is no ${what} "${name}"; ${near ? `did you mean "${near}"?` : `there are ${known.join(', ')}.`}`;
    });
}

/**
 * The tools that the options select, in their usual order.
 * @throws Error that names every unknown tool or toolset, or says that no tool is left.
 */
export function offeredTools({
  toolsets: chosen,
  tools: single,
  excludeTools,
}: Pick<Config, ToolOption>): readonly Tool[] {
  const faults = [
    ...unknownNames('toolsets', 'toolset', chosen, groupNames),
    ...unknownNames('tools', 'tool', single, toolNames),
    ...unknownNames('excludeTools', 'tool', excludeTools, toolNames),
    ...excludeTools
      .filter((name) => single?.includes(name))
      .map(
        (name) => `${name} is in both ${optionLabel('tools')} and ${optionLabel('excludeTools')}. Remove it from one.`,
      ),
  ];
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const isChosen = (tool: Tool): boolean =>
    (chosen === undefined && single === undefined) ||
    single?.includes(tool.name) === true ||
    chosen?.some((name) => groups[name]!.includes(tool)) === true;
  const offered = tools.filter((tool) => isChosen(tool) && !excludeTools.includes(tool.name));
  if (offered.length === 0)
    throw new Error(`No tool is left to offer: ${optionLabel('excludeTools')} excludes all of them.`);
  return offered;
}

/** The tools that the options exclude. */
export const toolsLeftOut = (offered: readonly Tool[]): LeftOut =>
  new Map(
    tools.filter((tool) => !offered.includes(tool)).map(({ name }) => [name, 'whoever runs this server left it out']),
  );

/** By toolset, the names of the offered tools in it. */
export const offeredToolsets = (offered: readonly Tool[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(groups).map(([name, members]) => [
      name,
      members.filter((tool) => offered.includes(tool)).map((tool) => tool.name),
    ]),
  );
