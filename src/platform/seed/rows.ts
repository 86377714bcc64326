import type { Insertable } from 'kysely';
import type { EnvironmentMode } from '../../contract/index.ts';
import type { EnvironmentTable, ServiceTable, VariableTable } from '../store/index.ts';
import { seedId } from './ids.ts';
import type { SeedService } from './services.ts';

type Timestamps = Pick<EnvironmentTable, 'created_at' | 'updated_at'>;

/** An empty environment. @param path the project's name and its own, separated by a slash */
export const environmentRow = (
  { path, mode, cluster }: { readonly path: string; readonly mode: EnvironmentMode; readonly cluster: string }, projectId: string, updatedBy: string, stamps: Timestamps,
): Insertable<EnvironmentTable> => ({
  id: seedId(`environment/${path}`), ...stamps, project_id: projectId, cluster_id: seedId(`cluster/${cluster}`), name: path.split('/')[1]!, mode, updated_by: updatedBy,
  state: 'READY',
});

/** Services that were never deployed. Each is created a second after the one before, so that lists keep their order. */
export const serviceRows = (services: readonly SeedService[], { created_at, updated_at }: Timestamps): Insertable<ServiceTable>[] =>
  services.map(({ environment, name, kind, spec }, index) => ({
    id: seedId(`service/${environment}/${name}`), created_at: new Date(Date.parse(created_at) + index * 1000).toISOString(), updated_at,
    environment_id: seedId(`environment/${environment}`), kind, name, spec: JSON.stringify(spec), deployed_state: 'READY', deployment_status: 'NEVER_DEPLOYED',
    deployed_spec: null, deployed_commit: null, deployed_record: null, last_deployment_id: null, last_deployment_at: null,
  }));

/** The owner of a variable. Exactly one of the ids is set. */
export type VariableHolder = Pick<VariableTable, 'project_id' | 'environment_id' | 'service_id'>;

/** A plain text variable. @param path the owner's path and the key, separated by a slash */
export const variableRow = (path: string, holder: VariableHolder, scope: VariableTable['scope'], value: string, stamps: Timestamps): Insertable<VariableTable> => ({
  id: seedId(`variable/${path}`), ...stamps, ...holder, key: path.split('/').at(-1)!, scope, variable_type: 'VALUE', value, sealed_value: null, mount_path: null,
  description: null, enable_interpolation_in_file: null, linked_variable_id: null, owned_by: null,
});
