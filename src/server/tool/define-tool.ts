import * as z from 'zod';
import {
  effects,
  inputShape,
  issuesIn,
  printPath,
  repeated,
  type AnyOperation,
  type InputOf,
} from '../../contract/index.ts';
import { pick, rootOf, type JsonRecord } from '../json/index.ts';
import { rowMembers } from './schema.ts';
import { columnName } from './service-kind.ts';
import type { ReadUse } from './reads.ts';
import type { Renderer } from './render.ts';
import type { ArgumentsOf, CompositionDefinition, Shape, Tool, ToolDefinition } from './tool.ts';

const highestEffect = (operations: readonly AnyOperation[]): AnyOperation =>
  operations.toSorted((one, other) => effects.indexOf(other.effect) - effects.indexOf(one.effect))[0]!;

// Callers needn't name the organization: the token has one, or one is chosen.
const optionalOrganization = (shape: Shape): Shape =>
  shape['organization_id'] ? { ...shape, organization_id: shape['organization_id'].optional() } : shape;

const definedMembers = (shape: Readonly<Record<string, z.ZodType | undefined>>): Shape =>
  Object.fromEntries(Object.entries(shape).flatMap(([name, schema]) => (schema ? [[name, schema]] : [])));

/** Issues with a body as a whole: the contract's rules across members. */
const bodyRules =
  ({ body }: AnyOperation) =>
  (args: JsonRecord): readonly string[] => {
    const error = (body as z.ZodObject | undefined)?.safeParse(args).error;
    return error
      ? issuesIn(error).map(({ path, text }) => (path.length > 0 ? `"${printPath(path)}": ${text}` : text))
      : [];
  };

/** The `fields` argument, for tools whose answers have columns to choose from. */
const columnChoice = ({ only }: Renderer): Shape =>
  only ? { fields: z.array(z.string()).optional().describe('Columns.') } : {};

/** The columns to choose from: those of the renderer, or the members of a row in the answer's schema. */
const columnsOf = ({ columns }: Renderer, output: z.ZodType | undefined): readonly string[] | undefined =>
  (columns ?? rowMembers(output))?.map(columnName);

/** Issues with chosen columns that don't exist. Members within a column can be chosen as well. */
const columnRules =
  (render: Renderer, output: z.ZodType | undefined) =>
  ({ fields }: JsonRecord): readonly string[] => {
    const columns = render.only && Array.isArray(fields) ? columnsOf(render, output) : undefined;
    if (columns === undefined) return [];
    const isKnown = (field: string): boolean =>
      columns.includes(field) || (!render.columns && columns.includes(rootOf(field)));
    const unknown = (fields as readonly unknown[])
      .map((field) => columnName(String(field)))
      .filter((field) => !isKnown(field));
    return unknown.length > 0
      ? [`"fields": there is no column ${repeated(unknown.join(', '))}; there are ${columns.join(', ')}`]
      : [];
  };

/** The reads of a tool in addition to its operations: its own, those of its preview and those of its no-op check. */
const allReads = (
  operations: readonly AnyOperation[],
  { reads = [], preview, noOpCheck }: Pick<Tool, 'reads' | 'preview' | 'noOpCheck'>,
): readonly ReadUse[] => [...reads, ...(preview?.reads?.(operations) ?? []), ...(noOpCheck?.reads?.(operations) ?? [])];

/** Defines a tool of one operation. It has the operation's name. */
export function defineTool<Op extends AnyOperation>(operation: Op, definition: ToolDefinition<Op>): Tool {
  const {
    toolset,
    title,
    description,
    fields,
    folded,
    hidden,
    input = {},
    rules,
    expand,
    output,
    answer,
    plan,
    preview,
    noOpCheck,
    render,
    next,
    mostNext,
  } = definition;
  const own = Object.keys(inputShape(operation));
  return {
    name: operation.name,
    toolset,
    title,
    description,
    printing: { fields, folded, hidden },
    input: { ...optionalOrganization(definedMembers({ ...inputShape(operation), ...input })), ...columnChoice(render) },
    // A body merged into the present state is checked after the merge.
    rules: (args) => [
      ...(rules?.(args) ?? []),
      ...(expand ? [] : bodyRules(operation)(args)),
      ...columnRules(render, output ?? operation.response)(args),
    ],
    operations: [operation],
    equivalentOperations: definition.equivalentOperations,
    operation,
    expand:
      expand ??
      (answer && operation.effect === 'read' ? undefined : async (args) => [{ operation, input: pick(args, own) }]),
    output: output ?? operation.response,
    answer,
    plan: (args) => plan?.(args as InputOf<Op>) ?? [],
    preview,
    noOpCheck,
    reads: allReads([operation], definition),
    needsBudget: definition.needsBudget,
    render,
    next,
    mostNext,
  };
}

/** Defines a tool of several operations, or one that reads in several steps. */
export function composeTool<const Input extends Shape>(definition: CompositionDefinition<Input>): Tool {
  const {
    name,
    toolset,
    title,
    description,
    fields,
    folded,
    hidden,
    input,
    needsOneOf,
    mayBeGone,
    rules,
    operations,
    expand,
    matchesAction,
    whyNothing,
    spansEnvironments,
    output,
    answer,
    plan,
    preview,
    noOpCheck,
    render,
    next,
    mostNext,
  } = definition;
  const members = z.object(input);
  // The arguments are valid; parsing adds defaults.
  const withDefaults = (args: JsonRecord): ArgumentsOf<Input> => members.parse(args) as ArgumentsOf<Input>;
  return {
    name,
    toolset,
    title,
    description,
    printing: { fields, folded, hidden },
    needsOneOf,
    mayBeGone,
    input: { ...input, ...columnChoice(render) },
    rules: (args) => [...(rules?.(args as ArgumentsOf<Input>) ?? []), ...columnRules(render, output)(args)],
    operations,
    operation: highestEffect(operations),
    expand: expand && ((args, context) => expand(withDefaults(args), context)),
    equivalentOperations: definition.equivalentOperations,
    matchesAction,
    whyNothing,
    spansEnvironments,
    output,
    answer: (args, context, answers) => answer(withDefaults(args), context, answers),
    plan: (args) => plan?.(withDefaults(args)) ?? [],
    preview,
    noOpCheck,
    reads: allReads(operations, definition),
    needsBudget: definition.needsBudget,
    render,
    next,
    mostNext,
  };
}
