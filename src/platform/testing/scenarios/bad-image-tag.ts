import { container, httpProbe, publicPort, seedIds } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'pricing/staging';
const service = `${environment}/pricing-engine`;
const program = { language: 'java', listens: { port: 8080 }, answers: { '/actuator/health': 200 } } as const;

/** A tag that was never pushed. */
export const badImageTag: Scenario = {
  name: 'bad-image-tag',
  story:
    'The container pricing-engine was moved to a tag that was never pushed: 3.7.0-rc.2, where the registry has 3.7.0.',
  symptoms:
    'DEPLOYMENT_ERROR; ErrImagePull and ImagePullBackOff with "not found" in the log; the history has 3.6.4 as the last good tag.',
  fix: 'Set the tag to one that exists (3.6.4 or 3.7.0) with update_container, and deploy the container.',
  environments: [{ path: environment, mode: 'STAGING', cluster: 'main' }],
  services: [
    container(
      environment,
      'pricing-engine',
      '3.6.3',
      { cpu: 1000, memory: 1536, healthchecks: { readiness_probe: httpProbe(8080, '/actuator/health') } },
      { ports: [publicPort(service, 8080)] },
    ),
  ],
  history: [
    { daysAgo: 23.6, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 9.41, by: 'Cleo Marchetti', change: service, to: { tag: '3.6.4' } },
    { daysAgo: 9.4, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 0.22, by: 'Bo Lindqvist', change: service, to: { tag: '3.7.0-rc.2' } },
    { daysAgo: 0.21, by: 'Bo Lindqvist', deploy: [service] },
  ],
  facts: {
    images: {
      'acme/pricing-engine': {
        registries: [seedIds.registry_id],
        tags: {
          '3.6.2': { program },
          '3.6.3': { program },
          '3.6.4': { program },
          '3.7.0-rc.1': { program },
          '3.7.0': { program },
        },
      },
    },
  },
};
