import { container, httpProbe, publicPort, seedId, seedIds } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'shop/notifications';
const service = `${environment}/mailer`;
const program = { language: 'node', listens: { port: 8080 }, answers: { '/health': 200 } } as const;

/** A registry that refuses to let the platform pull an image. */
export const imagePullDenied: Scenario = {
  name: 'image-pull-denied',
  story:
    'mailer was switched from the registry acme to docker-hub, where its repository is private and the platform has no credentials for it.',
  symptoms:
    'DEPLOYMENT_ERROR; ImagePullBackOff with "pull access denied … may require authorization"; the tag is that of the last good deployment, the registry is another.',
  fix: 'Set registry back to the registry acme with update_container, and deploy the container.',
  environments: [{ path: environment, mode: 'STAGING', cluster: 'main' }],
  services: [
    container(
      environment,
      'mailer',
      '1.9.0',
      { healthchecks: { readiness_probe: httpProbe(8080, '/health') } },
      { ports: [publicPort(service, 8080)] },
    ),
  ],
  history: [
    { daysAgo: 17.8, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 0.52, by: 'Bo Lindqvist', change: service, to: { registry_id: seedId('registry/docker-hub') } },
    { daysAgo: 0.51, by: 'Bo Lindqvist', deploy: [service] },
  ],
  facts: {
    images: {
      'acme/mailer': { registries: [seedIds.registry_id], tags: { '1.8.3': { program }, '1.9.0': { program } } },
    },
  },
};
