/** Reads an answer strictly, by the lines of its shape. */
import type { AnswerShape } from './extension-shapes.ts';
import { type Field, fieldsOfText } from './schema-fields.ts';

interface ShapeNode {
  field?: Field;
  members?: Map<string, ShapeNode>;
  items?: ShapeNode;
}

const childOf = (node: ShapeNode, step: string): ShapeNode => {
  if (step === '[]') return (node.items ??= {});
  const members = (node.members ??= new Map());
  const known = members.get(step) ?? {};
  members.set(step, known);
  return known;
};

const stepsOf = (path: string): string[] => path.split('.').flatMap((part) => part.split(/(?=\[\])/));

const treeOf = (text: string): ShapeNode => {
  const root: ShapeNode = {};
  for (const [path, field] of fieldsOfText(text)) stepsOf(path).reduce(childOf, root).field = field;
  return root;
};

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const isString = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value has a type of the notation. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: isString,
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  uuid: (value) => isString(value) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
  'date-time': (value) => isString(value) && dateTime.test(value) && !Number.isNaN(Date.parse(value)),
  uri: (value) => isString(value) && URL.canParse(value),
  email: (value) => isString(value) && /^\S+@\S+$/.test(value),
  duration: (value) => isString(value) && /^P(?!$)(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?$/.test(value),
};

const hasType = (type: string, value: unknown): boolean =>
  types[type]?.(value) ?? (isString(value) && type.split('|').includes(value));

const ofMembers = (members: Map<string, ShapeNode>, value: unknown, path: string): string[] => {
  if (!isObject(value)) return [`${path}: ${JSON.stringify(value)} is no object`];
  const absent = [...members]
    .filter(([name, { field }]) => field?.required && value[name] === undefined)
    .map(([name]) => `${path}.${name}: is absent`);
  return [
    ...absent,
    ...Object.entries(value).flatMap(([name, member]) => {
      const node = members.get(name);
      return node ? deviationsFrom(node, member, `${path}.${name}`) : [`${path}.${name}: is in no document`];
    }),
  ];
};

function deviationsFrom({ field, members, items }: ShapeNode, value: unknown, path: string): string[] {
  if (value === null) return field?.nullable ? [] : [`${path}: null`];
  if (items)
    return Array.isArray(value)
      ? value.flatMap((row) => deviationsFrom(items, row, `${path}[]`))
      : [`${path}: ${JSON.stringify(value)} is no list`];
  if (members) return ofMembers(members, value, path);
  return field === undefined || hasType(field.type, value)
    ? []
    : [`${path}: ${JSON.stringify(value)} is no ${field.type}`];
}

const rowDeviations = (
  rowsByType: NonNullable<AnswerShape['rowsByType']>,
  { results }: Record<string, unknown>,
): string[] =>
  (results as Record<string, unknown>[]).flatMap((row) => {
    const text = rowsByType[String(row['service_type'])];
    return text === undefined
      ? [`results[].service_type: ${String(row['service_type'])}`]
      : deviationsFrom(treeOf(text), row, 'results[]');
  });

/** Everything in an answer that its shape doesn't allow, a line each, each once. */
export const answerDeviations = ({ text, rowsByType }: AnswerShape, answer: Record<string, unknown>): string[] => {
  const wrong = [...deviationsFrom(treeOf(text), answer, ''), ...(rowsByType ? rowDeviations(rowsByType, answer) : [])];
  return [...new Set(wrong)].toSorted();
};
