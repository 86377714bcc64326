import * as fc from 'fast-check';
import type { JsonSchema } from '../../src/server/json/index.ts';

const probe = { type: { http: { port: 8080, path: '/healthz' } }, initial_delay_seconds: 10, failure_threshold: 3 };
const repository = { url: 'https://git.example/shop/app.git', branch: 'main', root_path: '/' };
const command = { entrypoint: 'node', arguments: ['run.js'] };
const ports = ['HTTP', 'GRPC', 'TCP', 'UDP'].map((protocol) => ({
  name: 'p1',
  internal_port: 8080,
  publicly_accessible: true,
  protocol,
}));
const withRemoval = ports.map((port) => ({ ...port, remove: true }));
const disks = { mount_point: '/data', size: 10, type: 'FAST_SSD' };

/**
 * What a description says that the schema doesn't: values as a reader would write them, by the description, or by the
 * member where its description is about something else. Whoever changes such a description has to say here what it
 * promises.
 */
const promised: Readonly<Record<string, readonly unknown[]>> = {
  '{url, branch: main, root_path: /, git_token_id for private}.': [
    { url: repository.url },
    repository,
    { ...repository, git_token_id: '00000000-0000-4000-8000-000000000001' },
  ],
  '{url, branch, root_path}.': [repository, { branch: 'next' }],
  '{url, branch: main, root_path: /}.': [{ url: repository.url }, repository],
  '{key, value, secret}.': [[{ key: 'region', value: 'eu-west-3', secret: false }]],
  '{set: [[name, value]], file: {raw: {values: [{name, content}]}}}.': [
    { set: [['replicas', '2']], file: { raw: { values: [{ name: 'a.yaml', content: 'a: 1' }] } } },
  ],
  '{readiness_probe, liveness_probe: {type: {http: {port, path}}}}; or tcp, grpc, exec: {command}.': [
    {},
    { readiness_probe: probe, liveness_probe: probe },
    { liveness_probe: { type: { tcp: { port: 80 } } } },
    { readiness_probe: { type: { grpc: { port: 80 } } } },
    { readiness_probe: { type: { exec: { command: ['true'] } } } },
  ],
  '{internal_port, publicly_accessible, protocol: HTTP, GRPC, TCP, UDP}.': [ports],
  '{internal_port, publicly_accessible, protocol: HTTP, GRPC, TCP, UDP}. Merged; remove: true removes one.': [
    ports,
    withRemoval,
    [{ name: 'p1', remove: true }],
  ],
  '{mount_point, size in GB, type: FAST_SSD}.': [[disks]],
  '{mount_point, size in GB, type: FAST_SSD}. As ports.': [[disks], [{ mount_point: '/data', remove: true }]],
  '{name, internal_port, external_port, namespace, protocol, service_name}.': [
    [
      {
        name: 'web',
        internal_port: 80,
        external_port: 443,
        namespace: 'default',
        protocol: 'HTTP',
        service_name: 'web',
      },
    ],
  ],
  'KEDA: {scalers: [{scaler_type, config_json}]}.': [
    { scalers: [{ scaler_type: 'cpu', config_json: { value: '80' } }] },
  ],
  '{image: {image_name, tag, registry}} or {docker: {git_repository: {url, branch}, dockerfile_path}}.': [
    ...['00000000-0000-4000-8000-000000000001', 'our-registry'].map((registry) => ({
      image: { image_name: 'library/report', tag: '1.0', registry },
    })),
    { docker: { git_repository: repository, dockerfile_path: 'Dockerfile' } },
  ],
  '{cronjob: {scheduled_at: "0 3 * * *", timezone, entrypoint}} or {on_start, on_stop, on_delete: {entrypoint, arguments}}.':
    [
      { cronjob: { scheduled_at: '0 3 * * *', timezone: 'Europe/Paris', ...command } },
      { on_start: command, on_stop: command, on_delete: command },
    ],
  '{helm_repository: {repository, chart_name, chart_version}} or {git_repository: {url, branch, root_path}}.': [
    ...['00000000-0000-4000-8000-000000000001', 'charts'].map((from) => ({
      helm_repository: { repository: from, chart_name: 'redis', chart_version: '1.2.3' },
    })),
    { git_repository: repository },
    {
      repository: {
        chart_name: 'redis',
        chart_version: '1.2.3',
        repository: { id: '00000000-0000-4000-8000-000000000001' },
      },
    },
    { git: { git_repository: repository } },
  ],
  '{raw: {values: [{name, content: YAML}]}} or {git: {git_repository, paths}}.': [
    { raw: { values: [{ name: 'a.yaml', content: 'a: 1' }] } },
    { git: { git_repository: repository, paths: ['a.yaml'] } },
  ],
  'All [name, value] pairs.': [[['image.tag', '1.0']]],
  '{} for none, {username, password}, or for AWS {region, access_key_id, secret_access_key}, others vendor_access_key …':
    [
      {},
      { username: 'reader', password: 'correct-horse-9' },
      { region: 'eu-west-3', access_key_id: 'A', secret_access_key: 'B', role_arn: 'C' },
      {
        vendor_access_key: 'A',
        vendor_secret_key: 'B',
        vendor_project_id: 'C',
        azure_tenant_id: 'D',
        azure_subscription_id: 'E',
      },
    ],
  'HTTPS, OCI_ECR, OCI_PUBLIC_ECR, OCI_GENERIC_CR …': ['HTTPS'],
  'https:// for HTTPS, oci:// for OCI kinds.': ['https://charts.example.com'],
  'DEPLOYMENT_STARTED, DEPLOYMENT_SUCCEEDED, DEPLOYMENT_FAILED or others of your platform.': [
    ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED'],
    ['DEPLOYMENT_FAILED', 'A_WORD_OF_THE_PLATFORM'],
  ],
  '{summary, runbook_url}': [{ summary: 'CPU is high', runbook_url: 'https://wiki.example/cpu' }],
  'Receives a POST per event.': ['https://hooks.example/in'],
  'Secret address of a chat.': ['https://hooks.example/services/T1'],
  'Default: the run under way.': ['00000000-0000-4000-8000-000000000001'],
  'ISO 8601, such as PT5M.': ['PT5M', 'PT30S', 'P1D'],
  'Time, or ago: PT15M.': ['PT15M', '2026-01-02T03:04:05Z'],
  'As since.': ['PT15M', '2026-01-02T03:04:05Z'],
  'ISO country, e.g. FR.': ['FR', 'US'],
  'e.g. www.example.com.': ['www.example.com'],
  'e.g. 16.': ['16', '7.2'],
  'Address to invite.': ['ann@example.com'],
  'Address for invoices.': ['ann@example.com'],
  'A letter, then letters, digits and _.': ['LOG_LEVEL', 'a1', 'X_'],
  'RE2 expression.': ['time(out|d out)', '^\\d+'],
  'Path of a file with its value.': ['/etc/app/config.yaml'],
  'Lines KEY=value.': ['A=1\nB="two words"'],
  'Key: value.': [{ LOG_LEVEL: 'debug' }],
  'New, or replaced.': [{ API_KEY: 'correct-horse-9' }],
  'When it ends.': ['2999-01-02T03:04:05Z', '2999-01-02T03:04:05.678+02:00'],
  '{promql, operator: ABOVE…, threshold}': [{ promql: 'up == 0' }, { promql: 'up', operator: 'ABOVE', threshold: 2 }],
  'Credentials, in members of any vendor; {} for none.': [{}, { username: 'reader', password: 'correct-horse-9' }],
  'GENERIC_CR, DOCKER_HUB, ECR …': ['GENERIC_CR', 'DOCKER_HUB', 'ECR', 'GITHUB_CR'],
  'GENERIC_CR, DOCKER_HUB, ECR, PUBLIC_ECR …': ['GENERIC_CR', 'PUBLIC_ECR'],
  'GITHUB, GITLAB, BITBUCKET …': ['GITHUB', 'GITLAB', 'BITBUCKET'],
  'Address.': ['https://images.example.com', 'http://images.example.com:5000'],
  'https:// and a host. Public registries need none.': ['https://images.example.com'],
  'Server of your own.': ['https://git.example.com', 'https://git.example.com/api/v4'],
  'Server of your own, such as https://git.example.com.': ['https://git.example.com'],
  '{key, value, propagate_to_cloud_provider}.': [[{ key: 'team', value: 'a', propagate_to_cloud_provider: false }]],
  'Each also on resources of the cloud, or not.': [[{ key: 'team', value: 'a', propagate_to_cloud_provider: true }]],
  'PODS, DEPLOYMENTS, SERVICES, INGRESS, JOBS …': [['PODS'], ['SERVICES', 'JOBS']],
  '{key, value}.': [[{ key: 'prometheus.io/scrape', value: 'true' }]],
  'What the objects say.': [[{ key: 'prometheus.io/scrape', value: 'true' }]],
  'Image tag.': ['1.0', 'latest', 'v2.4.1-rc.1'],
  'Default: newest.': ['4f2a91c', '4f2a91c04f2a91c04f2a91c04f2a91c04f2a91c0'],
  'Further back.': ['4f2a91c'],
  '0 = none.': [0, 1, 5],
  '-1 = no limit.': [-1, 1, 5],
  'Columns.': [[]],
  '{service, version: commit, tag, chart}': [
    [{ service: 'shop/staging/web', version: '4f2a91c' }, { service: 'shop/staging/api' }],
  ],
  '19:00': ['19:00', '07:30', '24:00'],
  'As stop_time.': ['07:00'],
  'MONDAY …': [['MONDAY'], ['FRIDAY', 'SATURDAY']],
  'Such as Europe/Paris.': ['Europe/Paris', 'UTC', 'America/New_York'],
  'FRIDAY 16:00, or 2026-12-24 16:00.': ['FRIDAY 16:00', '2026-12-24 16:00'],
  'As begins.': ['SATURDAY 24:00', '2026-12-27 08:00'],
  'Not production: DEVELOPMENT, STAGING.': [['DEVELOPMENT'], ['DEVELOPMENT', 'STAGING']],
};

const text = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ./-]{0,30}[A-Za-z0-9]$/);

const number = ({ minimum = 1, maximum = 10_000, default: usual }: JsonSchema): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constantFrom(minimum, maximum, ...(usual === undefined ? [] : [usual])),
    fc.integer({ min: minimum, max: maximum }),
  );

/** Values that an advertised schema allows, its ends, its default and each value of an enum among them. */
export function valuesOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const examples = promised[schema.description ?? ''];
  if (examples) return fc.constantFrom(...examples);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return number(schema);
    case 'array':
      return fc.array(valuesOf(schema.items!), { minLength: schema.minItems ?? 1, maxLength: 4 });
    case 'object':
      return schema.properties
        ? fc.record(
            Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, valuesOf(member)])),
            { requiredKeys: schema.required ?? [] },
          )
        : fc.dictionary(text, text);
    default:
      return text;
  }
}
