import * as z from 'zod';
import { fieldDescriptions } from '../../contract/field-descriptions.ts';
import { inputShape, type AnyOperation } from '../../contract/operation.ts';
import type { ResourceKind } from './name-resolver.ts';
import { toJsonSchema, withoutNull, type JsonSchema } from '../json/json-schema.ts';
import { memoised } from '../json/memoised.ts';
import { howToName } from './references.ts';
import type { Tool, SchemaPrinting } from './tool.ts';

/** Members that are filled in where they are not given, so clients need not know them. */
const defaulted = ['organization_id'];

// That something is an id, its description says.
const formats: readonly (string | undefined)[] = ['date-time', 'email', 'duration', 'uri'];

const largestPort = 65535;

// Bounds that go without saying cost bytes in every conversation: safe integers, "not negative", the range of ports.
const bounds = ({ minimum, maximum }: JsonSchema): JsonSchema => ({
  ...(minimum !== undefined && minimum > 1 && { minimum }),
  ...(maximum !== undefined && maximum < largestPort && { maximum }),
});

const lastName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

// What fits the tool best goes first; rows of an array have no name, so their array speaks for them.
const described = (schema: JsonSchema, path: string, { fields }: SchemaPrinting): JsonSchema => {
  const kind = (schema.reference ?? schema.items?.reference) as ResourceKind | undefined;
  const description = fields?.[path] ?? schema.description ?? (kind && howToName(kind)) ?? fieldDescriptions[lastName(path)];
  return description === undefined ? {} : { description };
};

// A list says itself how its items are named.
const withoutMark = ({ reference, format, ...item }: JsonSchema): JsonSchema => (reference ? item : { ...item, format });

const isOpen = ({ properties, additionalProperties }: JsonSchema): boolean => !properties && additionalProperties !== undefined && additionalProperties !== false;

/**
 * One node of an input schema in the form that every client and model provider takes: an object closed at its root,
 * no null, no marks of ours, no patterns (a description says them shorter and validation checks them).
 */
function printedSchema(node: JsonSchema, path: string, printing: SchemaPrinting): JsonSchema {
  const schema = withoutNull(node);
  const leaf: JsonSchema = {
    ...(schema.type !== undefined && { type: schema.type }),
    ...described(schema, path, printing),
    // Where a thing is pointed at, its name does as well as its id.
    ...(!schema.reference && formats.includes(schema.format) && { format: schema.format }),
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

function withMembers(properties: Record<string, JsonSchema>, required: string[] = [], path: string, printing: SchemaPrinting): JsonSchema {
  const shown = Object.entries(properties)
    .map(([name, child]) => ({ name, child, at: path ? `${path}.${name}` : name }))
    .filter(({ at }) => !printing.hidden?.includes(at));
  return {
    properties: Object.fromEntries(shown.map(({ name, child, at }) => [name, printedSchema(child, at, printing)])),
    ...(required.length > 0 && { required }),
    // Said where it begins: further in, an unknown member is refused with the nearest right name all the same.
    ...(path === '' && { additionalProperties: false }),
  };
}

/** The input of an operation in full, with the contract's marks. */
export const argumentSchema = memoised((operation: AnyOperation) => toJsonSchema(z.object(inputShape(operation)), 'input'));

/** The answer of an operation in full, with the contract's marks. */
export const answerSchema = memoised((operation: AnyOperation) => toJsonSchema(operation.response ?? z.object({}), 'output'));

/** The arguments of a tool in full, with the contract's marks: what strictness is measured against. */
export const toolArgumentSchema = memoised((tool: Tool) => toJsonSchema(z.object(tool.input), 'input'));

/** What a tool answers, in full. */
export const toolAnswerSchema = memoised((tool: Tool) => toJsonSchema(tool.output ?? z.object({}), 'output'));

/** The arguments of a tool as clients see them: one flat, closed object. */
export const inputSchema = (tool: Tool): JsonSchema => {
  const schema = toolArgumentSchema(tool);
  const { hidden = [] } = tool.printing;
  return printedSchema(schema, '', { ...tool.printing, hidden: [...hidden, ...defaulted] });
};

const typeOnly = (node: JsonSchema): JsonSchema => {
  const { type } = withoutNull(node);
  return type === undefined ? {} : { type };
};

/** Members that every option of a union has with the same type; for anything else its own members. */
function commonMembers(schema: JsonSchema): Record<string, JsonSchema> {
  if (!schema.anyOf) return schema.properties ?? {};
  const [first = {}, ...others] = schema.anyOf.map(commonMembers);
  return Object.fromEntries(
    Object.entries(first).filter(([name, member]) => others.every((other) => other[name]?.type === member.type)),
  );
}

/** Which members of a row (or of a record) a tool shows: these, or all but those. */
export interface SchemaOptions {
  readonly shown?: readonly string[];
  readonly left?: readonly string[];
}

const members = (schema: JsonSchema, { shown, left }: SchemaOptions): [string, JsonSchema][] =>
  Object.entries(commonMembers(schema)).filter(([name]) => (!shown || shown.includes(name)) && !left?.includes(name));

/**
 * The answer of a tool as JSON Schema: an open object, typed at the root and in the rows of `results` only,
 * so that a member or value the platform adds breaks no client.
 */
export function outputSchema(tool: Tool): JsonSchema {
  const shown: SchemaOptions = tool.render;
  const root = toolAnswerSchema(tool);
  const rows = root.properties?.['results']?.items;
  const row = (items: JsonSchema): JsonSchema => ({
    type: 'array',
    items: !items.properties && !items.anyOf ? typeOnly(items) : { type: 'object', properties: Object.fromEntries(members(items, shown).map(([name, member]) => [name, typeOnly(member)])) },
  });
  const properties = members(root, rows ? { left: shown.left } : shown).map(([name, member]) => [
    name,
    name === 'results' && rows ? row(rows) : typeOnly(member),
  ]);
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: true };
}
