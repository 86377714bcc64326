import { container, httpProbe, publicPort, seedId, seedIds } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'warehouse/production';
const service = `${environment}/stock-sync`;
const program = { language: 'node', listens: { port: 8080 }, answers: { '/health': 200 } } as const;

/** A cluster that was locked in an incident and never unlocked. */
export const clusterLocked: Scenario = {
  name: 'cluster-locked',
  story:
    'Two days ago the nodes of the cluster warehouse ran out of disk, and stock-sync could not be deployed. Bo locked the cluster until that was mended. It was, hours later; the lock is still there.',
  symptoms:
    'DEPLOYMENT_ERROR with evictions for ephemeral-storage from two days ago; deploying and every other change is refused with 400, which names the lock, its owner and its reason.',
  fix: 'Remove the lock (unlock_cluster), if its owner agrees, or wait for its end; then deploy the container.',
  environments: [{ path: environment, mode: 'PRODUCTION', cluster: 'warehouse' }],
  clusters: [
    {
      name: 'warehouse',
      description: 'Stock and shipping.',
      lock: {
        daysAgo: 1.98,
        owner: 'Bo Lindqvist',
        reason: 'Incident 2291: nodes out of disk. No changes until the volumes are grown.',
        days: 5,
      },
    },
  ],
  services: [
    container(
      environment,
      'stock-sync',
      '1.17.0',
      { healthchecks: { readiness_probe: httpProbe(8080, '/health') } },
      { ports: [publicPort(service, 8080)] },
    ),
  ],
  history: [
    { daysAgo: 15.6, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 2.03, by: 'Cleo Marchetti', change: service, to: { tag: '1.18.0' } },
    { daysAgo: 2.02, by: 'Cleo Marchetti', deploy: [service] },
  ],
  facts: {
    images: {
      'acme/stock-sync': { registries: [seedIds.registry_id], tags: { '1.17.0': { program }, '1.18.0': { program } } },
    },
    clusters: { [seedId('cluster/warehouse')]: { fullDisk: { fromDaysAgo: 2.1, toDaysAgo: 1.8 } } },
  },
};
