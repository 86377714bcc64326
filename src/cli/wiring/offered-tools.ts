import { core, coreName, defaultTools, tools } from '../../../tools/index.ts';
import { optionHelp, type Config } from '../config/index.ts';
import type { LeftOut } from '../../server/guard/index.ts';
import { isOfferedByDefault, nearestName, toolsets, type Tool } from '../../server/tool/index.ts';

type ToolOption = 'toolsets' | 'tools' | 'excludeTools';

/** The flag and environment variable of an option, for error texts. */
function optionLabel(name: ToolOption): string {
  const { env, flag } = optionHelp.find((option) => option.name === name)!;
  return `${flag} (${env})`;
}

/** The name that selects every tool that is offered if nothing is chosen, used like the names of toolsets. */
const defaultName = 'default';

const groups: Readonly<Record<string, readonly Tool[]>> = {
  [coreName]: core,
  [defaultName]: defaultTools,
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

type ToolChoice = Pick<Config, ToolOption>;

/** Whether the options name the tools to offer, instead of leaving the choice to the default and to requests. */
const isChosen = ({ toolsets: chosen, tools: single }: ToolChoice): boolean =>
  chosen !== undefined || single !== undefined;

/** Those of the tools that are not excluded. @throws Error if none is. */
function notExcluded(selected: readonly Tool[], { excludeTools }: ToolChoice): readonly Tool[] {
  const offered = selected.filter((tool) => !excludeTools.includes(tool.name));
  if (offered.length === 0)
    throw new Error(`No tool is left to offer: ${optionLabel('excludeTools')} excludes all of them.`);
  return offered;
}

/**
 * The tools that the options select, in their usual order.
 * @throws Error that names every unknown tool or toolset, or says that no tool is left.
 */
export function offeredTools(choice: ToolChoice): readonly Tool[] {
  const { toolsets: chosen, tools: single, excludeTools } = choice;
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
  const isSelected = (tool: Tool): boolean =>
    isChosen(choice)
      ? single?.includes(tool.name) === true || chosen?.some((name) => groups[name]!.includes(tool)) === true
      : isOfferedByDefault(tool);
  return notExcluded(tools.filter(isSelected), choice);
}

/**
 * The tools that a request may choose, in their usual order: those that the options select or, if they select none,
 * also those that are only offered where they are chosen.
 * @throws Error as `offeredTools` does.
 */
export const choosableTools = (choice: ToolChoice): readonly Tool[] =>
  isChosen(choice) ? offeredTools(choice) : notExcluded(tools, choice);

/** Why a tool isn't offered. Continues a sentence. */
const reasonToLeaveOut = (tool: Tool): string =>
  isOfferedByDefault(tool)
    ? 'whoever runs this server left it out'
    : `it is in the toolset ${tool.toolset}, which is off unless it is chosen (${optionLabel('toolsets')}; over HTTP also the header X-Infra-Toolsets: ${defaultName},${tool.toolset})`;

/** The tools that the options don't offer, with the reason. */
export const toolsLeftOut = (offered: readonly Tool[]): LeftOut =>
  new Map(
    tools.filter((tool) => !offered.includes(tool)).map((tool) => [tool.name, { tool, why: reasonToLeaveOut(tool) }]),
  );

/** By toolset, the names of the offered tools in it. */
export const offeredToolsets = (offered: readonly Tool[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(groups).map(([name, members]) => [
      name,
      members.filter((tool) => offered.includes(tool)).map((tool) => tool.name),
    ]),
  );
