import type { Generated } from 'kysely';
import type * as z from 'zod';
import type { StepName } from '../../../contract/resources/deployment.ts';
import type { ServiceKind } from '../../../contract/resources/service.ts';
import type { EventKind } from '../../../contract/resources/webhook.ts';
import type { DeploymentAction, DeploymentActionStatus, DeploymentState, Origin } from '../../../contract/states.ts';
import type { Flag, Json } from './columns.ts';

/** A process that works on the queue. Its claims hold while its row does. */
interface WorkerTable {
  id: string;
  host: string;
  pid: number;
  lease_until_ms: number;
}

/** What a worker holds; null while nobody does. */
interface Claimable {
  owner: string | null;
}

/**
 * One accepted order. `queue` is what it waits in, in the order of `seq`, one at a time: the environment's, by its id,
 * or for a scheduled run of a job that job's own.
 */
interface DeploymentTable extends Claimable {
  seq: Generated<number>;
  id: string;
  environment_id: string;
  queue: string;
  action: DeploymentAction;
  status: z.infer<typeof DeploymentActionStatus>;
  origin: z.infer<typeof Origin>;
  triggered_by: string;
  canceling: Generated<Flag>;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** When it next needs attention; null once it has ended. */
  due_ms: number | null;
}

/** One service of a deployment. */
interface DeploymentServiceTable {
  deployment_id: string;
  service_id: string;
  kind: ServiceKind;
  name: string;
  /** Place in the deployment's order of stages, from 0. */
  stage: number;
  stage_id: string;
  state: DeploymentState;
  /** Place in the path of its kind and action; null before its turn and after its end. */
  phase: number | null;
  phase_began_ms: number | null;
  due_ms: number | null;
  /** Where the runtime's last observation left off; null before the first of a phase. */
  cursor: string | null;
  /** Counts every change of the row: a change is written only over the revision it was decided on. */
  revision: number;
  /** The configuration as it was when its turn came. */
  spec: Json | null;
  requested_commit: string | null;
  /** The commit that was found, as `DeployedCommit` (service-spec.ts). */
  commit: Json | null;
  /** Whether the configuration changed since its turn came. */
  outdated: Generated<Flag>;
  /** Why it failed or was canceled, in words. */
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

/** One state that a service came to, exactly once. `announced` is the event webhooks are told of. */
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
}

/**
 * The outbox: what one webhook is to be told. `due_ms` is null once that is done or given up, and far off while what
 * the webhook is told of the same deployment before has not come so far.
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

/** One attempt to deliver. */
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

/** What happens to a thing at a moment, other than deployments: one timer a thing and kind. */
interface TimerTable {
  kind: 'ALERT_RULE' | 'CLUSTER_UPGRADE' | 'JOB_RUN';
  subject_id: string;
  due_ms: number;
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
}
