import { application, database } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'orders/staging';
const service = `${environment}/orders-api`;
const program = {
  language: 'node',
  listens: { port: 8080, variable: 'PORT' },
  answers: { '/health': 200 },
  reaches: { QUEUE_HOST: ['queue.staging.acme.internal'] },
} as const;

/** A variable that was set to a host name that doesn't exist. */
export const wrongVariableValue: Scenario = {
  name: 'wrong-variable-value',
  story:
    'Somebody edited QUEUE_HOST of the environment and wrote queue.stagging.acme.internal. orders-api, unchanged, was deployed after it.',
  symptoms:
    'DEPLOYMENT_ERROR; "getaddrinfo ENOTFOUND" with the name in a stack trace; the commit is that of the last good deployment, the variable was updated since.',
  fix: 'Set QUEUE_HOST to queue.staging.acme.internal with update_environment_variable, and deploy again.',
  environments: [{ path: environment, mode: 'STAGING', cluster: 'main' }],
  services: [
    database(environment, 'orders-db', 'POSTGRESQL', '16', 'CONTAINER'),
    application(environment, 'orders-api', true),
  ],
  variables: [
    { of: environment, key: 'QUEUE_HOST', value: 'queue.staging.acme.internal' },
    { of: environment, key: 'QUEUE_CONSOLE_URL', value: 'https://queue.staging.acme.internal/console' },
    { of: environment, key: 'LOG_LEVEL', value: 'info' },
    { of: service, key: 'ORDERS_PAGE_SIZE', value: '50' },
  ],
  history: [
    { daysAgo: 18.1, by: 'Cleo Marchetti', deploy: [`${environment}/orders-db`, service] },
    { daysAgo: 4.4, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 0.24, by: 'Bo Lindqvist', edit: environment, key: 'QUEUE_HOST', value: 'queue.stagging.acme.internal' },
    { daysAgo: 0.23, by: 'Bo Lindqvist', deploy: [service] },
  ],
  facts: {
    repositories: {
      'https://git.acme.example/acme/orders-api.git': {
        commits: [
          {
            id: '2b8d6fe07a4193c5e08d7b6a1f2c94350ae8d71b',
            daysAgo: 18.8,
            author: 'Mei Tanaka',
            message: 'Page through orders',
            program,
          },
          {
            id: '6ea1c07d93b25f840ce7a19d5f38b2460d91ec75',
            daysAgo: 4.6,
            author: 'Mei Tanaka',
            message: 'Publish an event for every order',
            program,
          },
        ],
      },
    },
  },
};
