import { container, httpProbe, publicPort, seedIds } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'discovery/staging';
const service = `${environment}/suggest`;
const readiness = {
  ...httpProbe(8080, '/ready'),
  initial_delay_seconds: 30,
  period_seconds: 10,
  timeout_seconds: 5,
  success_threshold: 1,
  failure_threshold: 9,
};
const program = {
  language: 'java',
  memory: 900,
  listens: { port: 8080 },
  answers: { '/ready': 200, '/live': 200 },
  warmUp: { path: '/ready', seconds: 75, loads: 'suggestion index' },
} as const;

/** A probe that gives up before the program is ready. */
export const failingReadinessProbe: Scenario = {
  name: 'failing-readiness-probe',
  story:
    'suggest answers 503 at /ready until its index is loaded, which takes 75 seconds. Somebody tightened its readiness probe, which gives up after 20 now.',
  symptoms:
    'DEPLOYMENT_ERROR; "HTTP probe failed with statuscode: 503" between lines of progress; the tag has not changed since the last good deployment, the configuration has.',
  fix: 'Let the readiness probe ask for more than 75 seconds (initial_delay_seconds + period_seconds × failure_threshold) with update_container, and deploy the container.',
  environments: [{ path: environment, mode: 'STAGING', cluster: 'main' }],
  services: [
    container(
      environment,
      'suggest',
      '1.12.0',
      {
        cpu: 1000,
        memory: 1024,
        healthchecks: {
          readiness_probe: readiness,
          liveness_probe: { ...httpProbe(8080, '/live'), initial_delay_seconds: 120 },
        },
      },
      { ports: [publicPort(service, 8080)] },
    ),
  ],
  history: [
    { daysAgo: 21.2, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 8.31, by: 'Cleo Marchetti', change: service, to: { tag: '1.13.2' } },
    { daysAgo: 8.3, by: 'Cleo Marchetti', deploy: [service] },
    {
      daysAgo: 0.41,
      by: 'Bo Lindqvist',
      change: service,
      to: {
        healthchecks: {
          readiness_probe: { ...readiness, initial_delay_seconds: 5, period_seconds: 5, failure_threshold: 3 },
          liveness_probe: {
            ...httpProbe(8080, '/live'),
            initial_delay_seconds: 120,
            period_seconds: 10,
            timeout_seconds: 5,
            success_threshold: 1,
            failure_threshold: 9,
          },
        },
      },
    },
    { daysAgo: 0.4, by: 'Bo Lindqvist', deploy: [service] },
  ],
  facts: {
    images: {
      'acme/suggest': { registries: [seedIds.registry_id], tags: { '1.12.0': { program }, '1.13.2': { program } } },
    },
  },
};
