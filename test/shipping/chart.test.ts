import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { chartValues, notesOf, withValues } from '../../scripts/shipping/kubernetes.ts';
import { repositoryUrl } from '../../src/cli/config/index.ts';
import { mcpPath } from '../../src/transport/http/mount.ts';
import { chart, objectOf, rendered } from './kubernetes.ts';
import { expectTaken, unknownTo } from './kubernetes-models.ts';
import { readJson } from './repository-files.ts';

type Values = Readonly<Record<string, unknown>>;

const validate = new Ajv({ strict: false, allErrors: true }).compile(
  readJson('deploy/helm/infra-mcp/values.schema.json') as object,
);
const own = await chartValues();
/** What the schema says against values that are given over the chart's own. */
const faultsOf = (given: Values): string[] =>
  validate(withValues(own, given))
    ? []
    : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);

const certificates = { name: 'authority', configMap: { name: 'authority' } };
const mounted = { name: 'authority', mountPath: '/etc/authority', readOnly: true };
const affinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
    },
  },
};
const toleration = { key: 'dedicated', operator: 'Equal', value: 'tools', effect: 'NoSchedule' };

/** Every value that is empty or off by default. */
const everything = {
  imagePullSecrets: [{ name: 'registry' }],
  persistence: { size: '5Gi', storageClass: 'fast' },
  podAnnotations: { owner: 'platform' },
  nodeSelector: { pool: 'tools' },
  tolerations: [toleration],
  affinity,
  extraVolumes: [certificates],
  extraVolumeMounts: [mounted],
  env: {
    NODE_EXTRA_CA_CERTS: '/etc/authority/ca.pem',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.monitoring:4318',
  },
  secretEnv: { INFRA_APPROVALS_WEBHOOK_URL: 'webhook-url' },
  metrics: { enabled: true, serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, interval: '30s' } },
  database: { urlKey: 'database-url', keysSecretName: 'team-keys' },
  networkPolicy: {
    database: { to: [{ ipBlock: { cidr: '192.0.2.8/32' } }], port: 5433 },
    approvalsWebhook: { to: [{ ipBlock: { cidr: '192.0.2.7/32' } }], port: 8443 },
  },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'example.com/buffering': 'off' },
    tlsSecretName: 'mcp-tls',
  },
  httpRoute: {
    enabled: true,
    annotations: { team: 'platform' },
    parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
  },
};

describe('the values of the chart', () => {
  test('are all described, and nothing else is', () => {
    const { properties } = readJson('deploy/helm/infra-mcp/values.schema.json') as { properties: Values };
    expect(
      Object.keys(properties)
        .filter((name) => name !== 'global')
        .toSorted(),
    ).toEqual(Object.keys(own).toSorted());
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf(everything)).toEqual([]);
  });

  test.each([
    ['a name that there is not', { ingres: { enabled: true } }, 'additional properties'],
    ['one within another', { persistence: { existingclaim: 'data' } }, '/persistence must NOT'],
    ['another type', { replicas: '2' }, '/replicas must be integer'],
    ['a route without a gateway', { httpRoute: { enabled: true } }, '/httpRoute/parentRefs'],
    [
      'an Ingress without a host',
      { ingress: { enabled: true }, env: { INFRA_HTTP_PUBLIC_URL: null } },
      'INFRA_HTTP_PUBLIC_URL',
    ],
    [
      'metrics that the chart does not know of',
      { env: { INFRA_METRICS_PORT: '9464' } },
      '/env/INFRA_METRICS_PORT must be null',
    ],
    ['metrics at the port of the server', { metrics: { port: 8080 } }, '/metrics/port'],
    ['metrics for everybody', { networkPolicy: { metrics: { from: [] } } }, '/networkPolicy/metrics/from'],
    ['a monitor of no metrics', { metrics: { serviceMonitor: { enabled: true } } }, '/metrics/enabled'],
    [
      'a host name in place of an address',
      { networkPolicy: { approvalsWebhook: { to: 'hooks.example.com' } } },
      '/networkPolicy/approvalsWebhook/to must be array',
    ],
    [
      'several servers with one volume',
      { replicas: 2, persistence: { existingClaim: 'data' }, env: { INFRA_HTTP_APPROVALS_PAGE: 'false' } },
      '/persistence/existingClaim',
    ],
    ['several servers with a page of approvals and no database', { replicas: 2 }, '/env/INFRA_HTTP_APPROVALS_PAGE'],
    [
      'a database without the keys of all servers',
      { database: { urlKey: 'database-url' } },
      '/database/keysSecretName',
    ],
    [
      'an address that everybody sees',
      { env: { INFRA_DATABASE_URL: 'postgres://infra:secret@db/infra' } },
      '/env/INFRA_DATABASE_URL must be null',
    ],
  ])('are refused for %s', (_, given, says) => {
    expect(faultsOf(given).join('\n')).toContain(says);
  });

  test('name the image where releases put it', () => {
    expect(own['image']).toMatchObject({ repository: `ghcr.io/${new URL(repositoryUrl).pathname.slice(1)}` });
  });
});

describe('with every value set', async () => {
  const objects = await rendered(everything);
  const pod = objectOf('StatefulSet', objects).spec.template.spec;

  test('Kubernetes takes the objects, and knows every member', async () => {
    for (const one of objects) await expectTaken(one);
    expect(await unknownTo(objects)).toBe('');
    expect(await unknownTo([{ ...objectOf('HTTPRoute', objects), spek: {} } as never])).toContain('spek');
  });

  test('the pods run where and how they are told', () => {
    expect(pod).toMatchObject({
      imagePullSecrets: everything.imagePullSecrets,
      nodeSelector: { pool: 'tools' },
      tolerations: [toleration],
      affinity,
    });
    expect(objectOf('StatefulSet', objects).spec.template.metadata).toMatchObject({
      annotations: { owner: 'platform' },
    });
    expect(objectOf('StatefulSet', objects).spec.volumeClaimTemplates[0]!.spec).toMatchObject({
      storageClassName: 'fast',
      resources: { requests: { storage: '5Gi' } },
    });
  });

  test("Node trusts an authority of the operator's own", () => {
    expect(pod.volumes).toContainEqual(certificates);
    expect(pod.containers[0]!.volumeMounts).toContainEqual(mounted);
    expect(pod.containers[0]!.env).toContainEqual({ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authority/ca.pem' });
  });

  test('the Ingress and the route lead from the public host to the service, but not to the approvals', () => {
    const paths = [mcpPath, '/.well-known/oauth-protected-resource'];
    const service = 'team-infra-mcp';
    expect(objectOf('Ingress', objects)).toMatchObject({
      metadata: { name: service, annotations: everything.ingress.annotations },
      spec: {
        ingressClassName: 'nginx',
        tls: [{ hosts: ['mcp.example.com'], secretName: 'mcp-tls' }],
        rules: [
          {
            host: 'mcp.example.com',
            http: {
              paths: paths.map((path) => ({
                path,
                pathType: 'Prefix',
                backend: { service: { name: service, port: { name: 'http' } } },
              })),
            },
          },
        ],
      },
    });
    expect(objectOf('HTTPRoute', objects)).toMatchObject({
      metadata: { name: service, annotations: everything.httpRoute.annotations },
      spec: {
        parentRefs: everything.httpRoute.parentRefs,
        hostnames: ['mcp.example.com'],
        rules: [
          {
            matches: paths.map((value) => ({ path: { type: 'PathPrefix', value } })),
            backendRefs: [{ name: service, port: 80 }],
          },
        ],
      },
    });
  });
});

describe('several servers on one database', async () => {
  const shared = {
    replicas: 3,
    database: everything.database,
    networkPolicy: { database: everything.networkPolicy.database },
  };
  const objects = await rendered(shared);
  const {
    replicas,
    template: { spec: pod },
  } = objectOf('StatefulSet', objects).spec;

  test('are what the chart takes, with the page of approvals', () => {
    expect(faultsOf(shared)).toEqual([]);
    expect(replicas).toBe(3);
  });

  test('get its address from the secret, and the keys as files that only they read', () => {
    const env = Object.fromEntries(pod.containers[0]!.env.map(({ name, ...value }) => [name, value]));
    expect(env).toMatchObject({
      INFRA_DATABASE_URL: { valueFrom: { secretKeyRef: { name: 'team-infra-mcp', key: 'database-url' } } },
      INFRA_KEYS_DIR: { value: '/etc/infra-mcp/keys' },
    });
    expect(pod.volumes).toContainEqual({ name: 'keys', secret: { secretName: 'team-keys', defaultMode: 0o440 } });
    expect(pod.containers[0]!.volumeMounts).toContainEqual({
      name: 'keys',
      mountPath: '/etc/infra-mcp/keys',
      readOnly: true,
    });
  });

  test('reach it, and each has a volume for its audit log', () => {
    expect(objectOf('NetworkPolicy', objects).spec.egress).toContainEqual({
      to: everything.networkPolicy.database.to,
      ports: [{ port: 5433, protocol: 'TCP' }],
    });
    expect(objectOf('StatefulSet', objects).spec.volumeClaimTemplates).toHaveLength(1);
    expect(objectOf('PodDisruptionBudget', objects).spec).toMatchObject({ maxUnavailable: 1 });
  });

  test('leave nothing behind where there is no database', async () => {
    expect(JSON.stringify(await rendered())).not.toMatch(/DATABASE|KEYS_DIR|"keys"/);
  });
});

test('a claim that there is takes the place of a new one', async () => {
  const set = objectOf('StatefulSet', await rendered({ persistence: { existingClaim: 'kept' } }));
  expect(set.spec).not.toHaveProperty('volumeClaimTemplates');
  expect(set.spec.template.spec.volumes).toContainEqual({ name: 'data', persistentVolumeClaim: { claimName: 'kept' } });
  await expectTaken(set);
});

test('addresses of both families can be reached, but no metadata service', async () => {
  const policy = JSON.stringify(objectOf('NetworkPolicy', await rendered()));
  for (const range of ['0.0.0.0/0', '169.254.0.0/16', '::/0', 'fe80::/10', 'fd00:ec2::254/128'])
    expect(policy).toContain(`"${range}"`);
});

/** The objects of a release, by kind and name. */
const namesOf = async (release: string): Promise<string[]> =>
  (await rendered({}, release)).map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe('releases in one namespace', () => {
  test('share no object, no secret and no pods', async () => {
    const [ours, theirs] = await Promise.all([namesOf('team'), namesOf('ops')]);
    expect(ours.filter((name) => theirs.includes(name))).toEqual([]);
    for (const release of ['team', 'ops']) {
      const objects = await rendered({}, release);
      expect(objectOf('Service', objects).spec.selector).toMatchObject({ 'app.kubernetes.io/instance': release });
      expect(objectOf('StatefulSet', objects).spec.template.spec.volumes).toContainEqual(
        expect.objectContaining({ secret: { secretName: `${release}-infra-mcp`, defaultMode: 0o440 } }),
      );
    }
  });

  test.each([
    ['infra-mcp', {}, 'infra-mcp'],
    ['my-infra-mcp', {}, 'my-infra-mcp'],
    ['a'.repeat(53), {}, `${'a'.repeat(42)}-infra-mcp`],
    ['team', { fullnameOverride: 'assistants' }, 'assistants'],
  ])('%s with %j has objects named %s', async (release, values, name) => {
    expect(new Set((await rendered(values, release)).map(({ metadata }) => metadata.name))).toEqual(new Set([name]));
  });
});

describe('what Helm says after the installation', () => {
  const release = { name: 'team', service: 'Helm', namespace: 'tools' };

  test('names the service that a proxy has to lead to, the secret and the pod', async () => {
    const notes = await notesOf(release, chart);
    expect(notes).toContain(`infra-mcp ${chart.appVersion} is installed as team-infra-mcp in the namespace tools.`);
    expect(notes).toContain('https://mcp.example.com/mcp once a proxy leads from there');
    expect(notes).toContain('kubectl --namespace tools create secret generic team-infra-mcp ');
    expect(notes).toContain('exec --stdin --tty team-infra-mcp-0 -- node /app/bin/infra-mcp.mjs approve --set-secret');
  });

  test('says where the metrics are, and what the network policy has to allow', async () => {
    const notes = await notesOf(release, chart, everything);
    expect(notes).toContain('http://team-infra-mcp-metrics.tools.svc:9464/metrics');
    expect(notes).toContain('networkPolicy.traces has');
    expect(notes).toContain('networkPolicy.approvalsWebhook has');
    expect(notes).toContain('networkPolicy.database has');
    expect(notes).toContain('the secret team-keys');
    expect(notes).not.toContain('--set-secret');
    expect(await notesOf(release, chart)).not.toMatch(/metrics|networkPolicy/);
  });

  test('asks for no other proxy where the chart has one', async () => {
    expect(await notesOf(release, chart, { ingress: { enabled: true } })).not.toContain('once a proxy');
  });
});
