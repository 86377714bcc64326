import { isRecord, prune, withoutNull, type JsonRecord, type JsonSchema } from '../../json/index.ts';
import { findItem, itemLabel } from '../list-items.ts';
import { show, showName } from './preview.ts';

/** A value with the schema's defaults filled in and its members sorted. */
function completed(value: unknown, node: JsonSchema | undefined): unknown {
  const schema = node && withoutNull(node);
  if (Array.isArray(value)) return value.map((item) => completed(item, schema?.items));
  if (!isRecord(value)) return value ?? schema?.default;
  const known = schema?.properties ?? {};
  const names = [...new Set([...Object.keys(known), ...Object.keys(value)])].toSorted();
  return Object.fromEntries(names.map((name) => [name, completed(value[name], known[name])]));
}

const textFor = (value: unknown, node: JsonSchema | undefined): string =>
  JSON.stringify(prune(completed(value, node))) ?? '';

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || ['[]', '{}', '""'].includes(JSON.stringify(prune(value)));

/** Whether a list has only records that can be identified. */
const isKeyed = (list: readonly unknown[]): list is readonly JsonRecord[] =>
  list.every((item) => isRecord(item) && itemLabel(item) !== undefined);

/** Changes to the records of a list: for a record that stays, each of its members. */
function itemChanges(
  path: string,
  before: readonly JsonRecord[],
  after: readonly JsonRecord[],
  items: JsonSchema = {},
): string[] {
  const pairs = after.map((item) => ({ item, found: findItem(before, item) }));
  const kept = new Set(pairs.flatMap(({ found }) => (found.kind === 'at' ? [found.index] : [])));
  const lines = [
    ...before.flatMap((item, index) => (kept.has(index) ? [] : [`${path}: removes ${show(item)}`])),
    ...pairs.flatMap(({ item, found }) => {
      if (found.kind !== 'at') return [`${path}: adds ${show(item)}`];
      const own = before[found.index]!;
      return changes(own, item, withoutNull(items), { path: `${path}[${showName(itemLabel(own) ?? '')}]`, reason: '' });
    }),
  ];
  const isMoved = pairs.some(({ found }, index) => found.kind === 'at' && found.index !== index);
  return lines.length === 0 && isMoved ? [`${path}: ${show(before)} → ${show(after)}`] : lines;
}

/** Items that are removed and added. A different order is reported only if nothing else differs. */
function listChanges(
  path: string,
  before: readonly unknown[],
  after: readonly unknown[],
  items: JsonSchema | undefined,
): string[] {
  if (isKeyed(before) && isKeyed(after)) return itemChanges(path, before, after, items);
  const texts = (list: readonly unknown[]): string[] => list.map((item) => textFor(item, items));
  const [was, is] = [texts(before), texts(after)];
  const removed = before.filter((_, index) => !is.includes(was[index]!));
  const added = after.filter((_, index) => !was.includes(is[index]!));
  if (removed.length + added.length === 0)
    return was.join('\n') === is.join('\n') ? [] : [`${path}: ${show(before)} → ${show(after)}`];
  return [
    ...removed.map((item) => `${path}: removes ${show(item)}`),
    ...added.map((item) => `${path}: adds ${show(item)}`),
  ];
}

/** Why a replacement drops a member; empty if the caller removed it. */
type Reason = ', because it is not given' | '';

/** A member that a replacement leaves out is lost, or reset to its default. */
function dropped(path: string, before: unknown, { default: preset }: JsonSchema, reason: Reason): string[] {
  if (isNothing(before) || textFor(before, undefined) === textFor(preset, undefined)) return [];
  return [`${path}: ${show(before)} → ${preset === undefined ? 'removed' : `${show(preset)}, the default`}${reason}`];
}

function memberChanges(path: string, before: unknown, after: unknown, node: JsonSchema, reason: Reason): string[] {
  const schema = withoutNull(node);
  if (after === undefined) return dropped(path, before, schema, reason);
  // A secret that is sent as null stays as it is stored.
  if (schema.secret) return after === null ? [] : [`${path}: replaced; what it is now is never shown`];
  if (isRecord(before) && isRecord(after) && schema.properties) return changes(before, after, schema, { path, reason });
  if (Array.isArray(before) && Array.isArray(after)) return listChanges(path, before, after, schema.items);
  if (textFor(before, schema) === textFor(after, schema) || (isNothing(before) && isNothing(after))) return [];
  return [
    isNothing(before)
      ? `${path}: ${show(after)}, where there was nothing`
      : `${path}: ${show(before)} → ${show(after)}`,
  ];
}

/**
 * The changes of a replacement, one line for each member: before → after. Includes members that it drops by leaving
 * them out.
 * @param before the present state, reduced to what the schema declares.
 * @param after the replacement that is sent.
 * @param path dotted path of both values. `reason`: why members that `after` lacks are dropped. `called`: what members
 *   are called in place of their names.
 */
export function changes(
  before: JsonRecord,
  after: JsonRecord,
  schema: JsonSchema,
  {
    path = '',
    reason = ', because it is not given',
    called = {},
  }: { path?: string; reason?: Reason; called?: Readonly<Record<string, string>> } = {},
): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    memberChanges(path ? `${path}.${name}` : (called[name] ?? name), before[name], after[name], member, reason),
  );
}
