import { isRecord, omit, pick, type JsonRecord } from '../json/index.ts';
import { findItem, itemLabel } from './list-items.ts';

/** The member by which a list's item is removed. */
export const removal = 'remove';

/** Members that are merged in a special way, by dotted path. */
export interface MergeRules {
  /**
   * Records, by dotted path, that hold exactly one of several alternatives: giving another one replaces the present
   * one.
   */
  readonly exclusive?: readonly string[];
  /**
   * Records whose members form mutually exclusive kinds, by dotted path: giving members of one kind removes those of
   * the others.
   */
  readonly kinds?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Required members that can be null: for them, null is a value and doesn't remove the member. */
  readonly nullable?: readonly string[];
}

/** A patch that doesn't identify an item of a list. The text contains only the caller's values. */
export class UnclearPatch extends Error {}

/** The path of a member. */
export const below = (path: string, name: string): string => (path ? `${path}.${name}` : name);

const unclear = (path: string, item: JsonRecord, why: string): never => {
  throw new UnclearPatch(`"${path}"${itemLabel(item) === undefined ? '' : `, item ${itemLabel(item)}`}: ${why}`);
};

/** Merges items into a list of records: items found by id, otherwise by name, are changed; others are added. */
function mergeItems(
  current: readonly unknown[],
  patch: readonly JsonRecord[],
  rules: MergeRules,
  path: string,
): unknown[] {
  // If requests have no ids, those that were read are left out.
  const hasIds = current.length === 0 || current.some((item) => isRecord(item) && item['id'] !== undefined);
  const changed = new Map<number, JsonRecord | undefined>();
  const added: JsonRecord[] = [];
  for (const given of patch) {
    const item = omit(given, hasIds || Object.keys(given).length === 1 ? [removal] : [removal, 'id']);
    const found = findItem(current, item);
    if (found.kind === 'several') unclear(path, item, `there are several of ${found.by}; give the id`);
    // An item that is only a reference is added by its id; any other gets its id from the platform.
    const isKnown = typeof item['id'] === 'string' && Object.keys(item).length > 1;
    if (found.kind === 'none' && (given[removal] === true || isKnown)) unclear(path, item, 'there is no such item now');
    if (found.kind !== 'at') added.push(mergeInto({}, item, rules, path));
    else if (changed.has(found.index)) unclear(path, item, 'it is given twice');
    else
      changed.set(
        found.index,
        given[removal] === true ? undefined : mergeInto(current[found.index] as JsonRecord, item, rules, path),
      );
  }
  return [...current.flatMap((item, index) => (changed.has(index) ? (changed.get(index) ?? []) : [item])), ...added];
}

function mergeMember(current: unknown, patch: unknown, rules: MergeRules, path: string): unknown {
  if (
    Array.isArray(patch) &&
    patch.length > 0 &&
    patch.every((item) => isRecord(item) && itemLabel(item) !== undefined)
  )
    return mergeItems(Array.isArray(current) ? current : [], patch, rules, `${path}[]`);
  if (!isRecord(patch)) return patch;
  // If there was no record, null has nothing to remove, and is dropped.
  const merged = mergeInto(isRecord(current) ? current : {}, patch, rules, path);
  if (rules.exclusive?.includes(path))
    return Object.fromEntries(Object.entries(merged).filter(([name]) => patch[name] !== undefined));
  const given = (rules.kinds?.[path] ?? []).filter((names) =>
    names.some((name) => (patch[name] ?? undefined) !== undefined),
  );
  return given.length === 0 ? merged : pick(merged, given.flat());
}

/**
 * Applies a JSON merge patch (RFC 7396): null removes a member, records are merged, other values replaced. Unlike in
 * the RFC, lists of records with ids, names or similar members are also merged, item by item; an empty list replaces.
 * @throws UnclearPatch if an item of a list could be several, or doesn't exist.
 */
export function mergeInto(current: JsonRecord, patch: JsonRecord, rules: MergeRules = {}, path = ''): JsonRecord {
  const removes = (name: string): boolean => patch[name] === null && !rules.nullable?.includes(below(path, name));
  const changed = Object.entries(patch)
    .filter(([name, value]) => value !== undefined && !removes(name))
    .map(([name, value]) => [name, mergeMember(current[name], value, rules, below(path, name))]);
  const remaining = Object.entries(current).filter(([name]) => !removes(name));
  return { ...Object.fromEntries(remaining), ...Object.fromEntries(changed) };
}
