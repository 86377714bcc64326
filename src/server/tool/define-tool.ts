import * as z from 'zod';
import { effects, inputShape, type AnyOperation, type InputOf } from '../../contract/operation.ts';
import { pick, type JsonRecord } from '../json/values.ts';
import type { Renderer } from './render.ts';
import type { ArgumentsOf, CompositionDefinition, Shape, Tool, ToolDefinition } from './tool.ts';

const highestEffect = (operations: readonly AnyOperation[]): AnyOperation =>
  operations.toSorted((one, other) => effects.indexOf(other.effect) - effects.indexOf(one.effect))[0]!;

// The token's own organization is the only one there is, so nobody has to name it.
const optionalOrganization = (shape: Shape): Shape =>
  shape['organization_id'] ? { ...shape, organization_id: shape['organization_id'].optional() } : shape;

const definedMembers = (shape: Readonly<Record<string, z.ZodType | undefined>>): Shape =>
  Object.fromEntries(Object.entries(shape).flatMap(([name, schema]) => (schema ? [[name, schema]] : [])));

/** What is wrong with a body as a whole: the contract's rules across members. */
const bodyRules = ({ body }: AnyOperation) => (args: JsonRecord): readonly string[] => {
  const checked = (body as z.ZodObject | undefined)?.safeParse(args);
  return checked?.error?.issues.map(({ path, message }) => (path.length > 0 ? `"${path.join('.')}": ${message}` : message)) ?? [];
};

/** What a tool takes beside its own members when there are columns to choose from. */
const columnChoice = ({ only }: Renderer): Shape => (only ? { fields: z.array(z.string()).optional().describe('Columns to show.') } : {});

/** Columns that were chosen and aren't there. */
const columnRules = ({ columns, only }: Renderer) => ({ fields }: JsonRecord): readonly string[] => {
  const strange = only && columns && Array.isArray(fields) ? fields.map(String).filter((field) => !columns.includes(field)) : [];
  return strange.length > 0 && columns ? [`"fields": there is no column ${strange.join(', ')}; there are ${columns.join(', ')}`] : [];
};

/** Makes a tool of one operation. The tool has the operation's name. */
export function defineTool<Op extends AnyOperation>(operation: Op, definition: ToolDefinition<Op>): Tool {
  const { toolset, description, fields, folded, hidden, input = {}, expand: acts, output: answer, answer: answerOf, plan, preview, noOpCheck: need, render, next } = definition;
  const own = Object.keys(inputShape(operation));
  return {
    name: operation.name,
    toolset,
    description,
    printing: { fields, folded, hidden },
    input: { ...optionalOrganization(definedMembers({ ...inputShape(operation), ...input })), ...columnChoice(render) },
    // What is merged into the present state is checked once it is whole.
    rules: (args) => [...(acts ? [] : bodyRules(operation)(args)), ...columnRules(render)(args)],
    operations: [operation],
    operation,
    expand: acts ?? (async (args) => [{ operation, input: pick(args, own) }]),
    output: answer ?? operation.response,
    answer: answerOf,
    plan: (args) => plan?.(args as InputOf<Op>) ?? [],
    preview,
    noOpCheck: need,
    render,
    next,
  };
}

/** Makes a tool of several operations. */
export function composeTool<const Input extends Shape>(definition: CompositionDefinition<Input>): Tool {
  const { name, toolset, description, fields, folded, hidden, input, rules, operations, expand: acts, isDone, output: answer, answer: answerOf, plan, preview, noOpCheck: need, render, next } = definition;
  const members = z.object(input);
  // Arguments were checked; what they leave out gets its default.
  const whole = (args: JsonRecord): ArgumentsOf<Input> => members.parse(args) as ArgumentsOf<Input>;
  return {
    name,
    toolset,
    description,
    printing: { fields, folded, hidden },
    input: { ...input, ...columnChoice(render) },
    rules: (args) => [...(rules?.(args as ArgumentsOf<Input>) ?? []), ...columnRules(render)(args)],
    operations,
    operation: highestEffect(operations),
    expand: acts && ((args, context) => acts(whole(args), context)),
    isDone,
    output: answer,
    answer: (args, context, answers) => answerOf(whole(args), context, answers),
    plan: (args) => plan?.(whole(args)) ?? [],
    preview,
    noOpCheck: need,
    render,
    next,
  };
}
