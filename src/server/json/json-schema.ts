import * as z from 'zod';

/** The part of JSON Schema that tool schemas use. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  format?: string;
  default?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  pattern?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  /** The contract's own annotations, never sent to clients. */
  reference?: string;
  secret?: boolean;
  /** The member beside it that says whether it is one: only where that is true. */
  secretWhere?: string;
  belongsTo?: string;
  freeText?: boolean;
  /** Whether only the time of day of a time counts. */
  clockTime?: boolean;
  bareHost?: boolean;
  secretAfterHost?: { readonly member: string; readonly value: string };
  terminalOutput?: boolean;
}

/** Converts a contract schema to JSON Schema, including the contract's own annotations. */
export const toJsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;

const isNull = (schema: JsonSchema): boolean => schema.type === 'null';

/** Removes null from the types that a schema accepts. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null');
    return { ...schema, type: types.length === 1 ? types[0]! : types };
  }
  if (!schema.anyOf?.some(isNull)) return schema;
  const { anyOf, ...rest } = schema;
  const options = anyOf.filter((option) => !isNull(option));
  return options.length === 1 ? { ...withoutNull(options[0]!), ...rest } : { ...rest, anyOf: options };
}

/** The schema of a member, even if only some options of a union have it; undefined if it isn't declared. */
export function memberOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  if (schema?.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return schema?.anyOf?.find(({ properties }) => properties && Object.hasOwn(properties, name))?.properties?.[name];
}

/** An object schema without these members. */
export function withoutMembers(schema: JsonSchema, names: readonly string[]): JsonSchema {
  if (names.length === 0) return schema;
  const { required, ...rest } = schema;
  const remaining = required?.filter((name) => !names.includes(name)) ?? [];
  const properties = Object.fromEntries(
    Object.entries(rest.properties ?? {}).filter(([name]) => !names.includes(name)),
  );
  return { ...rest, properties, ...(remaining.length > 0 && { required: remaining }) };
}
