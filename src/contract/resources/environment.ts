import * as z from 'zod';
import { DateTime, identity, Name, Pointer, reference, resourceOf, Uuid } from '../primitives.ts';
import { DeploymentState, Origin, ServiceDeploymentStatusValue } from '../states.ts';

/** What an environment is for. Changes to PRODUCTION carry a higher risk. */
export const EnvironmentMode = z.enum(['DEVELOPMENT', 'STAGING', 'PRODUCTION']);
export type EnvironmentMode = z.infer<typeof EnvironmentMode>;

export const EnvironmentRequest = z.object({
  name: Name.describe('Unique in the project.'),
  mode: EnvironmentMode.describe('What it is for.'),
  cluster_id: reference('cluster'),
});

/** Body of the request that copies an environment. What is left out is the original's. */
export const CloneRequest = z.object({
  name: Name.describe('Unique in the project.'),
  mode: EnvironmentMode.optional().describe('What it is for.'),
  cluster_id: reference('cluster').optional(),
  project_id: reference('project').optional(),
  apply_deployment_rule: z.boolean().optional().describe('Whether a rule of the project sets its schedule.'),
});

export const Environment = resourceOf('environment', z.object({
  ...identity,
  name: Name,
  mode: EnvironmentMode,
  cluster_id: Uuid,
  cluster_name: z.string(),
  organization: Pointer,
  project: Pointer,
  last_updated_by: z.string(),
}));

export const EnvironmentStatus = z.object({
  id: Uuid,
  state: DeploymentState,
  last_deployment_state: DeploymentState,
  last_deployment_date: DateTime.nullable(),
  last_deployment_id: z.string().nullable(),
  total_deployment_duration_in_seconds: z.int().nullable(),
  origin: Origin.nullable(),
  triggered_by: z.string().nullable(),
  deployment_status: ServiceDeploymentStatusValue,
  deployment_request_id: Uuid.nullable(),
  metrics: z
    .array(
      z.object({
        stage_id: Uuid,
        total_duration_sec: z.int(),
        details: z.array(z.object({ stage_id: Uuid, step_name: z.string(), status: z.string(), duration_sec: z.int() })),
      }),
    )
    .nullable(),
});

const ids = (kind: 'application' | 'database' | 'container') => z.array(reference(kind)).optional();

export const RestartServicesRequest = z
  .object({ application_ids: ids('application'), database_ids: ids('database'), container_ids: ids('container') })
  .refine((body) => [body.application_ids, body.database_ids, body.container_ids].some((list) => list?.length), {
    error: 'needs at least one id in application_ids, database_ids or container_ids',
    path: ['application_ids'],
  });
