import { application, database } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'payments/staging';
const service = `${environment}/payments-api`;
const program = {
  language: 'node',
  listens: { port: 8080, variable: 'PORT' },
  answers: { '/health': 200 },
  variables: ['PAYMENT_GATEWAY_URL'],
} as const;

/** A commit that needs a variable that isn't set. */
export const missingVariable: Scenario = {
  name: 'missing-variable',
  story:
    'A new commit of payments-api reads exchange rates from a service of its own, whose address it takes from RATES_API_URL. Nobody has set it.',
  symptoms:
    'DEPLOYMENT_ERROR; CrashLoopBackOff with exit code 1 and a stack trace that names the variable; the history has another commit as the last good one.',
  fix: 'Add RATES_API_URL with create_environment_variable (or create_secret) and deploy again; or deploy the last good commit.',
  environments: [{ path: environment, mode: 'STAGING', cluster: 'main' }],
  services: [
    database(environment, 'payments-db', 'POSTGRESQL', '16', 'CONTAINER'),
    application(environment, 'payments-api', true),
  ],
  variables: [
    { of: service, key: 'PAYMENT_GATEWAY_URL', value: 'https://gateway.sandbox.acme.example' },
    { of: service, key: 'RATES_CACHE_SECONDS', value: '300' },
    { of: service, key: 'NODE_ENV', value: 'production' },
  ],
  history: [
    { daysAgo: 19.3, by: 'Cleo Marchetti', deploy: [`${environment}/payments-db`, service] },
    { daysAgo: 6.8, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 0.09, by: 'Cleo Marchetti', deploy: [service] },
  ],
  facts: {
    repositories: {
      'https://git.acme.example/acme/payments-api.git': {
        commits: [
          {
            id: '5d0b7c1e93f24a68b1c0d7e2a94f36815be07d42',
            daysAgo: 20.1,
            author: 'Cleo Marchetti',
            message: 'Round refunds to the cent',
            program,
          },
          {
            id: 'c81f5a2d7be6049d3ac1f8e70b52964d1e37fa90',
            daysAgo: 7.2,
            author: 'Jonas Weber',
            message: 'Retry gateway calls that time out',
            program,
          },
          {
            id: '1e94ab70d35c8f62e1b47a09c6df2583a70be4d1',
            daysAgo: 0.12,
            author: 'Mei Tanaka',
            message: 'Read exchange rates from the rates service',
            program: { ...program, variables: [...program.variables, 'RATES_API_URL'] },
          },
        ],
      },
    },
  },
};
