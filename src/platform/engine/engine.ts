import type * as z from 'zod';
import type {
  Commit,
  Condition,
  DeploymentAction,
  DeploymentActionStatus,
  DeploymentHistory,
  EnvironmentLog,
  EnvironmentStatus,
  JobRun,
  Log,
  Origin,
  ServiceDeploymentStatus,
  TerraformPlan,
  TerraformPlans,
  WebhookEvent,
} from '../../contract/index.ts';
import type { Selectable } from 'kysely';
import type { Restoration, ServiceAddress, ServiceToRun } from '../runtime/index.ts';
import type { ReceiverTestResult } from './alert-receivers.ts';
import type { BackupRow, Recovery } from './backups/backup.ts';
import type { ClusterMachines } from './cluster-nodes.ts';
import type { Series } from './measurements/series.ts';
import type {
  AlertReceiverTable,
  AlertRuleTable,
  DatabaseSchema,
  Db,
  DataStore,
  HelmRepositoryTable,
  ServiceTable,
  WebhookTable,
} from '../store/index.ts';

export type ServiceStatusAnswer = z.infer<typeof ServiceDeploymentStatus>;
export type EnvironmentState = z.infer<typeof EnvironmentStatus>;
export type History = z.infer<typeof DeploymentHistory>;
export type LogLines = z.infer<typeof Log>;
export type EnvironmentLogLines = z.infer<typeof EnvironmentLog>;
export type WebhookRecord = z.infer<typeof WebhookEvent>;
/** A test delivery that was made, and is to be recorded. */
export type WebhookTest = Omit<Selectable<DatabaseSchema['webhook_test']>, 'seq'>;

/** The origin of a request, and its author. */
export interface Requester {
  readonly origin: z.infer<typeof Origin>;
  /** The name of the token. */
  readonly triggeredBy: string;
}

/** A request to the engine: one action on services of one environment. */
export interface DeploymentOrder extends Requester {
  readonly action: DeploymentAction;
  readonly environmentId: string;
  /**
   * All in that environment. May be empty for STOP, which then does nothing, and for the deletion of an environment.
   */
  readonly serviceIds: readonly string[];
  /** The commit to deploy, for services built from git; default: the newest of their branch. */
  readonly commitId?: string;
  /** The commits to deploy for single services, by service id. */
  readonly commitIds?: Readonly<Record<string, string | undefined>>;
  /** For DEPLOY of one database: the backup to restore it from. */
  readonly restoration?: Restoration;
  /** For DELETE of every service of the environment: whether the environment is deleted as well. */
  readonly takesEnvironment?: boolean;
}

/** A service as it will be configured. The id is absent for a new one. */
export type ConfiguredService = Pick<ServiceToRun, 'kind' | 'name' | 'spec'> & { readonly id?: string };

/** An accepted order. Its id is the `deployment_request_id` and `execution_id` of status responses. */
export interface DeploymentRequest {
  readonly id: string;
  readonly environmentId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly serviceIds: readonly string[];
}

/** A page of a deployment history. Pages are numbered from 1. */
export interface HistoryQuery {
  readonly page: number;
  readonly pageSize: number;
}

/** The engine's current work, and the results of its webhook deliveries. */
export interface EngineStatistics {
  /** The recorded deployments by status. Finished ones are removed after some time. */
  readonly deployments: Readonly<Partial<Record<z.infer<typeof DeploymentActionStatus>, number>>>;
  /** Unfinished webhook deliveries: how many, and for how many milliseconds the oldest one has been due. */
  readonly outbox: { readonly waiting: number; readonly lag: number };
  /** The results of webhook delivery attempts since the engine was created. */
  readonly deliveries: Readonly<DeliveryCounts>;
}

/** Webhook delivery attempts: delivered, to be retried, and given up. */
export interface DeliveryCounts {
  delivered: number;
  retried: number;
  failed: number;
}

/** A slice of a list. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Carries out deployments and all other background work of the platform. Methods that change something write only in
 * the caller's transaction. After the commit the caller calls `wake()`. A refused call throws an ApiProblem with status
 * 400 that contains the reason.
 */
export interface Engine {
  /**
   * Accepts an order: inserts the deployment, its services, events and webhook deliveries in `trx`. Refused while the
   * cluster is locked or a deployment window is in force, and if a service's state doesn't allow the action. A deletion
   * is refused during another deployment of the same services, and everything else during a deletion.
   */
  request(trx: Db, order: DeploymentOrder): Promise<DeploymentRequest>;
  /**
   * Accepts a request to plan what a deployment of a Terraform service would change. Refused while another plan of it
   * is under way.
   */
  plan(
    trx: Db,
    service: Selectable<ServiceTable>,
    requester: Requester,
    commitId?: string,
  ): Promise<z.output<typeof TerraformPlan>>;
  /**
   * Accepts a run of a job's deployed version, with these arguments in place of its own. Refused while it runs or
   * deploys, and if no version of it is deployed.
   */
  runJob(
    trx: Db,
    job: Selectable<ServiceTable>,
    requester: Requester,
    given?: readonly string[],
  ): Promise<z.output<typeof JobRun>>;
  /**
   * Cancels a run of a job; default: the one under way. Refused if there is none, or if the deployment that makes it
   * also deploys other services.
   */
  cancelJobRun(trx: Db, job: Selectable<ServiceTable>, executionId?: string): Promise<z.output<typeof JobRun>>;
  /** The newest plans of a Terraform service, newest first. */
  plans(db: Db, service: Selectable<ServiceTable>): Promise<z.output<typeof TerraformPlans>>;
  /**
   * Cancels the environment's current deployment, which is the oldest unfinished one, or a plan under way in it.
   * Refused if there is none.
   */
  cancel(trx: Db, environmentId: string): Promise<DeploymentRequest>;
  /**
   * Starts an upgrade to the cluster's next version. Refused while it is locked or upgrading, and if there is no next
   * version.
   */
  upgradeCluster(trx: Db, clusterId: string): Promise<{ id: string; createdAt: string }>;
  /**
   * Requires that an environment's cluster can run services as they will be configured, and has room for them. A
   * refusal says what isn't possible, and what to do instead.
   */
  requireRunnable(db: Db, environmentId: string, services: readonly ConfiguredService[]): Promise<void>;
  /**
   * Compares services with their deployed versions, after their configuration changed: those that differ, or may
   * differ, become OUT_OF_DATE. Services that were never deployed stay as they are.
   */
  markOutOfDate(trx: Db, serviceIds: readonly string[]): Promise<void>;
  /** The same after a change of a variable that they inherit. Databases are skipped, because they read none. */
  variableChanged(trx: Db, serviceIds: readonly string[]): Promise<void>;
  /** Accepts a backup of a database, which then starts. Refused if the database can't be backed up now. */
  requestBackup(
    trx: Db,
    databaseId: string,
    named: { readonly name: string; readonly message: string },
  ): Promise<BackupRow>;
  /**
   * Deletes a backup with its stored data, as soon as the machine that stores it responds. Refused while the backup is
   * being created or used.
   */
  deleteBackup(trx: Db, databaseId: string, backupId: string): Promise<void>;
  /**
   * The effects of restoring a database now; default: from its newest complete backup. Queries the runtime, so it must
   * run outside any transaction.
   */
  recovery(db: DataStore, databaseId: string, backupId?: string): Promise<Recovery>;
  /**
   * Accepts a deployment that restores a database, or refuses it with the reason.
   * @param withoutWaiting even if its node may come back soon
   */
  restore(
    trx: Db,
    databaseId: string,
    requester: Requester,
    recovery: Recovery,
    withoutWaiting: boolean,
  ): Promise<DeploymentRequest>;
  /** Rolls a created or edited alert rule out to the alerting system and evaluates it again. */
  alertRuleChanged(trx: Db, alertRuleId: string): Promise<void>;
  /**
   * Silences an alert rule until a time, ISO 8601; null ends the silence, and its receivers are notified if it still
   * fires. While it is silenced, they aren't notified either when it no longer fires.
   */
  silenceAlertRule(
    trx: Db,
    rule: Selectable<AlertRuleTable>,
    silence: { readonly until: string; readonly reason: string | null } | null,
  ): Promise<void>;
  /** Deletes an alert rule with its timer and its pending notifications. */
  deleteAlertRule(trx: Db, alertRuleId: string): Promise<void>;
  /**
   * Why the condition of an alert rule isn't evaluated at present, or its receivers aren't notified; empty if there is
   * no problem.
   */
  alertRuleProblems(db: Db, rule: Selectable<AlertRuleTable>): Promise<readonly Condition[]>;
  /** Whether a receiver has an address to post to, and why nobody is notified through it; absent if there is no problem. */
  receiverState(receiver: Selectable<AlertReceiverTable>): { readonly hasAddress: boolean; readonly problem?: string };
  /**
   * Refuses to change or delete a receiver that the operator configures.
   * @throws ApiProblem 400
   */
  requireOwnReceiver(receiver: Selectable<AlertReceiverTable>): void;
  /** Posts a test message to a receiver once. Sends a request, so it must run outside any transaction. */
  sendReceiverTest(receiver: Selectable<AlertReceiverTable>, message: string | undefined): Promise<ReceiverTestResult>;
  /** Deletes a receiver, also from the rules that have it. Firing rules without another one become UNROUTED. */
  deleteAlertReceiver(trx: Db, receiver: Selectable<AlertReceiverTable>): Promise<void>;
  /** The current values of all measurements. */
  metrics(db: Db): Promise<readonly Series[]>;

  /**
   * The status of one service. `deployment_request_id` is its latest deployment; the state is a deployment state, never
   * RUNNING.
   */
  serviceStatus(db: Db, serviceId: string): Promise<ServiceStatusAnswer>;
  /** The statuses of several services, in the order of their ids, with a constant number of queries. */
  serviceStatuses(db: Db, serviceIds: readonly string[]): Promise<ServiceStatusAnswer[]>;
  environmentStatus(db: Db, environmentId: string): Promise<EnvironmentState>;
  /** Newest first. */
  serviceHistory(db: Db, serviceId: string, query: HistoryQuery): Promise<History>;
  environmentHistory(db: Db, environmentId: string, query: HistoryQuery): Promise<History>;
  /**
   * The newest `tail` log lines of a service (build, rollout and running instances), newest last. Queries the runtime,
   * which may be slow, so it must run outside any transaction.
   */
  logs(db: DataStore, serviceId: string, tail?: number): Promise<LogLines>;
  /**
   * The newest commits of a service's branch, newest first. Queries the runtime, so it must run outside any
   * transaction.
   */
  commits(service: ServiceToRun): Promise<{ results: z.infer<typeof Commit>[] }>;
  /** The newest `tail` log lines of the latest deployments of an environment's services, newest last. */
  environmentLogs(db: Db, environmentId: string, tail?: number): Promise<EnvironmentLogLines>;
  /** The addresses at which services of one environment are reached from outside, by service id. */
  addresses(
    db: Db,
    environmentId: string,
    services: readonly Selectable<ServiceTable>[],
  ): Promise<ReadonlyMap<string, readonly ServiceAddress[]>>;
  /** The domains under which this platform's clusters give services their addresses, in lower case. */
  readonly clusterDomains: readonly string[];
  /**
   * The target that DNS records for a service's domains must have; undefined on a cluster where that is only simulated.
   */
  domainTarget(db: Db, service: Pick<Selectable<ServiceTable>, 'id' | 'environment_id'>): Promise<string | undefined>;
  /** The machines of a cluster and their problems. Queries the runtime, so it must run outside any transaction. */
  clusterMachines(cluster: { readonly id: string; readonly runtime: string }): Promise<ClusterMachines>;
  /** The recorded delivery attempts of a webhook, newest first. */
  webhookEvents(db: Db, webhookId: string, page?: Page): Promise<{ rows: WebhookRecord[]; total: number }>;
  /** Posts a test event to a webhook once. Sends a request, so it must run outside any transaction. */
  sendWebhookTest(webhook: Selectable<WebhookTable>): Promise<WebhookTest>;
  /** Records a test that was sent. */
  recordWebhookTest(trx: Db, webhook: Selectable<WebhookTable>, test: WebhookTest): Promise<WebhookRecord>;
  /**
   * Lists the charts of a Helm repository, or only one of them, with their versions. Sends requests, so it must run
   * outside any transaction.
   * @throws ApiProblem 400 that says why they can't be read
   */
  charts(
    repository: Selectable<HelmRepositoryTable>,
    only: string | undefined,
  ): Promise<{ chart_name: string; versions: string[] }[]>;
  /** Deletes a webhook with its deliveries and their records. */
  deleteWebhook(trx: Db, webhookId: string): Promise<void>;

  statistics(db: Db): Promise<EngineStatistics>;

  /** Makes the engine check for work now. Call it after committing any of the changes above. Never throws. */
  wake(): void;
  /** Starts to process due work, including work left by earlier processes, until `stop`. */
  start(): Promise<void>;
  /**
   * Waits until all due work has been carried out. Resolves to the next due time in milliseconds since the epoch, or
   * null. Only for a started engine: rejects if the engine is stopped while it waits.
   */
  settled(): Promise<number | null>;
  /** Finishes the steps in progress, releases the lease, and returns when nothing runs any more. */
  stop(): Promise<void>;
}
