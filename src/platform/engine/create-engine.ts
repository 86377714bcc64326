import { deliveryQueue, webhookAttempts } from './webhooks/deliveries.ts';
import { type AddressPolicy, createAgent } from './webhooks/target.ts';
import { alertRuleChanged, advanceAlertRule } from './alert-rules.ts';
import { advanceUpgrade, requestUpgrade } from './cluster-upgrade.ts';
import type { EngineContext } from './context.ts';
import { deploymentQueue } from './deployment-queue.ts';
import type { Engine } from './engine.ts';
import { environmentStatus } from './environment-status.ts';
import { environmentHistory, serviceHistory } from './history.ts';
import { startScheduledRun } from './job-runs.ts';
import { createLease } from './lease.ts';
import { environmentLogs, serviceLogs } from './logs.ts';
import { type Retention, retentionQueue } from './retention-queue.ts';
import { cancelEnvironmentDeployment, requestDeployment } from './deployment-requests.ts';
import { markOutOfDate } from './out-of-date.ts';
import { serviceStatuses } from './service-status.ts';
import { timerQueue } from './timer-queue.ts';
import { createWorker } from './worker.ts';

/** The options of `createEngine`. */
export interface EngineOptions extends EngineContext {
  /** Decides which addresses webhooks may be delivered to. */
  readonly webhookTargets: AddressPolicy;
  /** The timeout of one webhook delivery attempt, in milliseconds; default 10 seconds. */
  readonly webhookTimeoutMilliseconds?: number;
  /** Opens a webhook's sealed secret. */
  readonly openSecret: (sealed: string) => string;
  /** Overrides how many ended deployments are retained. */
  readonly retention?: Retention;
}

/** Creates an engine on a store and a runtime. It can be started and stopped once. Accepted requests are durable. */
export function createEngine(options: EngineOptions): Engine {
  const { db, clock, runtime } = options;
  const agent = createAgent(options.webhookTargets);
  const worker = createWorker(options, createLease(db, clock, options.random.uuid()), [
    deploymentQueue(options),
    timerQueue(options, { CLUSTER_UPGRADE: advanceUpgrade(options), ALERT_RULE: advanceAlertRule(options), JOB_RUN: startScheduledRun(options) }),
    deliveryQueue(options, { dispatcher: agent, timeoutMilliseconds: options.webhookTimeoutMilliseconds ?? 10_000, openSecret: options.openSecret }),
    retentionQueue(options, options.retention),
  ]);
  return {
    request: (trx, order) => requestDeployment(options, trx, order),
    cancel: (trx, environmentId) => cancelEnvironmentDeployment(options, trx, environmentId),
    upgradeCluster: (trx, clusterId) => requestUpgrade(options, trx, clusterId),
    markOutOfDate,
    alertRuleChanged: (trx, alertRuleId) => alertRuleChanged(options, trx, alertRuleId),
    serviceStatus: async (trx, serviceId) => (await serviceStatuses(trx, [serviceId]))[0]!,
    serviceStatuses,
    environmentStatus,
    serviceHistory: (trx, serviceId, query) => serviceHistory(trx, serviceId, query, clock.now()),
    environmentHistory: (trx, environmentId, query) => environmentHistory(trx, environmentId, query, clock.now()),
    logs: (store, serviceId, tail) => serviceLogs(store, runtime, serviceId, tail),
    environmentLogs,
    webhookEvents: webhookAttempts,
    wake: worker.wake,
    start: async () => worker.start(),
    settled: worker.settled,
    stop: async () => {
      await worker.stop();
      await agent.destroy();
    },
  };
}
