import { deliveryQueue } from './webhooks/deliveries.ts';
import { deleteWebhook, recordTest, sendTest, webhookAttempts } from './webhooks/test-delivery.ts';
import { type AddressPolicy, connectionsWithin } from './webhooks/target.ts';
import { addressesOfServices, clusterDomains, domainTarget } from './addresses.ts';
import {
  alertRuleChanged,
  advanceAlertRule,
  deleteAlertRule,
  silenceAlertRule,
  alertRuleProblems,
} from './alert-rules.ts';
import { notifyingOf } from './alert-notifications.ts';
import {
  createReceiverSender,
  deleteAlertReceiver,
  receiverState,
  requireOwnReceiver,
  sendReceiverTest,
} from './alert-receivers.ts';
import { evaluatingOf } from './alert-evaluation.ts';
import { clusterMachines } from './cluster-nodes.ts';
import { backupQueue } from './backups/backup-queue.ts';
import { requestBackup, requestBackupDeletion } from './backups/backup-requests.ts';
import { recoveryOf, restorationOf } from './backups/recovery.ts';
import { advanceUpgrade, requestUpgrade } from './cluster-upgrade.ts';
import { type EngineContext, iso } from './context.ts';
import { serviceCommits } from './commits.ts';
import { deploymentQueue } from './deployment-queue.ts';
import type { DeliveryCounts, Engine } from './engine.ts';
import { endEnvironment } from './environment-end.ts';
import { environmentStatus } from './environment-status.ts';
import { environmentHistory, serviceHistory } from './history.ts';
import { chartsOf } from './helm-charts.ts';
import { cancelRun, requestRun } from './job-run-requests.ts';
import { startScheduledRun } from './job-runs.ts';
import { createLeaderLocks } from './leader-locks.ts';
import { createLease } from './lease.ts';
import { observationQueue } from './observation-queue.ts';
import { environmentLogs, serviceLogs } from './logs.ts';
import { type Retention, retentionQueue } from './retention-queue.ts';
import { cancelEnvironmentDeployment, requestDeployment } from './deployment-requests.ts';
import { markOutOfDate, markReadersOutOfDate } from './out-of-date.ts';
import { requireRunnable } from './tasks.ts';
import { serviceStatuses } from './service-status.ts';
import { engineStatistics } from './statistics.ts';
import { requestPlan, terraformPlans } from './terraform-plans.ts';
import { digestingOf } from './unknown-digests.ts';
import { timerQueue } from './timer-queue.ts';
import { applyTimetable } from './timetable.ts';
import { reconciliationOf } from './reconciliation.ts';
import { createBackgroundLoop } from './background-loop.ts';
import { readMeasurements } from './measurements/series.ts';
import { measuringOf } from './measurements/measure.ts';
import { Worker } from './worker.ts';

/** The options of `createEngine`. */
export interface EngineOptions extends EngineContext {
  /** Decides which addresses webhooks may be delivered to. */
  readonly webhookTargets: AddressPolicy;
  /** The timeout of one webhook delivery attempt, in milliseconds; default 10 seconds. */
  readonly webhookTimeoutMilliseconds?: number;
  /** Overrides how many finished deployments are retained. */
  readonly retention?: Retention;
}

/** Creates an engine on a store and a runtime. It can be started and stopped once. Accepted requests are durable. */
export function createEngine(options: EngineOptions): Engine {
  const { db, clock } = options;
  // Pending queries are aborted when the engine stops.
  const stopping = new AbortController();
  const connections = connectionsWithin(options.webhookTargets);
  const deliveries: DeliveryCounts = { delivered: 0, retried: 0, failed: 0 };
  const lease = createLease(db, clock, options.random.uuid());
  const leaderLocks = createLeaderLocks(db, lease);
  const sending = {
    connections,
    timeoutMilliseconds: options.webhookTimeoutMilliseconds ?? 10_000,
    openSecret: options.openSecret,
  };
  const worker = new Worker(options, lease, [
    deploymentQueue(options),
    timerQueue(options, {
      CLUSTER_UPGRADE: advanceUpgrade(options),
      ALERT_RULE: advanceAlertRule(options),
      JOB_RUN: startScheduledRun(options),
      TIMETABLE: applyTimetable(options),
      ENVIRONMENT_END: endEnvironment(options),
    }),
    deliveryQueue(options, { ...sending, counts: deliveries }),
    retentionQueue(options, leaderLocks, options.retention),
    observationQueue(options, leaderLocks),
    backupQueue(options, leaderLocks),
  ]);
  const receiverSender = createReceiverSender(options.webhookTargets);
  const notifying = notifyingOf(options, leaderLocks, receiverSender);
  const background = createBackgroundLoop(options.log, [
    ...reconciliationOf(options, leaderLocks),
    ...measuringOf(options, leaderLocks),
    evaluatingOf(options, leaderLocks, () => worker.wake()),
    notifying,
    digestingOf(options, leaderLocks),
  ]);
  let unsubscribe: (() => void) | undefined;
  return {
    request: (trx, order) => requestDeployment(options, trx, order),
    plan: (trx, service, requester, commitId) => requestPlan(options, trx, service, requester, commitId),
    runJob: (trx, job, requester, given) => requestRun(options, trx, job, requester, given),
    cancelJobRun: (trx, job, executionId) => cancelRun(options, trx, job, executionId),
    plans: (trx, service) => terraformPlans(options, trx, service),
    cancel: (trx, environmentId) => cancelEnvironmentDeployment(options, trx, environmentId),
    upgradeCluster: (trx, clusterId) => requestUpgrade(options, trx, clusterId),
    requireRunnable: (trx, environmentId, services) => requireRunnable(options, trx, environmentId, services),
    markOutOfDate: (trx, serviceIds) => markOutOfDate(options, trx, serviceIds),
    variableChanged: (trx, serviceIds) => markReadersOutOfDate(options, trx, serviceIds),
    requestBackup: (trx, databaseId, named) =>
      requestBackup(options, trx, databaseId, { ...named, isScheduled: false }),
    deleteBackup: (trx, databaseId, backupId) => requestBackupDeletion(options, trx, databaseId, backupId),
    recovery: (store, databaseId, backupId) => recoveryOf(options, store, databaseId, backupId, stopping.signal),
    restore: async (trx, databaseId, requester, recovery, withoutWaiting) =>
      requestDeployment(options, trx, {
        ...requester,
        action: 'DEPLOY',
        environmentId: recovery.environmentId,
        serviceIds: [databaseId],
        restoration: await restorationOf(trx, databaseId, recovery, withoutWaiting),
      }),
    alertRuleChanged: (trx, alertRuleId) => alertRuleChanged(options, trx, alertRuleId),
    silenceAlertRule,
    deleteAlertRule,
    alertRuleProblems: (trx, rule) => alertRuleProblems(options, trx, rule),
    receiverState: (receiver) => receiverState(options, receiver),
    requireOwnReceiver: (receiver) => requireOwnReceiver(options, receiver),
    sendReceiverTest: (receiver, message) =>
      sendReceiverTest(options, receiverSender, receiver, message, stopping.signal),
    deleteAlertReceiver: (trx, receiver) => deleteAlertReceiver(trx, receiver, iso(clock.now())),
    metrics: async (trx) => (await readMeasurements(trx, clock.now())).series,
    serviceStatus: async (trx, serviceId) => (await serviceStatuses(trx, [serviceId]))[0]!,
    serviceStatuses,
    environmentStatus,
    serviceHistory: (trx, serviceId, query) => serviceHistory(trx, serviceId, query, clock.now()),
    environmentHistory: (trx, environmentId, query) => environmentHistory(trx, environmentId, query, clock.now()),
    logs: (store, serviceId, tail) => serviceLogs(options, store, serviceId, stopping.signal, tail),
    commits: (service) => serviceCommits(options, service, stopping.signal),
    environmentLogs,
    addresses: (trx, environmentId, services) => addressesOfServices(options, trx, environmentId, services),
    clusterDomains: clusterDomains(options),
    domainTarget: (trx, service) => domainTarget(options, trx, service),
    clusterMachines: (cluster) => clusterMachines(options, cluster, stopping.signal),
    webhookEvents: webhookAttempts,
    sendWebhookTest: (webhook) => sendTest(options, sending, webhook, stopping.signal),
    recordWebhookTest: recordTest,
    charts: (repository, only) => chartsOf(options, options.webhookTargets, repository, only, stopping.signal),
    deleteWebhook,
    statistics: (trx) => engineStatistics(trx, deliveries, clock.now()),
    wake: () => {
      worker.wake();
      db.announceWork();
    },
    start: async () => {
      unsubscribe = db.onWork(() => worker.wake());
      worker.start();
      background.start();
    },
    settled: () => worker.settled(),
    stop: async () => {
      stopping.abort();
      unsubscribe?.();
      await Promise.all([worker.stop(), background.stop()]);
      await Promise.all([connections.close(), notifying.close(), options.prometheus?.close()]);
    },
  };
}
