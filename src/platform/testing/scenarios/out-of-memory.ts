import { container, httpProbe, publicPort, seedIds } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'discovery/production';
const service = `${environment}/recommendations`;
const program = {
  language: 'java',
  memory: 640,
  listens: { port: 8080 },
  answers: { '/actuator/health': 200 },
} as const;

/** A version that needs more memory than the service's limit. */
export const outOfMemory: Scenario = {
  name: 'out-of-memory',
  story:
    'Version 8.0.0 of recommendations keeps its model in memory and needs about 1.4 GB to start; the service has 768 MB.',
  symptoms:
    'DEPLOYMENT_ERROR; OOMKilled with exit code 137, over and over; long garbage collections before it; 7.9.2 was the last good tag.',
  fix: 'Give it 1536 MB with update_container, and deploy the container; or go back to 7.9.2.',
  environments: [{ path: environment, mode: 'PRODUCTION', cluster: 'production' }],
  services: [
    container(
      environment,
      'recommendations',
      '7.9.2',
      {
        cpu: 1500,
        memory: 768,
        healthchecks: { readiness_probe: httpProbe(8080, '/actuator/health') },
        min_running_instances: 2,
        max_running_instances: 6,
      },
      { ports: [publicPort(service, 8080)] },
    ),
  ],
  history: [
    { daysAgo: 25.1, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 0.18, by: 'Cleo Marchetti', change: service, to: { tag: '8.0.0' } },
    { daysAgo: 0.17, by: 'Cleo Marchetti', deploy: [service] },
  ],
  facts: {
    images: {
      'acme/recommendations': {
        registries: [seedIds.registry_id],
        tags: { '7.9.2': { program }, '8.0.0': { program: { ...program, memory: 1400 } } },
      },
    },
  },
};
