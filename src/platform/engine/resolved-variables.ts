import type { Selectable } from 'kysely';
import type { ResolvedVariable, ServiceToRun } from '../runtime/index.ts';
import { type Db, inBatches, type VariableTable } from '../store/index.ts';

/** What decides what a service receives. A variable's texts for people are left out: they may be long. */
const columns = [
  'id',
  'key',
  'scope',
  'variable_type',
  'value',
  'sealed_value',
  'mount_path',
  'linked_variable_id',
  'service_id',
  'environment_id',
  'project_id',
] as const satisfies readonly (keyof VariableTable)[];

type Row = Pick<Selectable<VariableTable>, (typeof columns)[number]>;

const isBuiltIn = ({ scope }: Pick<Row, 'scope'>): boolean => scope === 'BUILT_IN';

/** A service with the scopes that it inherits variables from. */
export interface VariableReader {
  readonly id: string;
  readonly environmentId: string;
  readonly projectId: string;
}

/** A variable that a service receives. */
export interface ReceivedVariable extends ResolvedVariable {
  /** Whether the platform provides it, such as the address of a database. */
  readonly isBuiltIn: boolean;
}

const rowsOf = async (
  db: Db,
  column: 'service_id' | 'environment_id' | 'project_id' | 'id',
  ids: readonly string[],
): Promise<readonly Row[]> => {
  const batches = inBatches([...new Set(ids)]);
  return (
    await Promise.all(
      batches.map((some) => db.selectFrom('variable').select(columns).where(column, 'in', some).execute()),
    )
  ).flat();
};

/**
 * The variables and secrets that services receive, by service id: one per key, sorted by key. An alias has the value of
 * its target. External secrets are omitted: the platform can't read them.
 * @param openSecret opens a sealed value
 */
export async function receivedVariables(
  db: Db,
  readers: readonly VariableReader[],
  openSecret: (sealed: string) => string,
): Promise<ReadonlyMap<string, readonly ReceivedVariable[]>> {
  const rows = [
    ...(await rowsOf(
      db,
      'project_id',
      readers.map(({ projectId }) => projectId),
    )),
    ...(await rowsOf(
      db,
      'environment_id',
      readers.map(({ environmentId }) => environmentId),
    )),
    ...(await rowsOf(
      db,
      'service_id',
      readers.map(({ id }) => id),
    )),
  ].filter(({ variable_type: type }) => type !== 'EXTERNAL_SECRET');
  const linked = await rowsOf(
    db,
    'id',
    rows.flatMap(({ variable_type: type, linked_variable_id: id }) => (type === 'ALIAS' ? (id ?? []) : [])),
  );
  const byId = new Map(linked.map((row) => [row.id, row]));
  const resolved = (row: Row): ReceivedVariable => {
    // An override refers to a variable, too, and has a value of its own.
    const target = row.variable_type === 'ALIAS' ? byId.get(row.linked_variable_id ?? '') : undefined;
    const { value, sealed_value: sealed } = target ?? row;
    return {
      key: row.key,
      value: value ?? (sealed === null ? '' : openSecret(sealed)),
      isSecret: value === null && sealed !== null,
      ...(row.mount_path !== null && { mountPath: row.mount_path }),
      isBuiltIn: isBuiltIn(row),
    };
  };
  // Variables that several services inherit are resolved once.
  const known = new Map<string, ReceivedVariable>();
  const once = (row: Row): ReceivedVariable => {
    if (row.service_id !== null) return resolved(row);
    const variable = known.get(row.id) ?? resolved(row);
    known.set(row.id, variable);
    return variable;
  };
  const byHolder = Map.groupBy(rows, (row) => row.service_id ?? row.environment_id ?? row.project_id);
  return new Map(
    readers.map(({ id, environmentId, projectId }) => {
      // A narrower scope overrides a wider one, and all override what the platform provides.
      const all = [projectId, environmentId, id].flatMap((holder) => byHolder.get(holder) ?? []);
      const lastWins = [...all.filter(isBuiltIn), ...all.filter((row) => !isBuiltIn(row))];
      const byKey = new Map(lastWins.map((row) => [row.key, row]));
      return [id, [...byKey.values()].map(once).toSorted((one, other) => one.key.localeCompare(other.key))];
    }),
  );
}

/** The variables and secrets that one service receives, as `receivedVariables`. */
export async function resolvedVariables(
  db: Db,
  { id, environmentId }: Pick<ServiceToRun, 'id' | 'environmentId'>,
  openSecret: (sealed: string) => string,
): Promise<readonly ResolvedVariable[]> {
  const environment = await db
    .selectFrom('environment')
    .select('project_id')
    .where('id', '=', environmentId)
    .executeTakeFirst();
  const reader = { id, environmentId, projectId: environment?.project_id ?? '' };
  return (await receivedVariables(db, [reader], openSecret)).get(id) ?? [];
}
