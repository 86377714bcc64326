import type { Insertable, Selectable } from 'kysely';
import { uuidFrom } from '../../common/index.ts';
import type { EnvironmentTable, VariableTable } from '../../store/index.ts';

/** The built-in variables of an environment, by key. */
const valueByKey = {
  PLATFORM_PROJECT_ID: ({ project_id }) => project_id,
  PLATFORM_ENVIRONMENT_ID: ({ id }) => id,
  PLATFORM_ENVIRONMENT_MODE: ({ mode }) => mode,
} satisfies Record<string, (environment: Selectable<EnvironmentTable>) => string>;

/** The rows of an environment's built-in variables. Their ids are derived from the environment's. */
export const builtInVariables = (environment: Selectable<EnvironmentTable>): Insertable<VariableTable>[] =>
  Object.entries(valueByKey).map(([key, valueOf]) => ({
    id: uuidFrom(`${environment.id}/built-in/${key}`), created_at: environment.created_at, updated_at: environment.created_at,
    project_id: null, environment_id: environment.id, service_id: null, key, scope: 'BUILT_IN', variable_type: 'BUILT_IN', value: valueOf(environment),
    sealed_value: null, mount_path: null, description: null, enable_interpolation_in_file: null, linked_variable_id: null, owned_by: null,
  }));
