import { withControls } from './controls.ts';
import { argumentsSettledByScope } from './scope/scope.ts';
import { insteadOf } from './tool-instead.ts';
import { denialOf, type Policy } from './policy/policy.ts';
import { needsConfirmation } from './risk/risk.ts';
import { withoutMembers, type JsonSchema } from '../json/index.ts';
import { asListed, inputSchema, outputSchema, shownName, visibleText, type Tool } from '../tool/index.ts';
import type { Effect } from '../../contract/index.ts';

/** MCP tool annotations, by which hosts decide whether to run a tool. All four are always present. */
interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const destroying: readonly Effect[] = ['destructive', 'sensitive'];

/**
 * Annotations derived from a tool's operations: repeating a read or a PUT has no further effect, and the platform is
 * outside this server.
 */
export const annotationsOf = ({ operations, operation: { effect } }: Tool): Annotations => ({
  readOnlyHint: effect === 'read',
  destructiveHint: operations.some(({ effectIfHidden }) => destroying.includes(effectIfHidden)),
  idempotentHint: operations.every((operation) => operation.effect === 'read' || operation.method === 'PUT'),
  openWorldHint: true,
});

/** A tool as `tools/list` shows it. */
export interface ListedTool {
  readonly name: string;
  /** The name that hosts display. */
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: Annotations;
}

/** Tools that exist but aren't served, by name, each with the setting that excludes it, to continue a sentence. */
export type LeftOut = ReadonlyMap<string, { readonly tool: Tool; readonly why: string }>;

/** The tools of one configuration. Built once and shared by every server instance. */
export interface Registry {
  /** The tools that clients see, in order. Built at the first call. */
  listed(): readonly ListedTool[];
  /** A tool by its name, including those that the policy hides: the pipeline reports why they may not run. */
  find(name: string): Tool | undefined;
  /** Whether clients see a tool of this name. */
  offers(name: string): boolean;
  /** Names of tools that exist but that clients don't see. */
  readonly hidden: readonly string[];
  /** The tools that exist but aren't part of the set. */
  readonly leftOut: LeftOut;
  /** Those among them that the policy would not hide if they were. */
  readonly off: readonly Tool[];
  /** The hint for an unknown tool: which one to use instead, or that it is not offered. Continues a sentence. */
  instead(name: string): string;
}

const asks = 'Needs agreement.';

/**
 * Whether every call of a tool needs confirmation, whatever its target. A replacement needs it even if its plan shows
 * everything.
 */
const alwaysAsks = ({ operations }: Tool): boolean =>
  operations.every(({ effectIfHidden }) => needsConfirmation(effectIfHidden));

const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** That one of several arguments has to be given, which no schema says in a form that every client takes. */
function requirementOf(tool: Tool, settled: readonly string[]): readonly string[] {
  const names = (tool.needsOneOf ?? []).map((member) => shownName(tool, member));
  return names.length === 0 || names.some((name) => settled.includes(name)) ? [] : [`Needs ${either.format(names)}.`];
}

/**
 * A tool in full, as the documentation has it: with a description of every argument. The tool's description tells which
 * arguments are alternatives, and if all calls need confirmation.
 * @param hidden names of tools that clients don't see: the description must not mention them.
 */
export function described(
  tool: Tool,
  policy: Policy = { readOnly: false },
  hidden: readonly string[] = [],
): ListedTool {
  const { name, title } = tool;
  const settled = argumentsSettledByScope(tool, policy.scope).map((member) => shownName(tool, member));
  return {
    name,
    ...(title !== undefined && { title }),
    description: [
      visibleText(tool.description, hidden),
      ...requirementOf(tool, settled),
      ...(alwaysAsks(tool) ? [asks] : []),
    ].join(' '),
    inputSchema: withControls(withoutMembers(inputSchema(tool), settled), tool, policy),
    outputSchema: outputSchema(tool),
    annotations: annotationsOf(tool),
  };
}

/** A tool as clients see it under a policy, in as few bytes as a model needs. @param hidden as for `described`. */
export function listed(tool: Tool, policy?: Policy, hidden?: readonly string[]): ListedTool {
  const full = described(tool, policy, hidden);
  return { ...full, inputSchema: asListed(full.inputSchema) };
}

/**
 * Builds the registry of a set of tools under a policy.
 * @param leftOut tools that exist but aren't part of this set.
 * @throws Error if two tools have the same name.
 */
export function createRegistry(tools: readonly Tool[], policy: Policy, leftOut: LeftOut = new Map()): Registry {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length) throw new Error('two tools have the same name');
  const allowed = tools.filter((tool) => denialOf(tool, policy) === undefined);
  const hidden = [...new Set([...leftOut.keys(), ...byName.keys()])].filter(
    (name) => !allowed.some((tool) => tool.name === name),
  );
  let list: readonly ListedTool[] | undefined;
  return {
    listed: () => (list ??= allowed.map((tool) => listed(tool, policy, hidden))),
    find: (name) => byName.get(name),
    offers: (name) => allowed.some((tool) => tool.name === name),
    hidden,
    leftOut,
    off: [...leftOut.values()].flatMap(({ tool }) => (denialOf(tool, policy) === undefined ? [tool] : [])),
    instead: (name) =>
      insteadOf(
        name,
        allowed.map((tool) => tool.name),
        hidden,
      ),
  };
}
