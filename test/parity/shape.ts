import { isRecord } from '../../src/contract/index.ts';

/** The types that stand at each path of a value, such as `results[].name: string`. Holds no value. */
export type ValueShape = ReadonlyMap<string, ReadonlySet<string>>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;

const typeOfText = (text: string): string => (uuid.test(text) ? 'uuid' : dateTime.test(text) ? 'date-time' : 'string');

/** The type of a value, in the words of JSON and, for texts, of their formats. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return typeOfText(value);
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value;
}

const childrenOf = (value: unknown, path: string): readonly (readonly [string, unknown])[] => {
  if (Array.isArray(value)) return value.map((item) => [`${path}[]`, item] as const);
  return isRecord(value)
    ? Object.entries(value).map(([name, member]) => [path === '' ? name : `${path}.${name}`, member] as const)
    : [];
};

/** The shape of a value; rows of a list are taken together. */
export function shapeOf(value: unknown): ValueShape {
  const shape = new Map<string, Set<string>>();
  const visit = (path: string, inner: unknown): void => {
    shape.set(path, (shape.get(path) ?? new Set()).add(typeOf(inner)));
    for (const [childPath, child] of childrenOf(inner, path)) visit(childPath, child);
  };
  visit('', value);
  return shape;
}
