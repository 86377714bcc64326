import type * as z from 'zod';
import type { DeploymentHistory } from '../../contract/resources/job.ts';
import type { EnvironmentLog, Log, ServiceDeploymentStatus } from '../../contract/resources/deployment.ts';
import type { EnvironmentStatus } from '../../contract/resources/environment.ts';
import type { WebhookEvent } from '../../contract/resources/webhook.ts';
import type { DeploymentAction, Origin } from '../../contract/states.ts';
import type { Db, DataStore } from '../store/database.ts';

export type ServiceStatusAnswer = z.infer<typeof ServiceDeploymentStatus>;
export type EnvironmentState = z.infer<typeof EnvironmentStatus>;
export type History = z.infer<typeof DeploymentHistory>;
export type LogLines = z.infer<typeof Log>;
export type EnvironmentLogLines = z.infer<typeof EnvironmentLog>;
export type WebhookRecord = z.infer<typeof WebhookEvent>;

/** Where a request came from and in whose name. */
export interface Requester {
  readonly origin: z.infer<typeof Origin>;
  /** Name of the token. */
  readonly triggeredBy: string;
}

/** What is asked of the engine: one action on some services of one environment. */
export interface DeploymentOrder extends Requester {
  readonly action: DeploymentAction;
  readonly environmentId: string;
  /** All of them in that environment; none is allowed for STOP, which then has nothing to do. */
  readonly serviceIds: readonly string[];
  /** Commit to deploy, for services built from git; default the newest of their branch. */
  readonly commitId?: string;
}

/** An accepted order. Its id is the `deployment_request_id` and `execution_id` of status answers. */
export interface DeploymentRequest {
  readonly id: string;
  readonly environmentId: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly serviceIds: readonly string[];
}

/** Which deployments a history lists, and which part of them. */
export interface HistoryQuery {
  readonly page: number;
  readonly pageSize: number;
}

/** A part of a list. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Carries out deployments and everything else of the platform that moves by itself.
 * Calls that change something take the caller's transaction and write nothing outside it; after the commit
 * the caller says `wake()`. A refusal is an ApiProblem with status 400 that names what stands in the way.
 */
export interface Engine {
  /**
   * Accepts an order: deployment, its services, events and webhook deliveries are rows of `trx`.
   * Refused while the cluster is locked, and where the action can't follow the state a service is in.
   */
  request(trx: Db, order: DeploymentOrder): Promise<DeploymentRequest>;
  /** Cancels the environment's deployment under way (the oldest that has not ended). Refused where there is none. */
  cancel(trx: Db, environmentId: string): Promise<DeploymentRequest>;
  /** Begins the upgrade to the cluster's next version. Refused while locked, upgrading, or where there is no next version. */
  upgradeCluster(trx: Db, clusterId: string): Promise<{ id: string; createdAt: string }>;
  /** Says that the configuration or a variable of these services changed; those deployed become OUT_OF_DATE. */
  markOutOfDate(trx: Db, serviceIds: readonly string[]): Promise<void>;
  /** Says that an alert rule was created or edited: it is rolled out to the alerting system and evaluated anew. */
  alertRuleChanged(trx: Db, alertRuleId: string): Promise<void>;

  /** Status of one service, `deployment_request_id` being its latest deployment; the state is a deployment state, never RUNNING. */
  serviceStatus(db: Db, serviceId: string): Promise<ServiceStatusAnswer>;
  /** The same for several, in their order, with a fixed number of queries. */
  serviceStatuses(db: Db, serviceIds: readonly string[]): Promise<ServiceStatusAnswer[]>;
  environmentStatus(db: Db, environmentId: string): Promise<EnvironmentState>;
  /** Newest first. */
  serviceHistory(db: Db, serviceId: string, query: HistoryQuery): Promise<History>;
  environmentHistory(db: Db, environmentId: string, query: HistoryQuery): Promise<History>;
  /**
   * The newest `tail` lines of a service (build, roll-out, and what the running instances say), newest last. The runtime is
   * asked, which may take long: outside of any transaction.
   */
  logs(db: DataStore, serviceId: string, tail?: number): Promise<LogLines>;
  /** The newest `tail` lines of the latest deployment of each of the environment's services, newest last. */
  environmentLogs(db: Db, environmentId: string, tail?: number): Promise<EnvironmentLogLines>;
  /** Recorded delivery attempts of a webhook, newest first. */
  webhookEvents(db: Db, webhookId: string, page?: Page): Promise<{ rows: WebhookRecord[]; total: number }>;

  /** Looks for work now; call after the commit of anything above that changes something. Never throws. */
  wake(): void;
  /** Takes up what is due or was left behind, then keeps working until `stop`. */
  start(): Promise<void>;
  /**
   * Waits until everything that is due has been carried out; says when something is due next, in milliseconds since the
   * epoch, or null. Only while it works: rejects when it is stopped meanwhile.
   */
  settled(): Promise<number | null>;
  /** Finishes the steps in hand, hands over the leases and returns when nothing of it runs any more. */
  stop(): Promise<void>;
}
