import { environmentHistory, serviceHistory } from './history.ts';
import type { EngineContext } from './context.ts';
import { deploymentLane } from './deployment-lane.ts';
import type { Engine } from './engine.ts';
import { environmentStatus } from './environment-status.ts';
import { createLease } from './lease.ts';
import { environmentLogs, serviceLogs } from './logs.ts';
import { cancel, markOutOfDate, request } from './requests.ts';
import { serviceStatuses } from './status.ts';
import { createWorker } from './worker.ts';

/** What an engine is made of. */
export type EngineOptions = EngineContext;

/** The engine over a store and a runtime. It works from `start` to `stop`; what it is asked in between lasts beyond both. */
export function createEngine(context: EngineOptions): Engine {
  const { db, clock, runtime } = context;
  const worker = createWorker(context, createLease(db, clock, context.random.uuid()), [deploymentLane(context)]);
  return {
    request: (trx, order) => request(context, trx, order),
    cancel: (trx, environmentId) => cancel(context, trx, environmentId),
    upgradeCluster: () => Promise.reject(new Error('not yet')),
    markOutOfDate,
    alertRuleChanged: async () => undefined,
    serviceStatus: async (trx, serviceId) => (await serviceStatuses(trx, [serviceId]))[0]!,
    serviceStatuses,
    environmentStatus,
    serviceHistory: (trx, serviceId, query) => serviceHistory(trx, serviceId, query, clock.now()),
    environmentHistory: (trx, environmentId, query) => environmentHistory(trx, environmentId, query, clock.now()),
    logs: (trx, serviceId, tail) => serviceLogs(trx, runtime, serviceId, tail),
    environmentLogs,
    webhookEvents: async () => ({ rows: [], total: 0 }),
    wake: worker.wake,
    start: async () => worker.start(),
    stop: worker.stop,
  };
}
