import { coreName } from '../../../tools/index.ts';
import { denialOf } from '../../server/guard/index.ts';
import { type Config, optionHelp } from '../config/index.ts';
import { groupNames, offeredTools } from '../wiring/offered-tools.ts';
import { configuredPolicy } from '../wiring/policy.ts';
import type { Assistant, ServerEntry } from './assistants.ts';

/** How many tools a server offers. */
export interface ToolCounts {
  readonly offered: number;
  /** What each toolset has of them. */
  readonly byToolset: readonly (readonly [toolset: string, tools: number])[];
  /** Whether the options choose tools. */
  readonly isChosen: boolean;
}

const toolsetsVariable = optionHelp.find(({ name }) => name === 'toolsets')!.env;
const choosing: readonly string[] = [toolsetsVariable, optionHelp.find(({ name }) => name === 'tools')!.env];

/** Counts the tools that a server with these options offers. @throws Error if they name something unknown */
export async function countTools(config: Config): Promise<ToolCounts> {
  const policy = await configuredPolicy(config);
  const count = (toolsets = config.toolsets): number =>
    offeredTools({ ...config, toolsets }).filter((tool) => denialOf(tool, policy) === undefined).length;
  return {
    offered: count(),
    byToolset: groupNames.map((name) => [name, count([name])]),
    isChosen: config.toolsets !== undefined || config.tools !== undefined,
  };
}

const isBeyond = ({ maximumTools }: Assistant, { offered }: ToolCounts): boolean =>
  maximumTools !== undefined && offered > maximumTools;

/** Whether an entry's environment says which tools the server offers. */
export const choosesTools = (env: unknown): boolean =>
  typeof env === 'object' && env !== null && choosing.some((name) => Object.hasOwn(env, name));

/** The entry for an assistant: one that takes fewer tools than there are gets those for daily work. */
export const entryWithin = (assistant: Assistant, server: ServerEntry, counts: ToolCounts): ServerEntry =>
  isBeyond(assistant, counts) && !counts.isChosen
    ? { ...server, initialEnv: { [toolsetsVariable]: coreName } }
    : server;

/**
 * What `init` says of the number of tools: how many the server offers, and for each assistant that takes fewer what it
 * gets, and how to choose others.
 * @param limited the assistants, with whether their entry chooses tools
 */
export function toolsText(
  counts: ToolCounts,
  limited: readonly { readonly assistant: Assistant; readonly choosesTools: boolean }[],
): string {
  const beyond = limited.filter(({ assistant }) => isBeyond(assistant, counts));
  const core = counts.byToolset.find(([name]) => name === coreName)?.[1] ?? 0;
  const lines = beyond.map(({ assistant: { name, title, maximumTools }, choosesTools: isNarrowed }) => {
    const limit = `${title} takes at most ${maximumTools}, of all its servers together`;
    if (!isNarrowed)
      return `${limit}, and may leave out some of these ${counts.offered}: add --assistant ${name} --toolsets with fewer.\n`;
    return counts.isChosen
      ? `${limit}, and these are more: choose fewer.\n`
      : `${limit}. A new entry offers the ${core} of the toolset ${coreName}; for others, add --assistant ${name} --toolsets with names.\n`;
  });
  const toolsets =
    lines.length === 0
      ? ''
      : `Toolsets: ${counts.byToolset.map(([name, tools]) => `${name} (${tools})`).join(', ')}.\n`;
  return `The server offers ${counts.offered} tools.\n${lines.join('')}${toolsets}`;
}
