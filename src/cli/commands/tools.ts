import { tools as everyTool } from '../../../tools/index.ts';
import type { Config } from '../config/index.ts';
import { denialOf, described, listed, possibleRisks, type Policy } from '../../server/guard/index.ts';
import { isDocumented, nearestName, permissionOf, type Tool } from '../../server/tool/index.ts';
import { typedProgram } from '../init/launch.ts';
import { columns } from '../terminal/columns.ts';
import { configuredPolicy } from '../wiring/policy.ts';
import { offeredTools } from '../wiring/offered-tools.ts';
import type { Cell } from '../terminal/cell.ts';
import { riskCell } from '../terminal/table-cells.ts';
import { wrapped } from '../terminal/lines.ts';
import { styled, riskText } from '../terminal/style.ts';
import type { JsonSchema } from '../../server/json/index.ts';

/** An argument of a tool, as documented for users. */
export interface ToolArgument {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

const plainTypeOf = ({ type }: JsonSchema): string => (Array.isArray(type) ? type.join(' or ') : (type ?? 'any'));

const typeOf = ({ enum: values, items, ...rest }: JsonSchema, mark: (word: string) => string): string => {
  if (values) return values.map((value) => mark(String(value))).join(', ');
  return items ? `list of ${items.enum ? typeOf(items, mark) : plainTypeOf(items)}` : plainTypeOf(rest);
};

/**
 * The arguments that a tool's input schema declares.
 * @param mark formats enum values, for example as code.
 */
export const argumentsOf = (
  { properties = {}, required = [] }: JsonSchema,
  mark: (word: string) => string = String,
): ToolArgument[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema, mark),
    isRequired: required.includes(name),
    description: schema.description ?? '',
  }));

const print = (text: string): void => void process.stdout.write(text);
const printJson = (value: unknown): void => print(`${JSON.stringify(value)}\n`);

/** A tool in the list. Its second tier applies to PRODUCTION, and where the environment's mode is unknown. */
const summaryOf = (tool: Tool) => {
  const { name, toolset, operation } = tool;
  return {
    name,
    toolset,
    effect: operation.effect,
    tiers: possibleRisks(operation),
    permission: permissionOf(tool),
    documented: isDocumented(tool),
  };
};

const row = (tool: Tool): Cell[] => {
  const { name, toolset, tiers, permission, documented } = summaryOf(tool);
  return [name, toolset, riskCell(tiers[0]!), riskCell(tiers.at(-1)!), permission, documented ? 'yes' : 'no'];
};

/** Finds a tool by name. @throws Error if there is no such tool, or it isn't offered. */
function findOfferedTool(name: string, chosen: readonly Tool[], policy: Policy): Tool {
  const tool = everyTool.find((one) => one.name === name);
  const denial = tool && denialOf(tool, policy);
  if (denial) throw new Error(`${name} is not offered: ${denial.rule} (${denial.setBy}).`);
  if (tool && !chosen.includes(tool))
    throw new Error(`${name} is not offered: --toolsets, --tools or --exclude-tools leaves it out.`);
  if (tool) return tool;
  const nearest = nearestName(
    name,
    everyTool.map((one) => one.name),
  );
  throw new Error(
    `There is no tool "${name}".${nearest === undefined ? '' : ` Did you mean ${nearest}?`} ${typedProgram()} tools lists them.`,
  );
}

/** The description and arguments of one tool, as text. */
function toolText(tool: Tool, policy: Policy): string {
  const { description, inputSchema } = described(tool, policy);
  const { tiers, permission } = summaryOf(tool);
  const rows = argumentsOf(inputSchema).map(({ name, type, isRequired, description: meaning }) => [
    name,
    type,
    isRequired ? 'yes' : '',
    meaning,
  ]);
  const facts = `tier ${[...new Set(tiers)].map(riskText).join(', on production ')}; token permission ${permission}; ${tool.operations.map(({ method, path }) => `${method} ${path}`).join(', ')}`;
  return [
    wrapped(`${styled('bold', tool.name)}  ${facts}\n`),
    wrapped(`${description}\n`),
    rows.length === 0 ? 'It takes no arguments.\n' : columns(['argument', 'type', 'required', 'meaning'], rows),
  ].join('\n');
}

/**
 * `infra-mcp tools`: lists the tools that this configuration offers, or prints the details of one.
 * @throws Error if the named tool isn't offered.
 */
export async function toolsCommand(
  config: Config,
  name: string | undefined,
  { json }: { json?: boolean },
): Promise<void> {
  const chosen = offeredTools(config);
  const policy = await configuredPolicy(config);
  if (name !== undefined) {
    const tool = findOfferedTool(name, chosen, policy);
    return json ? printJson({ ...summaryOf(tool), ...listed(tool, policy) }) : print(toolText(tool, policy));
  }
  const offered = chosen.filter((tool) => denialOf(tool, policy) === undefined);
  return json
    ? printJson(offered.map(summaryOf))
    : print(columns(['tool', 'toolset', 'tier', 'on production', 'token needs', 'API doc'], offered.map(row)));
}
