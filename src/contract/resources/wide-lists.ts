import * as z from 'zod';
import { Uuid } from '../primitives.ts';
import { ServiceDeploymentStatus } from './deployment.ts';
import { EnvironmentMode, environmentOutlook, EnvironmentStatus } from './environment.ts';
import { ServiceType } from './service.ts';

// No row is marked as a resource: names are resolved with the lists of projects and environments, and only where many
// are looked up with the list of all services, if that is whole.

/** A service in the list of an organization. Some platforms add its status, and who asked for its last deployment. */
export const ServiceOfOrganization = z.object({
  id: Uuid,
  name: z.string(),
  description: z.string().optional(),
  service_type: ServiceType,
  job_type: z.string().optional(),
  icon_uri: z.string().optional(),
  project_id: Uuid,
  project_name: z.string(),
  environment_id: Uuid,
  environment_name: z.string(),
  cluster_id: Uuid,
  status: ServiceDeploymentStatus.optional(),
  last_deployment_by: z.string().optional(),
});

/** An environment in the list of an organization. Some platforms add the project's name and the cluster. */
export const EnvironmentOfOrganization = z.object({
  id: Uuid,
  name: z.string(),
  mode: EnvironmentMode,
  project: z.object({ id: Uuid, name: z.string().optional() }),
  organization: z.object({ id: Uuid }),
  cluster_id: Uuid.optional(),
  cluster_name: z.string().optional(),
  ...environmentOutlook,
});

/** An environment of a project, with its cluster and overall state. */
export const EnvironmentOverview = z.object({
  id: Uuid,
  name: z.string(),
  mode: EnvironmentMode,
  cluster: z.object({ id: Uuid, name: z.string(), is_demo: z.boolean() }),
  services_overview: z.object({ service_count: z.int() }),
  deployment_status: EnvironmentStatus.nullable(),
  ...environmentOutlook,
});
