import { container, database, httpProbe, publicPort, seedIds } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'billing/staging';
const store = `${environment}/billing-db`;
const job = `${environment}/billing-migrate`;
const service = `${environment}/billing-api`;
const program = (schema: string) =>
  ({
    language: 'node',
    listens: { port: 8080 },
    answers: { '/health': 200 },
    database: { name: 'billing-db', port: 5432 },
    schema: { job: 'billing-migrate', tag: schema },
  }) as const;
const image = (tag: string) => ({ source: { image: { image_name: 'acme/billing-migrate', tag } } });

/** A migration that sometimes finds its table locked, and an application that needs it. */
export const flakyMigrationJob: Scenario = {
  name: 'flaky-migration-job',
  story:
    'The job billing-migrate 5.3.0 ran into a lock on the table invoices and was rolled back. Somebody then deployed billing-api 5.3.0 by itself, which needs the new schema.',
  symptoms:
    'DEPLOYMENT_ERROR of the container, which refuses the old schema; DEPLOYMENT_ERROR of the job before it, with "canceling statement due to lock timeout".',
  fix: 'Run the job again (deploy_service): the lock is gone by then. Then deploy the container.',
  environments: [{ path: environment, mode: 'STAGING', cluster: 'main' }],
  services: [
    database(environment, 'billing-db', 'POSTGRESQL', '16', 'CONTAINER'),
    {
      environment,
      name: 'billing-migrate',
      kind: 'job',
      deployed: true,
      spec: {
        job_type: 'LIFECYCLE',
        ...image('5.2.0'),
        cpu: 250,
        memory: 256,
        max_duration_seconds: 900,
        max_nb_restart: 0,
      },
    },
    container(
      environment,
      'billing-api',
      '5.2.0',
      { healthchecks: { readiness_probe: httpProbe(8080, '/health') } },
      { ports: [publicPort(service, 8080)] },
    ),
  ],
  history: [
    { daysAgo: 20.3, by: 'Cleo Marchetti', deploy: [store, job, service] },
    { daysAgo: 0.141, by: 'Cleo Marchetti', change: job, to: image('5.3.0') },
    { daysAgo: 0.14, by: 'Cleo Marchetti', change: service, to: { tag: '5.3.0' } },
    { daysAgo: 0.139, by: 'Cleo Marchetti', deploy: [job, service] },
    { daysAgo: 0.13, by: 'Bo Lindqvist', deploy: [service] },
  ],
  facts: {
    images: {
      'acme/billing-api': {
        registries: [seedIds.registry_id],
        tags: { '5.2.0': { program: program('5.2.0') }, '5.3.0': { program: program('5.3.0') } },
      },
      'acme/billing-migrate': {
        registries: [],
        tags: {
          '5.2.0': {
            migration: {
              database: 'billing-db',
              table: 'invoices',
              steps: ['0041_credit_notes', '0042_index_customers'],
              lockedRuns: 0,
            },
          },
          '5.3.0': {
            migration: {
              database: 'billing-db',
              table: 'invoices',
              steps: ['0043_tax_rates', '0044_invoices_settled_at'],
              lockedRuns: 1,
            },
          },
        },
      },
    },
  },
};
