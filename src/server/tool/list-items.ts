import { isRecord, type JsonRecord } from '../json/index.ts';

/** Members by which the items of a list are told apart, the surest first. */
const identifying = ['id', 'name', 'key', 'mount_point', 'internal_port', 'scaler_type'] as const;

/** Whether two ports can be the same one: a UDP port and one of another protocol may share a number. */
const mayBeSame = (one: JsonRecord, other: JsonRecord): boolean =>
  one['protocol'] === undefined ||
  other['protocol'] === undefined ||
  (one['protocol'] === 'UDP') === (other['protocol'] === 'UDP');

/** Where an item is in a list. */
export type Found =
  | { readonly kind: 'at'; readonly index: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly by: string };

/** Finds an item in a list by its id, else by its name, else by what is unique of such items. */
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

/** What an item of a list is called: its name, or what else tells it apart; undefined if nothing does. */
export function itemLabel(item: JsonRecord): string | undefined {
  const member = ['name', ...identifying].find(
    (name) => typeof item[name] === 'string' || typeof item[name] === 'number',
  );
  return member === undefined ? undefined : String(item[member]);
}

const memberIn = (of: unknown, name: string): unknown =>
  isRecord(of) && Object.hasOwn(of, name) ? of[name] : undefined;

/**
 * What stands in a list in the place of an item of another version of that list: records are found by what identifies
 * them.
 */
function counterpart(list: unknown, item: unknown, index: number): unknown {
  if (!Array.isArray(list)) return undefined;
  if (!isRecord(item) || itemLabel(item) === undefined) return list[index] as unknown;
  const found = findItem(list, item);
  return found.kind === 'at' ? list[found.index] : undefined;
}

/**
 * The part of an input that is sent back as the platform has it: its strings and numbers that are the same there in the
 * same place, and that the caller didn't give. Whatever else there is in the input is new, and nobody may take it for
 * the platform's. Lists keep their places, with undefined for items without such a part.
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
