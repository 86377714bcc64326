import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/cli/config/index.ts';
import { exportSettings } from '../../src/telemetry/traces/trace-settings.ts';
import { objectOf, rendered, type KubernetesObject } from './kubernetes.ts';
import { image } from './repository-files.ts';

const monitoring = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }];
const metrics = {
  metrics: {
    enabled: true,
    port: 9500,
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, interval: '30s' },
  },
};

const containerOf = (objects: readonly KubernetesObject[]) =>
  objectOf('StatefulSet', [...objects]).spec.template.spec.containers[0]!;
const envOf = (objects: readonly KubernetesObject[]) =>
  Object.fromEntries(containerOf(objects).env.map(({ name, value }) => [name, value]));
const egressOf = async (values: object) => objectOf('NetworkPolicy', await rendered({ ...values })).spec.egress;
const tcp = (port: string | number) => [{ port, protocol: 'TCP' }];

describe('metrics', async () => {
  const objects = await rendered(metrics);
  const services = objects.filter(({ kind }) => kind === 'Service');

  test('are off until they are enabled', async () => {
    const off = await rendered();
    expect(JSON.stringify(off)).not.toContain('metrics');
    expect(off.some(({ kind }) => kind === 'ServiceMonitor')).toBe(false);
  });

  test('are served where the server says so, at the port of the container', () => {
    const { config, warnings } = readConfig('http', {}, { ...image.env, ...envOf(objects) });
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ metricsPort: 9500, metricsHost: '0.0.0.0' });
    expect(containerOf(objects).ports).toEqual([
      { name: 'http', containerPort: image.port },
      { name: 'metrics', containerPort: 9500 },
    ]);
  });

  test('are served to the network that the server listens on', async () => {
    expect(envOf(await rendered({ ...metrics, env: { INFRA_HTTP_HOST: '::' } }))).toMatchObject({
      INFRA_HTTP_HOST: '::',
      INFRA_METRICS_HOST: '::',
    });
  });

  test('have a service of their own, that the public one knows nothing of', () => {
    expect(services.map(({ metadata: { name }, spec: { ports } }) => [name, ports])).toEqual([
      ['team-infra-mcp-metrics', [{ name: 'metrics', port: 9500, targetPort: 'metrics' }]],
      ['team-infra-mcp', [{ name: 'http', port: 80, targetPort: 'http' }]],
    ]);
    expect(services[0]!.spec).toMatchObject({ type: 'ClusterIP', selector: services[1]!.spec.selector });
  });

  test('are exposed by no Ingress and no route', async () => {
    const exposed = await rendered({
      ...metrics,
      ingress: { enabled: true },
      httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] },
    });
    for (const kind of ['Ingress', 'HTTPRoute'])
      expect(JSON.stringify(objectOf(kind, exposed))).not.toContain('metrics');
  });

  test('are fetched by the Prometheus that selects the monitor, from that service alone', () => {
    const { metadata, spec } = objectOf('ServiceMonitor', objects);
    expect(metadata.labels).toMatchObject({ release: 'prometheus' });
    expect(spec).toMatchObject({ endpoints: [{ port: 'metrics', interval: '30s' }] });
    const isSelected = (labels: Record<string, string>): boolean =>
      Object.entries(spec.selector.matchLabels).every(([name, value]) => labels[name] === value);
    expect(services.filter((one) => isSelected(one.metadata.labels)).map(({ metadata: { name } }) => name)).toEqual([
      'team-infra-mcp-metrics',
    ]);
  });

  test('are let through to the monitoring, and to nobody else', async () => {
    const [callers, toMetrics, ...others] = objectOf('NetworkPolicy', objects).spec.ingress;
    expect(others).toEqual([]);
    expect(callers!.ports).toEqual(tcp('http'));
    expect(toMetrics).toEqual({ from: monitoring, ports: tcp('metrics') });
    const from = [{ ...monitoring[0]!, podSelector: { matchLabels: { app: 'prometheus' } } }];
    expect(
      objectOf('NetworkPolicy', await rendered({ ...metrics, networkPolicy: { metrics: { from } } })).spec.ingress[1],
    ).toEqual({ from, ports: tcp('metrics') });
  });
});

const webhook = { to: [{ ipBlock: { cidr: '192.0.2.7/32' } }], port: 8443 };

describe('connections to elsewhere', () => {
  test.each([
    [
      'traces',
      { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.monitoring:4318' } },
      { to: monitoring, ports: tcp(4318) },
    ],
    [
      'traces, to the endpoint of their own',
      {
        env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://192.0.2.9:4999/v1/traces' },
        networkPolicy: { traces: { to: webhook.to, port: 4999 } },
      },
      { to: webhook.to, ports: tcp(4999) },
    ],
    [
      'traces, to a secret endpoint',
      { secretEnv: { OTEL_EXPORTER_OTLP_ENDPOINT: 'otlp' } },
      { to: monitoring, ports: tcp(4318) },
    ],
    [
      'the approvals webhook',
      { env: { INFRA_APPROVALS_WEBHOOK_URL: 'https://192.0.2.7:8443' }, networkPolicy: { approvalsWebhook: webhook } },
      { to: webhook.to, ports: tcp(8443) },
    ],
    [
      'the approvals webhook, with a secret URL',
      { secretEnv: { INFRA_APPROVALS_WEBHOOK_URL: 'url' }, networkPolicy: { approvalsWebhook: webhook } },
      { to: webhook.to, ports: tcp(8443) },
    ],
  ])('are allowed for %s, and only where that is set', async (_, values, rule) => {
    const usual = await egressOf({});
    expect(await egressOf(values)).toEqual([...usual, rule]);
    expect(await egressOf({ ...values, env: {}, secretEnv: {} })).toEqual(usual);
  });

  test('are not allowed to everywhere by a list that is empty', async () => {
    const values = {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://192.0.2.9', INFRA_APPROVALS_WEBHOOK_URL: 'https://192.0.2.7' },
      networkPolicy: { traces: { to: [] } },
    };
    expect(await egressOf(values)).toEqual(await egressOf({}));
  });

  test('go to the port that the program sends traces to', async () => {
    const [
      ,
      ,
      {
        ports: [{ port }],
      },
    ] = (await egressOf({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector' } })) as [
      unknown,
      unknown,
      { ports: [{ port: number }] },
    ];
    expect(port).toBe(Number(exportSettings({ OTEL_TRACES_EXPORTER: 'otlp' }).url.port));
  });
});

test('values that are secret come from the Secret', async () => {
  const { env } = containerOf(await rendered({ secretEnv: { INFRA_APPROVALS_WEBHOOK_URL: 'webhook-url' } }));
  expect(env).toContainEqual({
    name: 'INFRA_APPROVALS_WEBHOOK_URL',
    valueFrom: { secretKeyRef: { name: 'team-infra-mcp', key: 'webhook-url' } },
  });
});
