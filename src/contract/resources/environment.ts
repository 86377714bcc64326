import * as z from 'zod';
import { DateTime, identity, Name, Pointer, reference, resourceOf, Uuid } from '../primitives.ts';
import { DeployRequest, versionFields } from './deployment.ts';
import type { ServiceKind } from './service.ts';
import { DeploymentState, Origin, ServiceDeploymentStatusValue } from '../states.ts';

/** The purpose of an environment. Changes to PRODUCTION carry a higher risk. */
export const EnvironmentMode = z.enum(['DEVELOPMENT', 'STAGING', 'PRODUCTION']);
export type EnvironmentMode = z.infer<typeof EnvironmentMode>;

/** The mode of production. */
export const productionMode = 'PRODUCTION' satisfies EnvironmentMode;

/** Whether a mode is that of production, whose changes carry a higher risk, and which is listed before others. */
export const isProduction = (mode: unknown): boolean => mode === productionMode;

/** Whether a mode is that of production, or could not be determined, which must count as production. */
export const mayBeProduction = (mode: unknown): boolean => isProduction(mode) || mode === 'unknown';

/** Compares environments for a sort that lists production first. */
export const productionFirst = (one: { readonly mode?: unknown }, other: { readonly mode?: unknown }): number =>
  Number(isProduction(other.mode)) - Number(isProduction(one.mode));

// From the most critical to the least.
const modesByRisk = [productionMode, 'unknown', 'STAGING', 'DEVELOPMENT'] as const;

/** The most critical of these modes; `none` if none of them is the mode of an environment. */
export const mostCriticalOf = (
  modes: readonly (EnvironmentMode | 'unknown' | 'none')[],
): EnvironmentMode | 'unknown' | 'none' => modesByRisk.find((mode) => modes.includes(mode)) ?? 'none';

export const EnvironmentRequest = z.object({
  name: Name.describe('Unique in the project.'),
  mode: EnvironmentMode.describe('What it is for.'),
  cluster_id: reference('cluster'),
});

/** Body of the request that renames an environment or changes its mode. It stays on its cluster. */
export const EnvironmentUpdateRequest = EnvironmentRequest.pick({ name: true, mode: true });

/** Body of the request that gives an environment an end, or another one. */
export const EnvironmentEndRequest = z.object({
  ends_at: DateTime.describe('When it ends.'),
  reason: z.string().min(1).max(500).optional().describe('Shown beside it.'),
});

/** Body of the request that clones an environment. Omitted members are those of the original. */
export const CloneRequest = z.object({
  name: Name.describe('Unique in the project.'),
  mode: EnvironmentMode.optional().describe('What it is for.'),
  cluster_id: reference('cluster').optional(),
  project_id: reference('project').optional(),
  apply_deployment_rule: z.boolean().optional().describe('Whether a rule of the project sets its schedule.'),
});

/** What a platform does or refuses by itself. Not in the API document. */
export const environmentOutlook = {
  stopped_by_timetable: z.boolean().optional().describe('Stopped by its timetable, by nobody else.'),
  starts_at: DateTime.optional().describe('When its timetable starts it.'),
  stops_at: DateTime.optional().describe('When its timetable stops it.'),
  refused_until: DateTime.optional().describe('Until then its deployments are refused.'),
  refused_by: z.string().optional().describe('The deployment window that refuses them.'),
  refused_because: z.string().optional(),
  ends_at: DateTime.optional().describe('When the platform deletes it.'),
  end_reason: z.string().optional(),
  end_set_by: z.string().optional(),
};

export const Environment = resourceOf(
  'environment',
  z.object({
    ...identity,
    name: Name,
    mode: EnvironmentMode,
    cluster_id: Uuid,
    cluster_name: z.string(),
    organization: Pointer,
    project: Pointer.extend({ name: z.string().optional().describe('Not in the API document.') }),
    last_updated_by: z.string(),
    ...environmentOutlook,
  }),
);

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
        details: z.array(
          z.object({ stage_id: Uuid, step_name: z.string(), status: z.string(), duration_sec: z.int() }),
        ),
      }),
    )
    .nullable(),
});

const ids = (kind: ServiceKind) => z.array(reference(kind)).optional();

const namesAny = (body: Readonly<Record<string, readonly unknown[] | undefined>>): boolean =>
  Object.values(body).some((list) => list?.length);

export const RestartServicesRequest = z
  .object({ application_ids: ids('application'), database_ids: ids('database'), container_ids: ids('container') })
  .refine(namesAny, {
    error:
      'needs at least one service in "application_ids", "database_ids" or "container_ids"; services of other kinds are deployed, not restarted',
    path: ['application_ids'],
  });

/** Ids of services of every kind, at least one. */
export const StopServicesRequest = z
  .object({
    application_ids: ids('application'),
    container_ids: ids('container'),
    database_ids: ids('database'),
    job_ids: ids('job'),
    helm_ids: ids('helm'),
    terraform_ids: ids('terraform'),
  })
  .refine(namesAny, { error: 'needs at least one service', path: ['application_ids'] });

/** Services to deploy, at least one. A service without a version stays at the one that was deployed before. */
export const DeployServicesRequest = z
  .object({
    applications: z.array(z.object({ application_id: reference('application'), ...DeployRequest.shape })).optional(),
    containers: z.array(z.object({ id: reference('container'), ...versionFields.container })).optional(),
    jobs: z.array(z.object({ id: reference('job'), ...versionFields.container, ...DeployRequest.shape })).optional(),
    helms: z.array(z.object({ id: reference('helm'), ...versionFields.helm, ...DeployRequest.shape })).optional(),
    terraforms: z.array(z.object({ id: reference('terraform'), ...DeployRequest.shape })).optional(),
    databases: ids('database'),
  })
  .refine(namesAny, { error: 'needs at least one service', path: ['applications'] });
