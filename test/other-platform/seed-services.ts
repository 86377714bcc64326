import { past } from './deployments.ts';
import type { Platform } from './platform.ts';
import type { Members } from './schema.ts';
import type { Seeded } from './seed-organization.ts';
import type { Service } from './store.ts';

const http = { path: '/ready', scheme: 'HTTP', port: 8080 };
const probes = {
  readiness_probe: {
    type: { http },
    initial_delay_seconds: 5,
    period_seconds: 10,
    timeout_seconds: 2,
    success_threshold: 1,
    failure_threshold: 3,
  },
};
const git = (name: string) => ({
  url: `https://forge.example.com/shop/${name}.git`,
  branch: 'main',
  root_path: '/',
  provider: 'FORGE',
  git_token_id: null,
});
const sourceOnly = (name: string) => ({
  url: `https://forge.example.com/shop/${name}.git`,
  branch: 'main',
  root_path: '/',
});

/** What is asked for with each service, by its name. */
export function specs(
  seeded: Seeded,
): Record<string, Omit<Service, 'id' | 'environment_id' | 'created_at' | 'updated_at'>> {
  return {
    storefront: {
      kind: 'application',
      commit: '1f2e3d4c5b6a79880716253443526170f1e2d3c4',
      spec: {
        git_repository: git('storefront'),
        build_mode: 'DOCKER',
        dockerfile_path: 'Dockerfile',
        cpu: 500,
        memory: 512,
        healthchecks: probes,
        labels_groups: [{ id: seeded.labels }],
        ephemeral_storage_in_gib: 4,
        cpu_architecture: 'AMD64',
        docker_target_build_stage: 'runner',
        ports: [
          {
            name: 'p8080',
            internal_port: 8080,
            external_port: 443,
            publicly_accessible: true,
            is_default: true,
            protocol: 'HTTP',
          },
        ],
        storage: [{ type: 'FAST_SSD', size: 8, mount_point: '/data' }],
      },
    },
    checkout: {
      kind: 'application',
      fails: 'build',
      spec: {
        git_repository: git('checkout'),
        build_mode: 'DOCKER',
        dockerfile_path: 'Dockerfile',
        healthchecks: probes,
      },
    },
    gateway: {
      kind: 'container',
      spec: {
        registry_id: seeded.registry,
        image_name: 'shop/gateway',
        tag: '2.4.1',
        healthchecks: probes,
        annotations_groups: [{ id: seeded.annotations }],
        printed_lines: 1200,
        ephemeral_storage_in_gib: 2,
        cpu_architecture: 'ARM64',
        ports: [
          {
            name: 'p80',
            internal_port: 8080,
            external_port: 443,
            publicly_accessible: true,
            is_default: true,
            protocol: 'HTTP',
          },
        ],
        autoscaling: {
          mode: 'KEDA',
          scalers: [{ scaler_type: 'cron', role: 'PRIMARY', config_yaml: 'timezone: Etc/UTC' }],
          polling_interval_seconds: 30,
          cooldown_period_seconds: 60,
        },
      },
    },
    ledger: {
      kind: 'container',
      fails: 'start',
      spec: { registry_id: seeded.registry, image_name: 'shop/ledger', tag: '0.9.0', healthchecks: probes },
    },
    orders: {
      kind: 'database',
      spec: {
        type: 'POSTGRESQL',
        version: '16',
        mode: 'CONTAINER',
        cpu: 500,
        memory: 1024,
        storage: 20,
        disk_type: 'fast',
      },
    },
    nightly: {
      kind: 'job',
      spec: {
        source: { image: { image_name: 'shop/nightly', tag: '1.2.0', registry_id: seeded.registry } },
        healthchecks: {},
        schedule: { cronjob: { scheduled_at: '0 3 * * *', timezone: 'Etc/UTC', arguments: ['run'] } },
        max_nb_restart: 1,
        max_duration_seconds: 600,
      },
    },
    migrate: {
      kind: 'job',
      commit: '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567',
      spec: {
        source: { docker: { git_repository: git('migrate'), dockerfile_path: 'Dockerfile' } },
        healthchecks: {},
        schedule: { on_start: { arguments: ['up'] }, lifecycle_type: 'GENERIC' },
      },
    },
    cache: {
      kind: 'helm',
      spec: {
        source: { helm_repository: { repository: seeded.charts, chart_name: 'cache', chart_version: '19.1.0' } },
        auto_deploy: false,
        arguments: [],
        values_override: {
          set: [['replicas', '2']],
          set_string: [],
          set_json: [],
          file: { raw: { values: [{ name: 'values.yaml', content: 'persistence: true\n' }] } },
        },
        ports: [{ name: 'cache', internal_port: 6379, external_port: 443, protocol: 'HTTP', service_name: 'cache' }],
      },
    },
    network: {
      kind: 'terraform',
      commit: '5566778899aabbccddeeff001122334455667788',
      spec: {
        description: 'The network',
        auto_deploy_config: { auto_deploy: false, terraform_action: 'DEFAULT' },
        terraform_files_source: { git_repository: sourceOnly('network') },
        terraform_variables_source: {
          tf_var_file_paths: ['prod.tfvars'],
          tf_vars: [
            { key: 'region', value: 'north-1', secret: false },
            { key: 'token', value: 'tf-secret', secret: true },
          ],
        },
        backend: { kubernetes: {} },
        engine: 'ROOTS',
        provider_version: { explicit_version: '1.9.7', read_from_terraform_block: false },
        job_resources: { cpu_milli: 1000, ram_mib: 1024, gpu: 0, storage_gib: 20 },
        dockerfile_fragment: { type: 'inline', content: 'RUN apk add jq' },
        timeout_sec: 600,
      },
    },
  };
}

function seedVariables(platform: Platform, seeded: Seeded, environment: string, services: readonly Service[]): void {
  const owner = platform.on('ownedByAnyone') ? 'FJORD' : undefined;
  const variable = (key: string, scope: string, parent: string, value: string, more: Members = {}) =>
    platform.store.variables.push({
      id: platform.newId(),
      created_at: '2025-04-01T09:00:00.000Z',
      updated_at: '2025-04-01T09:00:00.000Z',
      key,
      value,
      is_secret: false,
      scope,
      parent_id: parent,
      variable_type: 'VALUE',
      mount_path: null,
      description: '',
      ...(owner === undefined ? {} : { owned_by: owner }),
      ...more,
    });
  variable('LOG_LEVEL', 'ENVIRONMENT', environment, 'info');
  variable('ENVIRONMENT_TOKEN', 'ENVIRONMENT', environment, 'environment-secret', { is_secret: true });
  for (const service of services.filter(({ kind }) => kind !== 'database' && kind !== 'synced' && kind !== 'agentic')) {
    const scope = service.kind.toUpperCase();
    variable('PORT', scope, service.id, '8080');
    variable('API_TOKEN', scope, service.id, 'service-secret', { is_secret: true });
    variable(
      `SERVICE_${service.id.slice(0, 8).toUpperCase()}_HOST`,
      'BUILT_IN',
      service.id,
      `${service.id.slice(0, 8)}.internal`,
      { variable_type: 'BUILT_IN' },
    );
  }
  const storefront = services[0];
  if (storefront === undefined) return;
  const external = platform.on('words') ? 'FILE_EXTERNAL_SECRET' : 'EXTERNAL_SECRET';
  variable('VAULT_KEY', 'APPLICATION', storefront.id, 'vault/key', {
    variable_type: external,
    owned_by: owner ?? 'external-secrets',
    mount_path: platform.on('words') ? '/etc/vault' : null,
  });
  for (const service of services.filter(({ kind }) => kind === 'agentic'))
    variable('MODEL', 'AGENTIC_WORKFLOW', service.id, 'small');
  if (!platform.store.variables.some(({ scope }) => scope === 'PROJECT'))
    variable('REGION', 'PROJECT', seeded.projects.shop, 'north-1');
}

/** Puts services of every kind into each environment, with their variables and what was deployed before. */
export function seedServices(platform: Platform, seeded: Seeded): void {
  const { store, on, words } = platform;
  const environments = Object.values(seeded.environments).filter((id) => id !== '');
  for (const environment of environments) {
    const others: ReturnType<typeof specs> = {
      delivery: { kind: 'synced', spec: {} },
      ...(on('unknownServiceTypes') ? { assistant: { kind: 'agentic' as const, spec: {} } } : {}),
    };
    // One environment has nothing that fails.
    const wanted = Object.entries({ ...specs(seeded), ...others }).filter(
      ([, { fails }]) => fails === undefined || environment !== seeded.environments.development,
    );
    const services = wanted.map(([name, service]): Service => ({
      id: platform.newId(),
      environment_id: environment,
      created_at: '2025-04-01T09:00:00.000Z',
      updated_at: '2025-11-01T09:00:00.000Z',
      ...service,
      spec: { name, ...service.spec },
    }));
    store.services.push(...services);
    seedVariables(platform, seeded, environment, services);
    const known = services.filter(({ kind, fails }) => kind !== 'synced' && kind !== 'agentic' && fails === undefined);
    // One of them was never deployed.
    const deployed =
      environment === seeded.environments.development ? known.filter(({ kind }) => kind !== 'helm') : known;
    past(platform, deployed, 2880, { origin: on('words') ? 'SKILL' : 'CLI' });
    past(
      platform,
      services.filter(({ fails }) => fails !== undefined),
      240,
      { origin: 'GIT' },
    );
    past(
      platform,
      deployed.filter(({ kind }) => kind === 'terraform'),
      120,
      { origin: words.internalOrigin, sub_action: on('words') ? 'TERRAFORM_PLAN_ONLY' : 'NONE' },
    );
    past(
      platform,
      deployed.filter(({ kind }) => kind !== 'terraform'),
      60,
    );
    store.stages.push(
      ...['DATABASE', 'JOB', 'APPLICATION'].map((name, index) => ({
        id: platform.newId(),
        created_at: '2025-04-01T09:00:00.000Z',
        environment_id: environment,
        name,
        description: '',
        deployment_order: index + 1,
        skipped: [],
        services: services
          .filter(({ kind }) => (kind === 'database' ? 0 : kind === 'job' ? 1 : 2) === index)
          .map(({ id }) => id),
      })),
    );
    store.rules.push({
      id: platform.newId(),
      environment_id: environment,
      auto_stop: false,
      auto_preview: false,
      on_demand_preview: false,
      timezone: 'Etc/UTC',
      start_time: '1970-01-01T08:00:00.000Z',
      stop_time: '1970-01-01T19:00:00.000Z',
      weekdays: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'],
    });
  }
}
