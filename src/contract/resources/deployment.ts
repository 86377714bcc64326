import * as z from 'zod';
import { Condition } from '../conditions/index.ts';
import { DateTime, terminalOutput, Uuid } from '../primitives.ts';
import {
  ApplicationState,
  DeploymentAction,
  DeploymentActionStatus,
  DeploymentState,
  DeploymentSubAction,
  ServiceDeploymentStatusValue,
} from '../states.ts';

/** The latest deployment's action and progress. Before the first one the action is UNKNOWN and the status NEVER. */
export const StatusDetails = z.object({
  action: z.enum([...DeploymentAction.options, 'UNKNOWN']),
  status: z.enum([...DeploymentActionStatus.options, 'NEVER']),
  sub_action: DeploymentSubAction,
});

/** Names of deployment steps, in no particular order. */
export const StepName = z.enum([
  'REGISTRY_CREATE_REPOSITORY',
  'GIT_CLONE',
  'BUILD',
  'MIRROR_IMAGE',
  'DEPLOYMENT_QUEUEING',
  'DEPLOYMENT',
  'ROUTER_DEPLOYMENT',
  'EXECUTING',
  'RESTART',
  'STOP',
]);
export type StepName = z.infer<typeof StepName>;

/** A finished step of a deployment. */
export const FinishedStep = z.object({
  step_name: StepName,
  status: z.enum(['SUCCESS', 'ERROR', 'CANCELED']),
  duration_sec: z.int(),
});

/** The finished steps. The totals are 0 until the deployment has finished. */
const Steps = z.object({
  total_duration_sec: z.int(),
  total_computing_duration_sec: z.int(),
  details: z.array(FinishedStep),
});

/**
 * Resource usage of a service, where that is measured: over the last minutes, except memory, which is from the last
 * measurement. Not in the API document.
 */
const Usage = z.object({
  measured_at: DateTime.optional(),
  seconds: z.int().optional().describe('Over how many seconds.'),
  instances: z.int().optional().describe('How many were measured.'),
  cpu: z.int().optional().describe('Thousandths of a CPU, of all instances.'),
  cpu_worst: z.int().optional().describe('Of the instance that uses most.'),
  cpu_limit: z.int().optional(),
  memory: z.int().optional().describe('MB, of all instances.'),
  memory_worst: z.int().optional(),
  memory_limit: z.int().optional(),
  received_per_second: z.int().optional().describe('Bytes.'),
  sent_per_second: z.int().optional(),
  requests_per_second: z.number().optional().describe('To its public addresses.'),
  error_percent: z.number().optional().describe('Answered with a status of 500 or more.'),
  p95_milliseconds: z.int().optional(),
  missing: z.array(z.string()).describe('What was not measured, and why.'),
});

/**
 * The running instances of a deployed service, where the platform observes them. The counts are absent until the first
 * observation.
 */
const Running = z.object({
  instances: z.int().optional().describe('Instances that do their work.'),
  wanted_instances: z.int().optional(),
  restarts: z.int().describe('How often an instance ended unexpectedly since the deployment.'),
  warnings: z.array(z.string()).describe('What is not as it was deployed, and why.'),
  conditions: z.array(Condition).optional().describe('The same as data.'),
  usage: Usage.optional(),
});

/**
 * Status of one service; `id` is the service, `deployment_request_id` its latest deployment. Members that describe a
 * deployment are absent before the first one.
 */
export const ServiceDeploymentStatus = z.object({
  id: Uuid,
  state: DeploymentState,
  service_deployment_status: ServiceDeploymentStatusValue,
  is_part_last_deployment: z.boolean(),
  status_details: StatusDetails,
  deployment_request_id: Uuid.optional(),
  deployment_requests_count: z.int(),
  last_deployment_date: DateTime.optional(),
  steps: Steps.optional(),
  execution_id: z.string().optional(),
  running: Running.optional(),
});

export const ApplicationStatus = ServiceDeploymentStatus.extend({ state: ApplicationState });

/** Response of a restart: the first service's status, with the statuses of all services in `results`. */
export const RestartedServices = ServiceDeploymentStatus.extend({ results: z.array(ServiceDeploymentStatus) });

export const DeployRequest = z.object({
  git_commit_id: z
    .string()
    .regex(/^[0-9a-f]{7,40}$/i, 'must be a commit hash of 7 to 40 hexadecimal digits')
    .optional()
    .describe('Default: newest.'),
});

/** Versions that a deployment may name, by kind of service. */
export const versionFields = {
  container: { image_tag: z.string().min(1).optional() },
  helm: { chart_version: z.string().min(1).optional() },
} as const;

/** Response of a deploy: the accepted deployment, together with its service's status. `id` is the deployment. */
export const Deployment = ServiceDeploymentStatus.extend({
  status: z.literal('QUEUED'),
  created_at: DateTime,
  application_id: Uuid.optional(),
  container_id: Uuid.optional(),
  database_id: Uuid.optional(),
  job_id: Uuid.optional(),
  helm_id: Uuid.optional(),
  terraform_id: Uuid.optional(),
});

const LogLine = z.object({
  id: Uuid,
  created_at: DateTime,
  message: terminalOutput(),
  pod_name: z.string(),
  version: z.string(),
  condition: Condition.optional().describe('What the platform says with it, as data.'),
});

/** Maximum number of lines in a log response. */
export const maximumLogLines = 1000;

/** Query of every log endpoint. */
export const logQuery = {
  tail: z.int().min(1).max(maximumLogLines).optional().describe('Lines; default all kept (1000).'),
};

/**
 * Log of a service. The second member is not in the API document: it is there if the platform loses what instances
 * logged once others replace them.
 */
export const Log = z.object({
  results: z.array(LogLine),
  instances_since: DateTime.optional().describe('What instances logged before it is lost: they were replaced.'),
});

/** Log of an environment's latest deployments. Each line has its step, service and deployment. */
export const EnvironmentLog = z.object({
  results: z.array(
    LogLine.extend({
      id: z.string().optional(),
      step: StepName.nullable(),
      service_id: Uuid,
      service_name: z.string(),
      deployment_request_id: Uuid,
    }),
  ),
});
