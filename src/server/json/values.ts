import { isRecord, recordsIn, type JsonRecord } from '../../contract/index.ts';

/** Caches a derived value per object, for slow derivations such as schema conversion. */
export function memoised<Key extends object, Value>(derive: (key: Key) => Value): (key: Key) => Value {
  const cache = new WeakMap<Key, Value>();
  return (key) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const value = derive(key);
    cache.set(key, value);
    return value;
  };
}

export { isRecord, recordsIn, type JsonRecord };

/** A record's own property under an untrusted name; undefined for inherited ones such as `constructor`. */
export const own = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Replaces every string in a value, at any depth. */
export function mapStrings(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, replace));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapStrings(member, replace)]));
}

const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);

/** Removes null, undefined, empty arrays and empty objects from a value, at any depth: they carry no information. */
export function prune(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prune);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, prune(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isNothing(member)));
}

/** `prune` for the root of an answer. */
export const pruneRecord = (value: JsonRecord): JsonRecord => prune(value) as JsonRecord;

/** The members of a record with these names, in this order. */
export const pick = (record: JsonRecord, names: readonly string[]): JsonRecord =>
  Object.fromEntries(names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]));

/** A record without these members. */
export const omit = (record: JsonRecord, names: readonly string[]): JsonRecord =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

const memberAt = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The value at a dotted path, or undefined. */
export const at = (value: unknown, path: string): unknown =>
  path.includes('.') ? path.split('.').reduce(memberAt, value) : memberAt(value, path);

/** A record with another value at a dotted path. All values along the path must be records. */
export function withAt(record: JsonRecord, path: string, value: unknown): JsonRecord {
  const name = rootOf(path);
  const below = path.slice(name.length + 1);
  const inner = record[name];
  return { ...record, [name]: below === '' ? value : withAt(isRecord(inner) ? inner : {}, below, value) };
}

/** The first name of a dotted path. */
export const rootOf = (path: string): string => path.split('.', 1)[0]!;

/** The parts of a record at these dotted paths, nested as they were. */
export function pickPaths(record: JsonRecord, paths: readonly string[]): JsonRecord {
  const nested = Map.groupBy(
    paths.filter((path) => at(record, path) !== undefined),
    rootOf,
  );
  return Object.fromEntries(
    [...nested].map(([name, below]) => {
      const inner = below.map((path) => path.slice(name.length + 1));
      const member = record[name];
      return [name, inner.includes('') || !isRecord(member) ? member : pickPaths(member, inner)];
    }),
  );
}

/** Sorts the members of all records in a value, so that equal values have equal JSON. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, canonical(value[name])]),
  );
}
