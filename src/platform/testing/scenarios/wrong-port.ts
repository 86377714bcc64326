import { container, httpProbe, publicPort, seedIds } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'shop/gifts';
const service = `${environment}/gift-cards`;
const program = {
  language: 'node',
  listens: { port: 8080, variable: 'PORT' },
  answers: { '/health': 200, '/': 200 },
} as const;

/** A version that listens on another port than the service declares. */
export const wrongPort: Scenario = {
  name: 'wrong-port',
  story:
    'Version 5.0.0 of gift-cards uses another web framework and listens on 3000. The port of the service and its probe still say 8080.',
  symptoms:
    'DEPLOYMENT_ERROR; the program says that it listens on 3000, the readiness probe gets "connection refused" at 8080; 4.8.1 was the last good tag.',
  fix: 'Set the port and the probe to 3000 with update_container, and deploy the container; or go back to 4.8.1.',
  environments: [{ path: environment, mode: 'DEVELOPMENT', cluster: 'main' }],
  services: [
    container(
      environment,
      'gift-cards',
      '4.8.1',
      { healthchecks: { readiness_probe: httpProbe(8080, '/health') } },
      { ports: [publicPort(service, 8080)] },
    ),
  ],
  history: [
    { daysAgo: 12.7, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 0.34, by: 'Cleo Marchetti', change: service, to: { tag: '5.0.0' } },
    { daysAgo: 0.33, by: 'Cleo Marchetti', deploy: [service] },
  ],
  facts: {
    images: {
      'acme/gift-cards': {
        registries: [seedIds.registry_id],
        tags: { '4.8.1': { program }, '5.0.0': { program: { ...program, listens: { port: 3000, variable: 'PORT' } } } },
      },
    },
  },
};
