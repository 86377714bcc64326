import * as z from 'zod';
import { DateTime, resourceOf, Uri, Uuid } from '../primitives.ts';
import { computeResources, serviceIdentity } from './service.ts';
import { DeploymentState, Origin } from '../states.ts';
import { StatusDetails } from './deployment.ts';

export const JobType = z.enum(['CRON', 'LIFECYCLE']);

/** A job. Not in the API document. */
export const Job = resourceOf('job', z.object({
  ...serviceIdentity,
  job_type: JobType,
  schedule: z.object({ cronjob: z.object({ scheduled_at: z.string(), timezone: z.string() }) }).optional(),
  source: z.object({ image: z.object({ image_name: z.string(), tag: z.string() }) }),
  cpu: computeResources.cpu,
  memory: computeResources.memory,
  max_duration_seconds: z.int(),
  max_nb_restart: z.int(),
}));

/** A deployment in a deployment history. */
export const DeploymentHistoryItem = z.object({
  identifier: z.object({
    name: z.string(),
    service_id: Uuid.optional(),
    service_type: z.string().optional(),
    environment_id: Uuid.optional(),
    execution_id: z.string(),
  }),
  status: DeploymentState,
  auditing_data: z.object({ created_at: DateTime, updated_at: DateTime, triggered_by: z.string(), origin: Origin }),
  details: z.object({
    commit: z
      .object({
        created_at: DateTime,
        git_commit_id: z.string(),
        tag: z.string(),
        message: z.string(),
        author_name: z.string(),
        author_avatar_url: Uri.optional(),
        commit_page_url: Uri.optional(),
      })
      .optional(),
    image: z.object({ image_name: z.string(), tag: z.string() }).optional(),
    build_pod_name: z.string().optional(),
  }),
  status_details: StatusDetails,
  icon_uri: Uri,
  total_duration: z.string(),
  services: z.array(z.object({ service_id: Uuid, name: z.string(), service_type: z.string(), status: DeploymentState })).optional(),
});

export const DeploymentHistory = z.object({ page: z.number(), page_size: z.number(), results: z.array(DeploymentHistoryItem) });
