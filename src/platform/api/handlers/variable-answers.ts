import type { Selectable, Insertable } from 'kysely';
import type * as z from 'zod';
import type { VariableServiceType } from '../../../contract/index.ts';
import type { Db, VariableTable, EnvironmentTable } from '../../store/index.ts';
import { uuidFrom } from '../../common/index.ts';

/** The built-in variables of an environment, by key. */
const valueByKey = {
  PLATFORM_PROJECT_ID: ({ project_id }) => project_id,
  PLATFORM_ENVIRONMENT_ID: ({ id }) => id,
  PLATFORM_ENVIRONMENT_MODE: ({ mode }) => mode,
} satisfies Record<string, (environment: Selectable<EnvironmentTable>) => string>;

/** The rows of an environment's built-in variables. Their ids are derived from the environment's. */
export const builtInVariables = (environment: Selectable<EnvironmentTable>): Insertable<VariableTable>[] =>
  Object.entries(valueByKey).map(([key, valueOf]) => ({
    id: uuidFrom(`${environment.id}/built-in/${key}`),
    created_at: environment.created_at,
    updated_at: environment.created_at,
    project_id: null,
    environment_id: environment.id,
    service_id: null,
    key,
    scope: 'BUILT_IN',
    variable_type: 'BUILT_IN',
    value: valueOf(environment),
    sealed_value: null,
    mount_path: null,
    description: null,
    enable_interpolation_in_file: null,
    linked_variable_id: null,
    owned_by: null,
  }));

type Row = Selectable<VariableTable>;

const holders = async (db: Db, rows: readonly Row[]) => {
  const ids = rows.flatMap((row) => row.service_id ?? []);
  const services =
    ids.length === 0
      ? []
      : await db.selectFrom('service').select(['id', 'name', 'kind']).where('id', 'in', ids).execute();
  return new Map(services.map((service) => [service.id, service]));
};

const linkedVariables = async (db: Db, rows: readonly Row[]) => {
  const ids = rows.flatMap((row) => row.linked_variable_id ?? []);
  const linked = ids.length === 0 ? [] : await db.selectFrom('variable').selectAll().where('id', 'in', ids).execute();
  return new Map(linked.map((row) => [row.id, row]));
};

const serviceMembers = (service: { id: string; name: string; kind: string }) => ({
  service_id: service.id,
  service_name: service.name,
  service_type: service.kind.toUpperCase() as z.infer<typeof VariableServiceType>,
});

// A secret's value is never shown, not even through a variable that links to it.
const linkedMembers = ({ id, key, value, mount_path, scope, variable_type }: Row) => ({
  id,
  key,
  value: value ?? '',
  mount_path,
  scope,
  variable_type,
});

/** Variables in responses, with their services and the variables they link to. */
export async function variableAnswers(db: Db, rows: readonly Row[]) {
  const [services, linked] = [await holders(db, rows), await linkedVariables(db, rows)];
  return rows.map((row) => {
    const { service_id: serviceId, linked_variable_id: linkedId, ...shown } = row;
    const service = serviceId === null ? undefined : services.get(serviceId);
    const target = linkedId === null ? undefined : linked.get(linkedId);
    const isAlias = row.variable_type === 'ALIAS';
    return {
      ...shown,
      value: (isAlias && target ? target.value : row.value) ?? '',
      description: row.description ?? undefined,
      enable_interpolation_in_file:
        row.enable_interpolation_in_file === null ? undefined : row.enable_interpolation_in_file === 1,
      owned_by: row.owned_by ?? undefined,
      ...(service && serviceMembers(service)),
      ...(target && { [isAlias ? 'aliased_variable' : 'overridden_variable']: linkedMembers(target) }),
    };
  });
}
