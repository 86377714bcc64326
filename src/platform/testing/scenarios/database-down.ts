import { container, database, httpProbe, publicPort, seedIds } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'ledger/staging';
const service = `${environment}/ledger-api`;
const store = `${environment}/ledger-db`;
const program = {
  language: 'python',
  listens: { port: 8000 },
  answers: { '/healthz': 200 },
  database: { name: 'ledger-db', port: 5432 },
} as const;

/** An application that starts before its database. */
export const databaseDown: Scenario = {
  name: 'database-down',
  story:
    'The database ledger-db is stopped over night to save money. Somebody deployed a new version of ledger-api before it was up again.',
  symptoms:
    'DEPLOYMENT_ERROR of the container; "connection refused" at port 5432 in a stack trace; the database is STOPPED.',
  fix: 'Deploy the database (deploy_database), then the container; or deploy the whole environment, which does both in that order.',
  environments: [{ path: environment, mode: 'STAGING', cluster: 'main' }],
  services: [
    database(environment, 'ledger-db', 'POSTGRESQL', '16', 'CONTAINER'),
    container(
      environment,
      'ledger-api',
      '2.4.0',
      { healthchecks: { readiness_probe: httpProbe(8000, '/healthz') } },
      { ports: [publicPort(service, 8000)] },
    ),
  ],
  variables: [
    { of: service, key: 'DATABASE_HOST', value: 'ledger-db' },
    { of: service, key: 'DATABASE_NAME', value: 'ledger' },
  ],
  history: [
    { daysAgo: 16.5, by: 'Cleo Marchetti', deploy: [store, service] },
    { daysAgo: 0.62, by: 'night saver', stop: [store] },
    { daysAgo: 0.051, by: 'Cleo Marchetti', change: service, to: { tag: '2.5.0' } },
    { daysAgo: 0.05, by: 'Cleo Marchetti', deploy: [service] },
  ],
  facts: {
    images: {
      'acme/ledger-api': { registries: [seedIds.registry_id], tags: { '2.4.0': { program }, '2.5.0': { program } } },
    },
  },
};
