import { ApplicationRequest, ContainerRequest, DatabaseRequest, type ServiceKind } from '../../contract/index.ts';
import type { ServiceSpecs, StoredAutoscaling } from '../common/index.ts';
import type { Vault } from '../store/index.ts';
import type { SeedTime } from './seed-time.ts';
import { seedId, seedIds } from './ids.ts';

/** A seeded service. One that isn't deployed stays READY. */
export type SeedService = { readonly environment: string; readonly name: string; readonly deployed: boolean } & {
  [Kind in ServiceKind]: { readonly kind: Kind; readonly spec: ServiceSpecs[Kind] };
}[ServiceKind];

/** The main branch of one of the organization's repositories. */
export const gitRepository = (name: string) => ({
  url: `https://git.acme.example/acme/${name}.git`,
  branch: 'main',
  root_path: '/',
});

/** The configuration of an HTTP probe. */
export const httpProbe = (port: number, path = '/') => ({ type: { http: { port, path, scheme: 'HTTP' } } });
const tcpProbe = (port: number) => ({ type: { tcp: { port } } });

/** A public port of a service. @param id path of the service */
export const publicPort = (id: string, number: number) => ({
  id: seedId(`port/${id}`),
  name: `p${number}`,
  internal_port: number,
  external_port: 443,
  publicly_accessible: true,
  is_default: true,
  protocol: 'HTTP' as const,
});

/** An application that is built from the repository of the same name. It listens on 8080 and is probed there. */
export const application = (
  environment: string,
  name: string,
  deployed: boolean,
  request: object = {},
): SeedService => {
  const {
    ports: _,
    storage: __,
    autoscaling: ___,
    name: ____,
    ...spec
  } = ApplicationRequest.parse({
    name,
    git_repository: gitRepository(name),
    healthchecks: { readiness_probe: httpProbe(8080, '/health'), liveness_probe: tcpProbe(8080) },
    ...request,
  });
  return {
    environment,
    name,
    deployed,
    kind: 'application',
    spec: { ...spec, ports: [publicPort(`${environment}/${name}`, 8080)], storage: [] },
  };
};

/**
 * A container from the organization's registry. It listens on 9200 and is probed there.
 * @param stored members whose stored form differs from the request's
 */
export const container = (
  environment: string,
  name: string,
  tag: string,
  request: object = {},
  stored: object = {},
): SeedService => {
  const {
    ports: _,
    storage: __,
    autoscaling: ___,
    name: ____,
    ...spec
  } = ContainerRequest.parse({
    name,
    registry_id: seedIds.registry_id,
    image_name: `acme/${name}`,
    tag,
    healthchecks: { readiness_probe: httpProbe(9200) },
    ...request,
  });
  return {
    environment,
    name,
    deployed: true,
    kind: 'container',
    spec: { ...spec, ports: [publicPort(`${environment}/${name}`, 9200)], storage: [], ...stored },
  };
};

/** A small database. */
export const database = (
  environment: string,
  name: string,
  type: string,
  version: string,
  mode: string,
): SeedService => ({
  environment,
  name,
  deployed: true,
  kind: 'database',
  spec: DatabaseRequest.parse({ name, type, version, mode, cpu: 500, memory: 1024, storage: 20 }),
});

const autoscaling = (time: SeedTime, vault: Vault): StoredAutoscaling => {
  const fresh = (path: string) => ({ id: seedId(path), created_at: time.ago(60), updated_at: time.ago(60) });
  return {
    ...fresh('autoscaling/search'),
    mode: 'KEDA',
    polling_interval_seconds: 30,
    cooldown_period_seconds: 300,
    scalers: [
      {
        ...fresh('scaler/search'),
        scaler_type: 'kafka',
        enabled: true,
        role: 'PRIMARY',
        config_json: { topic: 'products', lagThreshold: '50' },
        trigger_authentication: {
          ...fresh('trigger/search'),
          name: 'kafka-reader',
          sealed_config_yaml: vault.seal('secretTargetRef: []'),
        },
      },
    ],
  };
};

const groupSettings = {
  labels_groups: [{ id: seedIds.labels_group_id }],
  annotations_groups: [{ id: seedIds.annotations_group_id }],
  max_running_instances: 5,
};
const volume = { id: seedId('volume/search'), type: 'FAST_SSD', size: 20, mount_point: '/data' };

const helm: ServiceSpecs['helm'] = {
  auto_preview: false,
  auto_deploy: false,
  arguments: ['--atomic'],
  allow_cluster_wide_resources: false,
  icon_uri: 'app://infra-mcp/helm',
  timeout_sec: 600,
  description: 'Sessions of the shop.',
  source: {
    repository: { chart_name: 'redis', chart_version: '20.6.1', repository: { id: seedIds.helm_repository_id } },
  },
  values_override: {
    set: [['architecture', 'standalone']],
    file: { raw: { values: [{ name: 'values.yaml', content: 'auth:\n  enabled: true\n' }] } },
  },
  ports: [
    {
      id: seedId('port/session-cache'),
      name: 'metrics',
      port_type: 'HELM',
      internal_port: 9121,
      protocol: 'HTTP',
      is_default: false,
      service_name: 'session-cache-metrics',
    },
  ],
};

const job = (type: 'CRON' | 'LIFECYCLE', image: string): ServiceSpecs['job'] => ({
  job_type: type,
  ...(type === 'CRON' && { schedule: { cronjob: { scheduled_at: '0 3 * * *', timezone: 'Etc/UTC' } } }),
  source: { image: { image_name: image, tag: '3.2.0' } },
  cpu: 250,
  memory: 512,
  max_duration_seconds: 1800,
  max_nb_restart: 1,
});

const terraform: ServiceSpecs['terraform'] = {
  auto_deploy: false,
  terraform_files_source: { git: { git_repository: gitRepository('infrastructure') } },
  terraform_variables_source: { tf_var_file_paths: ['staging.tfvars'] },
  provider_version: { read_from_terraform_block: true },
  timeout_sec: 1800,
  cpu: 500,
  memory: 512,
};

const staging = 'shop/staging';
const production = 'shop/production';
const analytics = 'data/development';

/**
 * Every seeded service: one of each kind in shop/staging, the same shop in production, broken and idle ones in
 * data/development.
 */
export const seedServices = (time: SeedTime, vault: Vault): SeedService[] => [
  database(staging, 'orders-db', 'POSTGRESQL', '16', 'CONTAINER'),
  { environment: staging, name: 'assets-bucket', deployed: true, kind: 'terraform', spec: terraform },
  { environment: staging, name: 'nightly-report', deployed: true, kind: 'job', spec: job('CRON', 'acme/report') },
  application(staging, 'checkout-api', true),
  application(staging, 'storefront', false, { description: 'Not deployed yet.' }),
  container(staging, 'search', '2.4.1', groupSettings, { storage: [volume], autoscaling: autoscaling(time, vault) }),
  { environment: staging, name: 'session-cache', deployed: true, kind: 'helm', spec: helm },
  database(production, 'orders-db', 'POSTGRESQL', '16', 'MANAGED'),
  application(production, 'checkout-api', true, { min_running_instances: 3, max_running_instances: 10 }),
  container(production, 'search', '2.4.0', { min_running_instances: 2, max_running_instances: -1 }),
  database(analytics, 'events-db', 'MONGODB', '7', 'CONTAINER'),
  // Nothing listens on the probe's port: the deployment fails, and its log says why.
  container(analytics, 'importer', '0.9.0', { healthchecks: { readiness_probe: httpProbe(8081, '/ready') } }),
  {
    environment: analytics,
    name: 'migrate-schema',
    deployed: false,
    kind: 'job',
    spec: job('LIFECYCLE', 'acme/migrate'),
  },
];

/** The seeded environments. Ages are in days. */
export const seedEnvironments = [
  { path: staging, mode: 'STAGING', cluster: 'main', age: 80 },
  { path: production, mode: 'PRODUCTION', cluster: 'production', age: 79 },
  { path: analytics, mode: 'DEVELOPMENT', cluster: 'main', age: 70 },
] as const;
