import type { OtherPlatform } from '../other-platform/start.ts';
import type { Store } from '../other-platform/store.ts';

type Json = Record<string, unknown>;

/** What changes by itself, and what the platform notes for itself only. */
const passing = new Set(['updated_at', 'ended', 'printed_lines']);

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A value without what changes by itself, and without nulls and empty lists: ids of ports and volumes are made when
 * they are read.
 */
function settled(value: unknown, inside = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => settled(one, inside));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(
    ([name, member]) =>
      member !== null &&
      !passing.has(name) &&
      !(name === 'id' && (inside === 'ports' || inside === 'storage')) &&
      !(Array.isArray(member) && member.length === 0),
  );
  return Object.fromEntries(
    members
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, member]) => [name, settled(member, name)]),
  );
}

const nameIn = (rows: readonly { id: string; name?: unknown }[], id: unknown) =>
  rows.flatMap((row) => (row.id === id && typeof row.name === 'string' ? [row.name] : []))[0] ?? '';

/** What a row is called in a list of changes. */
function labelOf(list: string, row: Json, state: Store): string {
  const environment = nameIn(state.environments, row['environment_id']);
  if (list === 'services') return `${environment}/${String((row['spec'] as Json)['name'])}`;
  if (list === 'deployments') return `${String(row['action'])} in ${environment}`;
  if (list === 'variables') return String(row['key']);
  return String(row['name'] ?? row['email'] ?? row['target_url'] ?? row['domain'] ?? row['id']);
}

type Snapshot = ReadonlyMap<string, { readonly label: string; readonly json: string }>;

/** Everything that the platform keeps, but for what its webhooks did: they are told of every deployment. */
export function snapshot({ state }: OtherPlatform): Snapshot {
  const rows = Object.entries(state).flatMap(([list, kept]): [string, { label: string; json: string }][] => {
    if (list === 'webhookEvents') return [];
    if (kept instanceof Map)
      return [...kept].map(([id, value]) => [`${list} ${id}`, { label: list, json: JSON.stringify(settled(value)) }]);
    return (kept as Json[]).map((row) => {
      const content = list === 'deployments' ? { ...row, services: undefined } : row;
      return [
        `${list} ${String(row['id'] ?? row['request_id'])}`,
        { label: `${list} ${labelOf(list, row, state)}`, json: JSON.stringify(settled(content)) },
      ];
    });
  });
  return new Map(rows);
}

/** What was added (+), taken away (-) and changed (~) between two snapshots, sorted. */
export function changesBetween(before: Snapshot, after: Snapshot): string[] {
  const added = [...after].flatMap(([key, { label }]) => (before.has(key) ? [] : [`+${label}`]));
  const removed = [...before].flatMap(([key, { label }]) => (after.has(key) ? [] : [`-${label}`]));
  const changed = [...after].flatMap(([key, { label, json }]) =>
    before.has(key) && before.get(key)?.json !== json ? [`~${label}`] : [],
  );
  return [...added, ...removed, ...changed].toSorted();
}

/** The paths at which two values differ. */
export function differingPaths(one: unknown, other: unknown, path = ''): string[] {
  const [first, second] = path === '' ? [settled(one), settled(other)] : [one, other];
  if (!isRecord(first) || !isRecord(second)) return JSON.stringify(first) === JSON.stringify(second) ? [] : [path];
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return [...names].flatMap((name) =>
    differingPaths(first[name], second[name], path === '' ? name : `${path}.${name}`),
  );
}
