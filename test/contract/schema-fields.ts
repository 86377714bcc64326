/** Two readings of a shape that can be compared: one of a retyped text, one of a zod schema. */
import * as z from 'zod';

/** What is known of one member. */
export interface Field {
  /** A type's name, or the sorted values of an enum joined by `|`. */
  type: string;
  required: boolean;
  nullable: boolean;
  /** default, minimum, maximum, maxLength, minItems. */
  limits: Record<string, unknown>;
}

const valuesOf = (type: string): string =>
  type.replace('seen:', '').replaceAll('+', '').split('|').toSorted().join('|');

const limitOf = (mark: string): [string, unknown] => {
  const [name = '', value = ''] = mark.replace('+', '').split('=');
  return [name, name === 'default' && !/^(-?\d+|true|false)$/.test(value) ? value : JSON.parse(value)];
};

/** Reads the lines of a retyped shape: member by its path. */
export const fieldsOfText = (text: string): Map<string, Field> => {
  const lines = text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([path]) => path);
  return new Map(
    lines.map(([path = '', type = '', ...marks]) => [
      path.replace('+', ''),
      {
        type: type.includes('|') || type.startsWith('seen:') ? valuesOf(type) : type,
        required: marks.includes('required') || marks.includes('+required'),
        nullable: marks.includes('nullable') || marks.includes('+nullable'),
        limits: Object.fromEntries(marks.filter((mark) => mark.includes('=')).map(limitOf)),
      },
    ]),
  );
};

interface JsonSchema {
  type?: string | string[];
  format?: string;
  enum?: string[];
  const?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  required?: string[];
  anyOf?: JsonSchema[];
  [keyword: string]: unknown;
}

// Formats that are types of their own in a retyped text; zod also prints a format for its other checks.
const formats = ['uuid', 'date-time', 'uri', 'email', 'duration'];
const compared = ['default', 'minimum', 'maximum', 'maxLength', 'minItems'];

/** A schema that may be null, as the schema without it and whether it may. */
const withoutNull = (schema: JsonSchema): { schema: JsonSchema; nullable: boolean } => {
  const types = Array.isArray(schema.type) ? schema.type : [];
  if (types.includes('null'))
    return { schema: { ...schema, type: types.find((type) => type !== 'null')! }, nullable: true };
  const options = schema.anyOf?.filter((option) => option.type !== 'null') ?? [];
  return options.length === 1 ? { schema: { ...schema, ...options[0] }, nullable: true } : { schema, nullable: false };
};

const typeOf = ({ enum: values, const: value, format, type }: JsonSchema): string =>
  (value === undefined ? values : [value])?.toSorted().join('|') ??
  (formats.includes(format ?? '') ? format! : String(type ?? 'anything'));

const collectFields = (path: string, written: JsonSchema, required: boolean): [string, Field][] => {
  const { schema, nullable } = withoutNull(written);
  const limits = Object.fromEntries(compared.filter((name) => name in schema).map((name) => [name, schema[name]]));
  return [
    ...(path === '' ? [] : [[path, { type: typeOf(schema), required, nullable, limits }] satisfies [string, Field]]),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      collectFields(path === '' ? name : `${path}.${name}`, member, schema.required?.includes(name) ?? false),
    ),
    ...(schema.items ? collectFields(`${path}[]`, schema.items, false) : []),
  ];
};

/** Reads a zod schema's members, as a request gives them or an answer holds them. */
export const fieldsOfSchema = (schema: z.ZodType, side: 'input' | 'output'): Map<string, Field> =>
  new Map(collectFields('', z.toJSONSchema(schema, { io: side }) as JsonSchema, true));
