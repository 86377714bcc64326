import { isRecord, type JsonRecord } from '../json/index.ts';

/** Members by which the items of a list are told apart, the surest first. */
const identifying = ['id', 'name', 'key', 'mount_point', 'internal_port', 'scaler_type'] as const;

/** Whether two ports can be the same one: a UDP port and one of another protocol may share a number. */
const mayBeSame = (one: JsonRecord, other: JsonRecord): boolean =>
  one['protocol'] === undefined || other['protocol'] === undefined || (one['protocol'] === 'UDP') === (other['protocol'] === 'UDP');

/** Where an item is in a list. */
export type Found = { readonly kind: 'at'; readonly index: number } | { readonly kind: 'none' } | { readonly kind: 'several'; readonly by: string };

/** Finds an item in a list by its id, else by its name, else by what is unique of such items. */
export function findItem(list: readonly unknown[], item: JsonRecord): Found {
  for (const member of identifying) {
    const wanted = item[member];
    if (wanted === undefined || wanted === null) continue;
    const same = list.flatMap((one, index) => (isRecord(one) && one[member] === wanted && (member !== 'internal_port' || mayBeSame(one, item)) ? [index] : []));
    if (same.length > 1) return { kind: 'several', by: `${member} ${JSON.stringify(wanted)}` };
    if (same.length === 1) return { kind: 'at', index: same[0]! };
  }
  return { kind: 'none' };
}

/** What an item of a list is called: its name, or what else tells it apart; undefined if nothing does. */
export function itemLabel(item: JsonRecord): string | undefined {
  const member = ['name', ...identifying].find((name) => typeof item[name] === 'string' || typeof item[name] === 'number');
  return member === undefined ? undefined : String(item[member]);
}
