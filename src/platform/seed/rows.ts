import type { Insertable } from 'kysely';
import type { EnvironmentMode } from '../../contract/resources/environment.ts';
import type { EnvironmentTable, ServiceTable, VariableTable } from '../store/schema/schema.ts';
import { seedId } from './ids.ts';
import type { SeedService } from './services.ts';

type Timestamps = Pick<EnvironmentTable, 'created_at' | 'updated_at'>;

/** An environment with nothing in it. `path` has the names of its project and its own. */
export const environmentRow = (
  { path, mode, cluster }: { readonly path: string; readonly mode: EnvironmentMode; readonly cluster: string }, projectId: string, updatedBy: string, stamps: Timestamps,
): Insertable<EnvironmentTable> => ({
  id: seedId(`environment/${path}`), ...stamps, project_id: projectId, cluster_id: seedId(`cluster/${cluster}`), name: path.split('/')[1]!, mode, updated_by: updatedBy,
  state: 'READY',
});

/** Services that were never deployed, made one after the other from `created_at` on, so that lists keep their order. */
export const serviceRows = (services: readonly SeedService[], { created_at, updated_at }: Timestamps): Insertable<ServiceTable>[] =>
  services.map(({ environment, name, kind, spec }, index) => ({
    id: seedId(`service/${environment}/${name}`), created_at: new Date(Date.parse(created_at) + index * 1000).toISOString(), updated_at,
    environment_id: seedId(`environment/${environment}`), kind, name, spec: JSON.stringify(spec), deployed_state: 'READY', deployment_status: 'NEVER_DEPLOYED',
    deployed_spec: null, deployed_commit: null, last_deployment_id: null, last_deployment_at: null,
  }));

/** Who holds a variable: exactly one of them. */
export type VariableHolder = Pick<VariableTable, 'project_id' | 'environment_id' | 'service_id'>;

/** A variable in clear. `path` is its holder's and its key. */
export const variableRow = (path: string, holder: VariableHolder, scope: VariableTable['scope'], value: string, stamps: Timestamps): Insertable<VariableTable> => ({
  id: seedId(`variable/${path}`), ...stamps, ...holder, key: path.split('/').at(-1)!, scope, variable_type: 'VALUE', value, sealed_value: null, mount_path: null,
  description: null, enable_interpolation_in_file: null, linked_variable_id: null, owned_by: null,
});
