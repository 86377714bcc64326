import * as z from 'zod';
import { defaultPageSizes, maximumInstances } from '../limits.ts';
import { DateTime, freeText, Name, PageNumber, PageSize, reference, resourceOf, Uri, Uuid } from '../primitives.ts';
import { GitRepositoryRequest } from './application.ts';
import { ImageTag } from './container.ts';
import {
  AnnotationsGroup,
  computeResources,
  GitRepository,
  groupReferences,
  Healthchecks,
  LabelsGroup,
  serviceIdentity,
} from './service.ts';
import { DeploymentState, Origin } from '../states.ts';
import { FinishedStep, StatusDetails } from './deployment.ts';

export const JobType = z.enum(['CRON', 'LIFECYCLE']);

const exactlyOne = (value: object, names: readonly string[]): boolean =>
  names.filter((name) => ((value as Record<string, unknown>)[name] ?? undefined) !== undefined).length === 1;

const command = { entrypoint: z.string().optional(), arguments: z.array(z.string()).optional() };

const Command = z.object(command);

const CronJob = z.object({
  scheduled_at: z
    .string()
    .regex(/^\S+( +\S+){4}$/, 'must be a cron expression of five fields, without seconds')
    .describe('Cron, five fields.'),
  timezone: z.string().min(1).default('Etc/UTC').describe('Such as Europe/Paris.'),
  ...command,
});

const lifecycle = {
  on_start: Command.optional(),
  on_stop: Command.optional(),
  on_delete: Command.optional(),
  lifecycle_type: z.string().optional(),
};

/** The members of the two kinds of schedules. They exclude each other. */
export const scheduleKinds = [['cronjob'], Object.keys(lifecycle)] as const;

const Schedule = z.object({ cronjob: CronJob.optional(), ...lifecycle });

const ScheduleRequest = Schedule.refine(
  ({ cronjob, ...others }) =>
    exactlyOne({ cronjob, event: others.on_start ?? others.on_stop ?? others.on_delete }, ['cronjob', 'event']) &&
    (cronjob === undefined || others.lifecycle_type === undefined),
  { error: 'must have either cronjob or at least one of on_start, on_stop, on_delete' },
);

const docker = {
  dockerfile_path: z.string().nullish(),
  dockerfile_raw: freeText().nullish(),
  docker_target_build_stage: z.string().nullish(),
};

const JobImage = z.object({
  image_name: z.string().min(1),
  tag: ImageTag,
  registry_id: reference('registry').optional(),
});

const JobSourceRequest = z
  .object({
    image: JobImage.optional(),
    docker: z.object({ git_repository: GitRepositoryRequest, ...docker }).optional(),
  })
  .refine((source) => exactlyOne(source, ['image', 'docker']), { error: 'must have exactly one of image and docker' });

const jobFields = {
  port: z.int().min(1).nullish().describe('Probed, never public.'),
  auto_preview: z.boolean().optional().describe("Default: the environment's."),
  auto_deploy: z.boolean().nullish().describe('On each new tag or commit.'),
};

/** A job, in requests: its schedule decides whether it runs at set times or at events of its environment. */
export const JobRequest = z.object({
  name: Name.describe('Unique in the environment.'),
  source: JobSourceRequest.describe('What it runs.'),
  schedule: ScheduleRequest.describe('When it runs.'),
  healthchecks: Healthchecks.optional(),
  ...computeResources,
  description: z.string().optional(),
  max_nb_restart: z.int().min(0).max(maximumInstances).default(0).describe('Retries when it fails.'),
  max_duration_seconds: z.int().min(0).default(300).describe('Longest run.'),
  ...jobFields,
  ...groupReferences,
  icon_uri: Uri.optional(),
});

/** A job. Not in the API document. */
export const Job = resourceOf(
  'job',
  z.object({
    ...serviceIdentity,
    job_type: JobType,
    schedule: Schedule.optional(),
    source: z.object({
      image: JobImage.extend({ tag: z.string() }).optional(),
      docker: z.object({ git_repository: GitRepository, ...docker }).optional(),
    }),
    healthchecks: Healthchecks.optional(),
    cpu: computeResources.cpu,
    memory: computeResources.memory,
    gpu: computeResources.gpu.optional(),
    max_duration_seconds: z.int(),
    max_nb_restart: z.int(),
    ...jobFields,
    annotations_groups: z.array(AnnotationsGroup).optional(),
    labels_groups: z.array(LabelsGroup).optional(),
  }),
);

/** The author and origin of runs that the schedule of a job brings about. */
export const scheduleRequester = { origin: 'SERVICE_INTERNAL', triggeredBy: 'schedule' } as const;

/** Most arguments of one run, and the longest of them in characters. */
const runArguments = { most: 100, longest: 4000 } as const;

export const JobRunRequest = z.object({
  arguments: z
    .array(z.string().max(runArguments.longest))
    .max(runArguments.most)
    .optional()
    .describe("Replace the job's, for this run only."),
});

export const JobRunCancelRequest = z.object({ execution_id: Uuid.optional().describe('Default: the run under way.') });

/** One run of a job. Not in the API document. */
export const JobRun = z.object({
  execution_id: Uuid,
  job_id: Uuid,
  state: DeploymentState,
  created_at: DateTime,
  triggered_by: z.string(),
  arguments: z.array(z.string()).optional().describe("In place of the job's."),
});

/** A commit of a service's branch. */
export const Commit = z.object({
  created_at: DateTime,
  git_commit_id: z.string(),
  tag: z.string(),
  message: z.string(),
  author_name: z.string(),
  author_avatar_url: Uri.optional(),
  commit_page_url: Uri.optional(),
});

/** Maximum number of commits in a list. */
export const listedCommits = 100;

/** The version that a deployment brought, by where it is from. */
const DeployedVersion = z.object({
  commit: Commit.optional(),
  image: z.object({ image_name: z.string(), tag: z.string() }).optional(),
  repository: z.object({ chart_name: z.string(), chart_version: z.string() }).optional(),
});

/**
 * A deployment in a deployment history. Its steps and the schedule of a job, in the history of a service, and the
 * versions of its services, in that of an environment, are not in the API document.
 */
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
  details: DeployedVersion.extend({
    build_pod_name: z.string().optional(),
    arguments: z.array(z.string()).optional().describe('Of this run only.'),
    schedule: z
      .object({ cronjob: z.object({ scheduled_at: z.string(), timezone: z.string() }).optional() })
      .optional()
      .describe('Of the version of a cron job that was deployed or ran.'),
  }),
  status_details: StatusDetails,
  icon_uri: Uri,
  total_duration: z.string(),
  steps: z.array(FinishedStep).optional().describe('The finished ones.'),
  services: z
    .array(
      z.object({
        service_id: Uuid,
        name: z.string(),
        service_type: z.string(),
        status: DeploymentState,
        details: DeployedVersion.optional(),
      }),
    )
    .optional(),
});

/** Query of the deployment histories, which use `pageSize` instead of `page_size`. */
export const historyQuery = {
  page: PageNumber.optional(),
  pageSize: PageSize.nullish().describe(`Deployments per page, default ${defaultPageSizes.rows}.`),
};

export const DeploymentHistory = z.object({
  page: z.number(),
  page_size: z.number(),
  results: z.array(DeploymentHistoryItem),
});
