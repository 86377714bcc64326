import type { Generated } from 'kysely';
import type * as z from 'zod';
import type { backupStates, DeploymentAction, DeploymentActionStatus, DeploymentState, EventKind, Origin, ServiceKind, StepName } from '../../../contract/index.ts';
import type { BooleanColumn, Json } from './columns.ts';

/** A worker process. Its claims last as long as its row. */
interface WorkerTable {
  id: string;
  /** Where its process id means that process. */
  host: string;
  pid: number;
  lease_until_ms: number;
}

/** A row that a worker can claim. `owner` is null while it is unclaimed. */
interface Claimable {
  owner: string | null;
}

/**
 * One accepted request. The deployments of a `queue` run one at a time, in the order of `seq`. The queue is the environment's
 * id or, for a scheduled run of a job, that job's own queue.
 */
interface DeploymentTable extends Claimable {
  seq: Generated<number>;
  id: string;
  /** It may be deleted by now. */
  environment_id: string;
  queue: string;
  action: DeploymentAction;
  status: z.infer<typeof DeploymentActionStatus>;
  origin: z.infer<typeof Origin>;
  triggered_by: string;
  canceling: Generated<BooleanColumn>;
  /** Whether a DELETE takes the environment with its services. */
  takes_environment: Generated<BooleanColumn>;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** When it is due next; null once it has ended. */
  due_ms: number | null;
  /** Grows with each claim, and from one deployment of the queue to the next. A worker whose claim it wasn't writes nothing. */
  fencing_token: Generated<number>;
}

/** One service of a deployment. */
interface DeploymentServiceTable {
  deployment_id: string;
  /** It may be deleted by now. */
  service_id: string;
  kind: ServiceKind;
  name: string;
  /** The position of its stage in the deployment, from 0. */
  stage: number;
  stage_id: string;
  state: DeploymentState;
  /** The index of the current phase in its state path; null before the first phase and after the end. */
  phase: number | null;
  phase_began_ms: number | null;
  due_ms: number | null;
  /** The cursor of the runtime's last observation; null before the first one of a phase. */
  cursor: string | null;
  /** What the runtime has to know of it in later phases. */
  record: string | null;
  /** Counts the changes of the row. A change is written only if the row still has the revision it was based on. */
  revision: number;
  /** The configuration at the start of the first phase. */
  spec: Json | null;
  requested_commit: string | null;
  /** The commit that was found, as `DeployedCommit` (service-spec.ts). */
  commit: Json | null;
  /** Whether the configuration has changed since then. */
  outdated: Generated<BooleanColumn>;
  /** The backup that a database is brought back from, as `Restoration` (runtime/task.ts). */
  restoration: Generated<Json | null>;
  /** Why it failed or was canceled. */
  reason: string | null;
  started_at: string | null;
  ended_at: string | null;
}

/** One ended step of a service's deployment. */
interface DeploymentStepTable {
  deployment_id: string;
  service_id: string;
  position: number;
  step: z.infer<typeof StepName>;
  status: 'SUCCESS' | 'ERROR' | 'CANCELED';
  began_ms: number;
  ended_ms: number;
}

/** A state that a service reached, recorded exactly once. `announced` is the event that webhooks are notified of. */
interface DeploymentEventTable {
  seq: Generated<number>;
  deployment_id: string;
  service_id: string;
  revision: number;
  state: DeploymentState;
  announced: EventKind | null;
  created_at: string;
}

interface LogLineTable {
  seq: Generated<number>;
  deployment_id: string;
  service_id: string;
  step: z.infer<typeof StepName> | null;
  created_at: string;
  message: string;
  pod_name: string;
  version: string;
  /** What it says, as a condition of the contract; null for all that only has words. */
  condition: Generated<Json | null>;
}

/**
 * The outbox: one delivery to one webhook. `due_ms` is null once it is delivered or given up, and far in the future while an
 * earlier delivery for the same service and deployment is pending.
 */
interface WebhookDeliveryTable extends Claimable {
  seq: Generated<number>;
  id: string;
  webhook_id: string;
  event_seq: number;
  deployment_id: string;
  service_id: string;
  body: Json;
  attempts: Generated<number>;
  due_ms: number | null;
}

/** One delivery attempt. */
interface WebhookAttemptTable {
  seq: Generated<number>;
  id: string;
  delivery_id: string;
  webhook_id: string;
  created_at: string;
  target_url: string;
  status_code: number;
  response_body: string;
}

/** A timer for anything but deployments. One per subject and kind. */
interface TimerTable {
  kind: 'ALERT_RULE' | 'CLUSTER_UPGRADE' | 'JOB_RUN';
  subject_id: string;
  due_ms: number;
}

/** Work that one worker does at a time. `owner` is null while nobody does. */
interface DutyTable {
  name: string;
  owner: Generated<string | null>;
  /** How often a worker has taken it. */
  claims: number;
}

/** What was last seen of a service. It counts only while `deployment_id` is the service's latest deployment. */
export interface RunningServiceTable {
  service_id: string;
  deployment_id: string;
  wanted: number;
  running: number;
  /** How often an instance ended by itself since the deployment. */
  restarts: number;
  /** The ids of the ends that are counted and that the runtime still tells, as JSON array. */
  known_ends: Json;
  last_end_ms: number | null;
  /** This, the obstacle and each change are conditions as JSON text; what an earlier program stored is only a sentence. */
  last_end_why: string | null;
  obstacle: string | null;
  /** What somebody changed without the platform, as JSON array. */
  changes: Json;
}

/** A backup of a database. `due_ms` is when to see to it next, and null once nothing is left to be done. */
export interface BackupTable {
  id: string;
  service_id: string;
  name: string;
  message: string;
  state: keyof typeof backupStates;
  is_scheduled: BooleanColumn;
  created_at: string;
  ended_at: string | null;
  due_ms: number | null;
  /** What the runtime has to know of it, such as where it is. */
  record: string | null;
  /** The name of the machine that has it. */
  node: string | null;
  bytes: number | null;
  /** Why it failed, or why it could not be deleted yet. */
  reason: string | null;
}

/** A cluster that can't be looked at, as long as that is so. */
interface UnreachableClusterTable {
  cluster_id: string;
  since_ms: number;
  reason: string;
}

export interface EngineTables {
  worker: WorkerTable;
  deployment: DeploymentTable;
  deployment_service: DeploymentServiceTable;
  deployment_step: DeploymentStepTable;
  deployment_event: DeploymentEventTable;
  log_line: LogLineTable;
  webhook_delivery: WebhookDeliveryTable;
  webhook_attempt: WebhookAttemptTable;
  timer: TimerTable;
  duty: DutyTable;
  running_service: RunningServiceTable;
  unreachable_cluster: UnreachableClusterTable;
  backup: BackupTable;
}
