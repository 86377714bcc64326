import type { JsonSchema } from '../../server/json/index.ts';

/** An argument of a tool, as documented for people. */
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
export const argumentsOf = ({ properties = {}, required = [] }: JsonSchema, mark: (word: string) => string = String): ToolArgument[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name, type: typeOf(schema, mark), isRequired: required.includes(name), description: schema.description ?? '',
  }));
