import * as z from 'zod';
import { fieldDescriptions, inputShape, type AnyOperation } from '../../contract/index.ts';
import type { ResourceKind } from './name-resolver.ts';
import { memoised, toJsonSchema, withoutNull, type JsonSchema } from '../json/index.ts';
import { schemaWithShownNames } from './argument-names.ts';
import { memberNames } from './service-kind.ts';
import { shortHint } from './references.ts';
import type { Tool, SchemaPrinting } from './tool.ts';

/** Members that the server fills in if they are missing, so clients needn't know them. */
const defaulted = ['organization_id'];

const largestPort = 65535;

// Obvious bounds are left out, because they cost tokens in every conversation: safe integers, "not negative", the range
// of ports.
const bounds = ({ minimum, maximum }: JsonSchema): JsonSchema => ({
  ...(minimum !== undefined && minimum > 1 && { minimum }),
  ...(maximum !== undefined && maximum < largestPort && { maximum }),
});

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

// The tool's own description takes precedence. Items of an array have no name, so they are described by their array.
const described = (schema: JsonSchema, path: string, { fields }: SchemaPrinting): JsonSchema => {
  const kind = (schema.reference ?? schema.items?.reference) as ResourceKind | undefined;
  const description =
    fields?.[path] ?? schema.description ?? (kind && shortHint(kind)) ?? fieldDescriptions[lastName(path)];
  return description === undefined ? {} : { description };
};

// The description of a list says how its items are named.
const withoutMark = (item: JsonSchema): JsonSchema => ({ ...item, reference: undefined });

const isOpen = ({ properties, additionalProperties }: JsonSchema): boolean =>
  !properties && additionalProperties !== undefined && additionalProperties !== false;

/**
 * One node of an input schema in a form that every client and model provider accepts: no null, no extension keywords,
 * no patterns or formats (a description is shorter, and validation checks them). That objects are closed isn't printed:
 * unknown members are refused anyway, with the nearest known name, and hosts that validate let other names through.
 */
function printedSchema(node: JsonSchema, path: string, printing: SchemaPrinting): JsonSchema {
  const schema = withoutNull(node);
  const leaf: JsonSchema = {
    ...(schema.type !== undefined && { type: schema.type }),
    ...described(schema, path, printing),
    ...(schema.enum && { enum: schema.enum }),
    ...(schema.default !== undefined && { default: schema.default }),
    ...bounds(schema),
    ...(schema.minItems !== undefined && { minItems: schema.minItems }),
  };
  if (printing.folded?.includes(path)) return leaf;
  return {
    ...leaf,
    ...(schema.anyOf && { anyOf: schema.anyOf.map((option) => printedSchema(option, path, printing)) }),
    ...(schema.items && { items: printedSchema(withoutMark(schema.items), `${path}[]`, printing) }),
    ...(schema.properties && withMembers(schema.properties, schema.required, path, printing)),
    ...(isOpen(schema) && { additionalProperties: true }),
  };
}

function withMembers(
  properties: Record<string, JsonSchema>,
  required: string[] = [],
  path: string,
  printing: SchemaPrinting,
): JsonSchema {
  const shown = Object.entries(properties)
    .map(([name, child]) => ({ name, child, at: path ? `${path}.${name}` : name }))
    .filter(({ at }) => !printing.hidden?.includes(at));
  return {
    properties: Object.fromEntries(shown.map(({ name, child, at }) => [name, printedSchema(child, at, printing)])),
    ...(required.length > 0 && { required }),
  };
}

/** The full input schema of an operation, with the contract's extension keywords. */
export const argumentSchema = memoised((operation: AnyOperation) =>
  toJsonSchema(z.object(inputShape(operation)), 'input'),
);

/** The full answer schema of an operation, with the contract's extension keywords. */
export const answerSchema = memoised((operation: AnyOperation) =>
  toJsonSchema(operation.response ?? z.object({}), 'output'),
);

/** The arguments of a tool as one schema. */
export const membersOf = memoised((tool: Tool) => z.object(tool.input));

/** The full argument schema of a tool, with the contract's extension keywords. Arguments are validated against it. */
export const toolArgumentSchema = memoised((tool: Tool) => toJsonSchema(membersOf(tool), 'input'));

/** The full answer schema of a tool. */
export const toolAnswerSchema = memoised((tool: Tool) => toJsonSchema(tool.output ?? z.object({}), 'output'));

/** The input schema of a tool, a flat object, with every description. Clients see it without those that say little. */
export const inputSchema = (tool: Tool): JsonSchema => {
  const schema = toolArgumentSchema(tool);
  const { hidden = [] } = tool.printing;
  return schemaWithShownNames(tool, printedSchema(schema, '', { ...tool.printing, hidden: [...hidden, ...defaulted] }));
};

const typeOnly = (node: JsonSchema): JsonSchema => {
  const { type } = withoutNull(node);
  return type === undefined ? {} : { type };
};

/** The members that every option of a union has with the same type; for other schemas, their own members. */
function commonMembers(schema: JsonSchema): Record<string, JsonSchema> {
  if (!schema.anyOf) return schema.properties ?? {};
  const [first = {}, ...others] = schema.anyOf.map(commonMembers);
  return Object.fromEntries(
    Object.entries(first).filter(([name, member]) => others.every((other) => other[name]?.type === member.type)),
  );
}

/** Every member that a schema declares, those of all options of a union. */
const everyMember = (schema: JsonSchema): readonly string[] =>
  schema.anyOf ? [...new Set(schema.anyOf.flatMap(everyMember))] : Object.keys(schema.properties ?? {});

/** The members of the rows in an answer; undefined if it declares no rows. */
export const rowMembers = (output: z.ZodType | undefined): readonly string[] | undefined => {
  const items = output && toJsonSchema(output, 'output').properties?.['results']?.items;
  const names = items ? everyMember(items) : [];
  return names.length > 0 ? names : undefined;
};

/** The members of a row (or of a record) that a tool shows: those in `shown`, or all except those in `omitted`. */
export interface SchemaOptions {
  readonly shown?: readonly string[];
  readonly omitted?: readonly string[];
}

function members(schema: JsonSchema, { shown, omitted }: SchemaOptions): [string, JsonSchema][] {
  const all = Object.entries(commonMembers(schema)).filter(
    ([name]) => (!shown || shown.includes(name)) && !omitted?.includes(name),
  );
  const names = memberNames(all.map(([name]) => name));
  return all.map(([, member], index) => [names[index]!, member]);
}

/**
 * The output schema of a tool as clients see it: an open object, typed only at the root and in the rows of `results`,
 * so that members or values that the platform adds don't break clients.
 */
export function outputSchema(tool: Tool): JsonSchema {
  const shown: SchemaOptions = tool.render;
  const root = toolAnswerSchema(tool);
  const rows = root.properties?.['results']?.items;
  const row = (items: JsonSchema): JsonSchema => ({
    type: 'array',
    items:
      !items.properties && !items.anyOf
        ? typeOnly(items)
        : {
            type: 'object',
            properties: Object.fromEntries(members(items, shown).map(([name, member]) => [name, typeOnly(member)])),
          },
  });
  const properties = members(root, rows ? { omitted: shown.omitted } : shown).map(([name, member]) => [
    name,
    name === 'results' && rows ? row(rows) : typeOnly(member),
  ]);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: true };
}
