import type * as z from 'zod';
import type {
  backupStates,
  DeploymentAction,
  DeploymentActionStatus,
  DeploymentState,
  EventKind,
  Origin,
  ServiceKind,
  StepName,
} from '../../../contract/index.ts';
import { flag, integer, json, long, numbered, type RowsOf, table, text, time } from '../../../database/index.ts';

type Step = z.infer<typeof StepName>;

/** The worker that works on a row; null while none does. Deleting a worker frees its claims for other workers. */
const owner = () => text().references('worker', { onDelete: 'set null' }).orNull();

const ofDeploymentService =
  'foreign key (deployment_id, service_id) references deployment_service (deployment_id, service_id)';

const ofService = () => text().key().references('service', { onDelete: 'cascade' });

/**
 * The engine's tables: deployments, states, steps, events, logs, the webhooks' outbox, timers, running services, and
 * backups.
 */
export const engineTables = {
  /** A worker process. Its claims last as long as its row. `host` is the machine on which `pid` is valid. */
  worker: table({ id: text().key(), host: text(), pid: integer(), lease_until_ms: long() }),
  /**
   * One accepted request. The deployments of a `queue` run one at a time, in the order of `seq`. The queue is the
   * environment's id or, for a run of a job by the clock or on request, that job's own queue.
   */
  deployment: table(
    {
      seq: numbered(),
      id: text().unique(),
      /** It may be deleted by now. */
      environment_id: text(),
      queue: text(),
      action: text<DeploymentAction>(),
      status: text<z.infer<typeof DeploymentActionStatus>>(),
      origin: text<z.infer<typeof Origin>>(),
      triggered_by: text(),
      canceling: flag().default(0),
      /** Whether a DELETE takes the environment with its services. */
      takes_environment: flag().default(0),
      created_at: time(),
      started_at: time().orNull(),
      ended_at: time().orNull(),
      /** When it is due next; null once it has finished. */
      due_ms: long().orNull(),
      owner: owner(),
      /**
       * Grows with each claim, and from one deployment of the queue to the next. A worker writes nothing with a token
       * other than that of its claim.
       */
      fencing_token: long().default(0),
    },
    {
      constraints: ['check ((ended_at is null) = (due_ms is not null))'],
      indexes: {
        deployment_in_queue: { on: ['queue', 'seq'] },
        one_deployment_at_a_time: { on: ['queue'], isUnique: true, where: "status = 'ONGOING'" },
        deployment_open: { on: ['queue', 'seq'], where: 'due_ms is not null' },
        deployment_due: { on: ['due_ms'], where: 'due_ms is not null' },
        deployment_owner: { on: ['owner'], where: 'owner is not null' },
        deployment_of_last_token: { on: ['queue', 'fencing_token'], where: 'fencing_token > 0', since: 9 },
        deployment_open_of_environment: { on: ['environment_id', 'seq'], where: 'due_ms is not null', since: 3 },
      },
    },
  ),
  /** One service of a deployment. */
  deployment_service: table(
    {
      deployment_id: text().references('deployment'),
      /** It may be deleted by now. */
      service_id: text(),
      kind: text<ServiceKind>(),
      name: text(),
      /** The position of its stage in the deployment, from 0. */
      stage: integer(),
      stage_id: text(),
      state: text<DeploymentState>(),
      /** The index of the current phase in its state path; null before the first phase and after the end. */
      phase: integer().orNull(),
      phase_began_ms: long().orNull(),
      due_ms: long().orNull(),
      /** The cursor of the runtime's last observation; null before the first one of a phase. */
      cursor: text().orNull(),
      /** Data that the runtime needs in later phases. */
      record: text().orNull(),
      /** Counts the changes of the row. A change is written only if the row still has the revision it was based on. */
      revision: integer(),
      /** The configuration at the start of the first phase. */
      spec: json().orNull(),
      requested_commit: text().orNull(),
      /** The resolved commit, as `DeployedCommit` (service-spec.ts). */
      commit: json().orNull(),
      /** What is deployed, as `Deployable` (engine/deployable.ts), at the start of the first phase. */
      digest: json().orNull().since(10),
      /** Whether something has changed since then of which it isn't known whether the deployment has read it. */
      outdated: flag().default(0),
      /** Why it failed or was canceled: a condition as JSON text, or a sentence from an earlier version. */
      reason: text().orNull(),
      started_at: time().orNull(),
      ended_at: time().orNull(),
      /** The backup that a database is restored from, as `Restoration` (runtime/task.ts). */
      restoration: text().orNull().since(6),
    },
    {
      key: ['deployment_id', 'service_id'],
      indexes: {
        deployment_of_service: { on: ['service_id'] },
        deployment_service_open: { on: ['service_id'], where: 'ended_at is null' },
      },
    },
  ),
  /** One finished step of a service's deployment. */
  deployment_step: table(
    {
      deployment_id: text(),
      service_id: text(),
      position: integer(),
      step: text<Step>(),
      status: text<'SUCCESS' | 'ERROR' | 'CANCELED'>(),
      began_ms: long(),
      ended_ms: long(),
    },
    { key: ['deployment_id', 'service_id', 'position'], constraints: [ofDeploymentService] },
  ),
  /** A state that a service reached, recorded exactly once. `announced` is the event that webhooks are notified of. */
  deployment_event: table(
    {
      seq: numbered(),
      deployment_id: text(),
      service_id: text(),
      revision: integer(),
      state: text<DeploymentState>(),
      announced: text<EventKind>().orNull(),
      created_at: time(),
    },
    { constraints: ['unique (deployment_id, service_id, revision)', ofDeploymentService] },
  ),
  log_line: table(
    {
      seq: numbered(),
      deployment_id: text(),
      service_id: text(),
      step: text<Step>().orNull(),
      created_at: time(),
      message: text(),
      pod_name: text(),
      version: text(),
      /** The line as a condition of the contract; null for plain text. */
      condition: json().orNull().since(8),
    },
    {
      constraints: [ofDeploymentService],
      indexes: {
        log_of_service: { on: ['service_id', 'seq'] },
        log_of_deployment: { on: ['deployment_id', 'service_id', 'seq'] },
      },
    },
  ),
  /**
   * The outbox: one delivery to one webhook. `due_ms` is null once it is delivered or given up, and far in the future
   * while an earlier delivery for the same service and deployment is pending.
   */
  webhook_delivery: table(
    {
      seq: numbered(),
      id: text().unique(),
      webhook_id: text().references('webhook'),
      event_seq: long().references('deployment_event', { column: 'seq' }),
      deployment_id: text(),
      service_id: text(),
      body: json(),
      attempts: integer().default(0),
      due_ms: long().orNull(),
      owner: owner(),
    },
    {
      constraints: ['unique (webhook_id, event_seq)', ofDeploymentService],
      indexes: {
        webhook_delivery_due: { on: ['due_ms'], where: 'due_ms is not null' },
        webhook_delivery_event: { on: ['event_seq'] },
        webhook_delivery_open: { on: ['deployment_id', 'service_id', 'webhook_id'], where: 'due_ms is not null' },
        webhook_delivery_owner: { on: ['owner'], where: 'owner is not null' },
        webhook_delivery_of_deployment: { on: ['deployment_id', 'service_id'] },
      },
    },
  ),
  /** One delivery attempt. */
  webhook_attempt: table(
    {
      seq: numbered(),
      id: text().unique(),
      delivery_id: text().references('webhook_delivery'),
      webhook_id: text().references('webhook'),
      created_at: time(),
      target_url: text(),
      status_code: integer(),
      response_body: text(),
    },
    {
      indexes: {
        webhook_attempt_of_webhook: { on: ['webhook_id', 'seq'] },
        webhook_attempt_of_delivery: { on: ['delivery_id'] },
      },
    },
  ),
  /** One test delivery of a webhook, which is of no deployment. */
  webhook_test: table(
    {
      seq: numbered(),
      id: text().unique(),
      webhook_id: text().references('webhook'),
      created_at: time(),
      target_url: text(),
      status_code: integer(),
      response_body: text(),
      body: json(),
    },
    { since: 12, indexes: { webhook_test_of_webhook: { on: ['webhook_id', 'seq'] } } },
  ),
  /** A timer for anything but deployments. One per subject and kind. */
  timer: table(
    {
      kind: text<'ALERT_RULE' | 'CLUSTER_UPGRADE' | 'JOB_RUN' | 'TIMETABLE' | 'ENVIRONMENT_END'>(),
      subject_id: text(),
      due_ms: long(),
    },
    { key: ['kind', 'subject_id'], indexes: { timer_due: { on: ['due_ms'] } } },
  ),
  /**
   * Leader locks, by the work that one worker does at a time; `claims` counts the claims by workers. The table keeps
   * its first name, under which existing databases have it.
   */
  duty: table({ name: text().key(), owner: owner(), claims: integer() }),
  /** The last observed state of a service. It counts only while `deployment_id` is the service's latest deployment. */
  running_service: table(
    {
      service_id: ofService(),
      deployment_id: text(),
      wanted: integer(),
      running: integer(),
      /** The number of times that an instance exited by itself since the deployment. */
      restarts: integer(),
      /** The ids of the exits that are counted and that the runtime still reports, as JSON array. */
      known_ends: json(),
      last_end_ms: long().orNull(),
      /** This, `obstacle` and each change are conditions as JSON text. Earlier versions stored a sentence. */
      last_end_why: text().orNull(),
      obstacle: text().orNull(),
      /** The changes made outside the platform, as JSON array. */
      changes: json(),
    },
    { indexes: { running_service_down: { on: ['service_id'], where: 'running = 0', since: 4 } } },
  ),
  /** A cluster that can't be reached, for as long as it can't. */
  unreachable_cluster: table({
    cluster_id: text().key().references('cluster', { onDelete: 'cascade' }),
    since_ms: long(),
    reason: text(),
  }),
  /** A backup of a database. `due_ms` is when it needs work next, and null once nothing is left to do. */
  backup: table(
    {
      id: text().key(),
      service_id: text().references('service', { onDelete: 'cascade' }),
      name: text(),
      message: text(),
      state: text<keyof typeof backupStates>(),
      is_scheduled: flag(),
      created_at: time(),
      ended_at: time().orNull(),
      due_ms: long().orNull(),
      /** Data that the runtime needs, such as its location. */
      record: text().orNull(),
      /** The name of the machine that has it. */
      node: text().orNull(),
      bytes: long().orNull(),
      /**
       * Why it failed, or could not be deleted yet: a condition as JSON text, or a sentence from an earlier version.
       */
      reason: text().orNull(),
    },
    {
      since: 6,
      indexes: {
        backup_of_service: { on: ['service_id', 'created_at', 'id'] },
        one_backup_at_a_time: { on: ['service_id'], isUnique: true, where: "state = 'ongoing'" },
        backup_due: { on: ['due_ms'], where: 'due_ms is not null' },
      },
    },
  ),
};

export type BackupTable = RowsOf<typeof engineTables>['backup'];
