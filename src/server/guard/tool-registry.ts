import { withControls } from './controls.ts';
import { argumentsFilledByScope } from './scope/scope.ts';
import { denialOf, type Policy } from './policy/policy.ts';
import { withoutMembers, type JsonSchema } from '../json/json-schema.ts';
import { visibleText } from '../tool/tool-text.ts';
import { nearestName } from '../tool/nearest-name.ts';
import { inputSchema, outputSchema } from '../tool/schema.ts';
import { isDocumented, type Tool } from '../tool/tool.ts';
import type { Effect } from '../../contract/operation.ts';

/** What hosts decide by before they run a tool. All four are always given. */
interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const destroying: readonly Effect[] = ['destructive', 'sensitive'];

/** Derived from what the tool's operations do. Repeating a read or a replacement changes nothing more; the platform is a world outside this server. */
export const annotationsOf = ({ operations, operation: { effect } }: Tool): Annotations => ({
  readOnlyHint: effect === 'read',
  destructiveHint: destroying.includes(effect),
  idempotentHint: operations.every((operation) => operation.effect === 'read' || operation.method === 'PUT'),
  openWorldHint: true,
});

/** A tool as clients see it in a list. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: Annotations;
}

/** The tools of one configuration. Built once; every server instance shares it. */
export interface Registry {
  /** What clients are shown, in the tools' own order. Made when first asked for. */
  listed(): readonly ListedTool[];
  /** Any tool by its name, also one that the policy hides: the pipeline says why it may not run. */
  find(name: string): Tool | undefined;
  /** Whether clients are shown a tool of this name. */
  offers(name: string): boolean;
  /** Names of the tools that there are and clients aren't shown. */
  readonly hidden: readonly string[];
  /** The listed name that is nearest to an unknown one. */
  nearest(name: string): string | undefined;
}

const outside = 'Outside the documented API: some platforms lack it.';

/**
 * A tool for clients of a server with this policy. Those of undocumented operations say so.
 * @param hidden names of tools that aren't shown beside it.
 */
export function listed(tool: Tool, policy: Policy = { readOnly: false }, hidden: readonly string[] = []): ListedTool {
  const { name } = tool;
  const description = visibleText(tool.description, hidden);
  return {
    name,
    description: isDocumented(tool) ? description : `${description} ${outside}`,
    inputSchema: withControls(withoutMembers(inputSchema(tool), [...argumentsFilledByScope(tool, policy.scope).keys()]), tool, policy),
    outputSchema: outputSchema(tool),
    annotations: annotationsOf(tool),
  };
}

/**
 * @param others names of tools that there are beside these.
 * @throws Error when two tools have the same name.
 */
export function createRegistry(tools: readonly Tool[], policy: Policy, others: readonly string[] = []): Registry {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length) throw new Error('two tools have the same name');
  const allowed = tools.filter((tool) => denialOf(tool, policy) === undefined);
  const hidden = [...new Set([...others, ...byName.keys()])].filter((name) => !allowed.some((tool) => tool.name === name));
  let list: readonly ListedTool[] | undefined;
  return {
    listed: () => (list ??= allowed.map((tool) => listed(tool, policy, hidden))),
    find: (name) => byName.get(name),
    offers: (name) => allowed.some((tool) => tool.name === name),
    hidden,
    nearest: (name) => nearestName(name, allowed.map((tool) => tool.name)),
  };
}
