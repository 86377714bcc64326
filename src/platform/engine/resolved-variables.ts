import type { Selectable } from 'kysely';
import type { VariableScope } from '../../contract/index.ts';
import type { ResolvedVariable, ServiceToRun } from '../runtime/index.ts';
import type { Db, VariableTable } from '../store/index.ts';

type Row = Selectable<VariableTable>;

/** From the widest scope to the narrowest, which is the service's. A narrower scope overrides a wider one. */
const sharedScopes: readonly VariableScope[] = ['BUILT_IN', 'PROJECT', 'ENVIRONMENT'];
const rank = ({ scope }: Row): number =>
  sharedScopes.includes(scope) ? sharedScopes.indexOf(scope) : sharedScopes.length;

const linkedRows = async (db: Db, rows: readonly Row[]): Promise<ReadonlyMap<string, Row>> => {
  const ids = rows.flatMap(({ linked_variable_id: id }) => id ?? []);
  const found = ids.length === 0 ? [] : await db.selectFrom('variable').selectAll().where('id', 'in', ids).execute();
  return new Map(found.map((row) => [row.id, row]));
};

/**
 * The variables and secrets that a service receives, one per key, sorted by key. An alias has the value of its target.
 * External secrets are omitted: the platform can't read them.
 * @param openSecret opens a sealed value
 */
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
  const rows = await db
    .selectFrom('variable')
    .selectAll()
    .where((where) =>
      where.or([
        where('service_id', '=', id),
        where('environment_id', '=', environmentId),
        where('project_id', '=', environment?.project_id ?? ''),
      ]),
    )
    .execute();
  const linked = await linkedRows(
    db,
    rows.filter(({ variable_type: type }) => type === 'ALIAS'),
  );
  const byKey = new Map(
    rows
      .filter(({ variable_type: type }) => type !== 'EXTERNAL_SECRET')
      .toSorted((one, other) => rank(one) - rank(other))
      .map((row) => [row.key, row]),
  );
  const resolved = (row: Row): ResolvedVariable => {
    const source = linked.get(row.linked_variable_id ?? '') ?? row;
    const { value, sealed_value: sealed } = source;
    return {
      key: row.key,
      value: value ?? (sealed === null ? '' : openSecret(sealed)),
      isSecret: value === null && sealed !== null,
      ...(row.mount_path !== null && { mountPath: row.mount_path }),
    };
  };
  return [...byKey.values()].map(resolved).toSorted((one, other) => one.key.localeCompare(other.key));
}
