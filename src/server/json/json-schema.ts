import * as z from 'zod';

/** The part of JSON Schema that tools are described with. */
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
  /** Marks of the contract, never printed for clients. */
  reference?: string;
  secret?: boolean;
}

/** A contract schema as JSON Schema with the contract's own marks still in it. */
export const toJsonSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;

const isNull = (schema: JsonSchema): boolean => schema.type === 'null';

/** Accepting null is not printed: a node that may also be null becomes the node itself. */
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

/** The schema of a member, also where only some options of a union have it; undefined when it isn't declared. */
export function memberOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  if (schema?.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return schema?.anyOf?.find(({ properties }) => properties && Object.hasOwn(properties, name))?.properties?.[name];
}

/** An object's schema without some of its members. */
export function withoutMembers(whole: JsonSchema, names: readonly string[]): JsonSchema {
  if (names.length === 0) return whole;
  const { required, ...schema } = whole;
  const left = required?.filter((name) => !names.includes(name)) ?? [];
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !names.includes(name)));
  return { ...schema, properties, ...(left.length > 0 && { required: left }) };
}
