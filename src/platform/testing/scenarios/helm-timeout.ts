import { seedId, seedIds } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'data/streaming';
const service = `${environment}/event-bus`;
const chart = (version: string) => ({
  repository: { chart_name: 'kafka', chart_version: version, repository: { id: seedIds.helm_repository_id } },
});

/** A chart that takes longer than Helm's timeout. */
export const helmTimeout: Scenario = {
  name: 'helm-timeout',
  story:
    'event-bus was moved to version 31.0.0 of its chart, whose brokers check their log segments at the first start: 260 seconds, where helm waits for 180.',
  symptoms:
    'DEPLOYMENT_ERROR; "timed out waiting for the condition" after lines of brokers that recover; the chart version has changed since the last good deployment.',
  fix: 'Raise timeout_sec to more than 260 with update_helm, and deploy the helm service; or go back to chart version 30.1.8.',
  environments: [{ path: environment, mode: 'DEVELOPMENT', cluster: 'main' }],
  services: [
    {
      environment,
      name: 'event-bus',
      kind: 'helm',
      deployed: true,
      spec: {
        auto_preview: false,
        auto_deploy: false,
        arguments: ['--atomic', '--debug'],
        allow_cluster_wide_resources: false,
        icon_uri: 'app://infra-mcp/helm',
        timeout_sec: 180,
        description: 'Events of everything.',
        source: chart('30.1.8'),
        values_override: {
          set: [['controller.replicaCount', '3']],
          file: {
            raw: { values: [{ name: 'values.yaml', content: 'persistence:\n  size: 50Gi\nlogRetentionHours: 168\n' }] },
          },
        },
        ports: [
          {
            id: seedId(`port/${service}`),
            name: 'metrics',
            port_type: 'HELM',
            internal_port: 5556,
            protocol: 'HTTP',
            is_default: false,
            service_name: 'event-bus-metrics',
          },
        ],
      },
    },
  ],
  history: [
    { daysAgo: 22.9, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 0.47, by: 'Bo Lindqvist', change: service, to: { source: chart('31.0.0') } },
    { daysAgo: 0.46, by: 'Bo Lindqvist', deploy: [service] },
    { daysAgo: 0.44, by: 'Bo Lindqvist', deploy: [service] },
  ],
  facts: {
    charts: {
      kafka: {
        '30.1.8': { readySeconds: 95, progressLines: [] },
        '31.0.0': {
          readySeconds: 260,
          progressLines: [
            'event-bus-controller-0: INFO [LogLoader partition=orders-4, dir=/data] Recovering unflushed segment 0 (kafka.log.LogLoader)',
            'event-bus-controller-1: INFO [LogLoader partition=prices-0, dir=/data] Recovering unflushed segment 4471283 (kafka.log.LogLoader)',
            'event-bus-controller-0: WARN [Controller id=0] Performing controller activation. Loaded ZkMigrationState of NONE. (org.apache.kafka.controller.QuorumController)',
            'event-bus-controller-2: INFO Loaded 112 of 318 logs, 171s left (kafka.log.LogManager)',
            'event-bus-controller-0: INFO Loaded 180 of 318 logs, 109s left (kafka.log.LogManager)',
            'event-bus-controller-1: INFO Loaded 219 of 318 logs, 81s left (kafka.log.LogManager)',
          ],
        },
      },
    },
  },
};
