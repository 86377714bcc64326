import { isRecord, type JsonRecord } from '../json/index.ts';

/** Members that identify the items of a list, the most reliable first. */
const identifying = ['id', 'name', 'key', 'mount_point', 'internal_port', 'scaler_type'] as const;

/** Whether two ports can be the same: a UDP port and one of another protocol may share a number. */
const mayBeSame = (one: JsonRecord, other: JsonRecord): boolean =>
  one['protocol'] === undefined ||
  other['protocol'] === undefined ||
  (one['protocol'] === 'UDP') === (other['protocol'] === 'UDP');

/** The position of an item in a list. */
export type Found =
  | { readonly kind: 'at'; readonly index: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly by: string };

/** Finds an item in a list by its id, otherwise by its name, otherwise by a member that is unique among such items. */
export function findItem(list: readonly unknown[], item: JsonRecord): Found {
  for (const member of identifying) {
    const wanted = item[member];
    if (wanted === undefined || wanted === null) continue;
    const same = list.flatMap((one, index) =>
      isRecord(one) && one[member] === wanted && (member !== 'internal_port' || mayBeSame(one, item)) ? [index] : [],
    );
    if (same.length > 1) return { kind: 'several', by: `${member} ${JSON.stringify(wanted)}` };
    if (same.length === 1) return { kind: 'at', index: same[0]! };
  }
  return { kind: 'none' };
}

/** The label of a list item: its name, or another identifying member; undefined if it has none. */
export function itemLabel(item: JsonRecord): string | undefined {
  const member = ['name', ...identifying].find(
    (name) => typeof item[name] === 'string' || typeof item[name] === 'number',
  );
  return member === undefined ? undefined : String(item[member]);
}

const memberIn = (of: unknown, name: string): unknown =>
  isRecord(of) && Object.hasOwn(of, name) ? of[name] : undefined;

/** The counterpart of a list item in another version of the list: records are found by their identifying members. */
function counterpart(list: unknown, item: unknown, index: number): unknown {
  if (!Array.isArray(list)) return undefined;
  if (!isRecord(item) || itemLabel(item) === undefined) return list[index] as unknown;
  const found = findItem(list, item);
  return found.kind === 'at' ? list[found.index] : undefined;
}

/**
 * The part of an input that is sent back unchanged: strings and numbers that the platform has at the same place, and
 * that the caller didn't give. Everything else in the input is new, and must not be mistaken for the platform's. Lists
 * keep their positions, with undefined for items without such a part.
 * @returns undefined if nothing is sent back.
 */
export function partSentBack(input: unknown, present: unknown, given: unknown): unknown {
  if (Array.isArray(input)) {
    const items = input.map((item, index): unknown =>
      partSentBack(item, counterpart(present, item, index), counterpart(given, item, index)),
    );
    return items.some((item) => item !== undefined) ? items : undefined;
  }
  if (!isRecord(input)) return given === undefined && input === present ? input : undefined;
  const parts = Object.entries(input).flatMap(([name, value]) => {
    const part = partSentBack(value, memberIn(present, name), memberIn(given, name));
    return part === undefined ? [] : [[name, part] as const];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}
