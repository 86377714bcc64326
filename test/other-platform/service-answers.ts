import { find, type Service } from './store.ts';
import type { Platform } from './platform.ts';
import type { Members } from './schema.ts';
import { commitOf, jobType } from './versions.ts';

export const LIMITS = { maximum_cpu: 8000, maximum_memory: 16_384, maximum_gpu: 0 };

export function serviceType(platform: Platform, service: Service): string {
  if (service.kind === 'synced') return platform.words.synced;
  return service.kind === 'agentic' ? 'AGENTIC_WORKFLOW' : service.kind.toUpperCase();
}

/** A repository as answers show it: with what the platform found out about it. */
function gitAnswer(repository: unknown, service: Service): Members {
  const asked = repository as Members;
  const [, owner = '', name = ''] = /([^/]+)\/([^/]+?)(?:\.git)?$/.exec(String(asked.url)) ?? [];
  return {
    provider: asked.provider ?? 'FORGE',
    owner,
    url: asked.url,
    name,
    has_access: true,
    branch: asked.branch ?? 'main',
    root_path: asked.root_path ?? '/',
    deployed_commit_id: service.commit ?? null,
    deployed_commit_date: commitOf(service).created_at,
    deployed_commit_contributor: 'Ada Byron',
    deployed_commit_tag: null,
    git_token_id: asked.git_token_id ?? null,
    git_token_name: null,
  };
}

function probeAnswer(platform: Platform, probe: unknown): unknown {
  if (!platform.on('nullProbes') || probe === undefined || probe === null) return probe;
  const { type, ...others } = probe as { type: Members };
  return { type: { tcp: null, http: null, exec: null, grpc: null, ...type }, ...others };
}

function probesAnswer(platform: Platform, healthchecks: unknown): Members {
  const { readiness_probe: ready, liveness_probe: alive } = (healthchecks ?? {}) as Members;
  const probes = { readiness_probe: probeAnswer(platform, ready), liveness_probe: probeAnswer(platform, alive) };
  if (platform.on('nullProbes'))
    return { readiness_probe: probes.readiness_probe ?? null, liveness_probe: probes.liveness_probe ?? null };
  return probes;
}

const groupsAnswer = (rows: Members[], wanted: unknown) =>
  ((wanted ?? []) as { id: string }[]).map(({ id }) => find(rows as { id: string }[], id, 'group'));

function scalingAnswer(scaling: unknown, service: Service, organization: unknown): unknown {
  if (scaling === undefined) return undefined;
  const dates = { created_at: service.created_at, updated_at: service.updated_at };
  const { scalers, ...others } = scaling as { scalers: Members[] };
  const authentication = ({ trigger_authentication: asked }: Members): Members =>
    asked === undefined
      ? {}
      : { trigger_authentication: { id: service.id, ...dates, organization_id: organization, ...(asked as Members) } };
  return {
    id: service.id,
    ...dates,
    service_id: service.id,
    polling_interval_seconds: 30,
    cooldown_period_seconds: 300,
    ...others,
    scalers: scalers.map((scaler) => ({
      id: service.id,
      ...dates,
      enabled: true,
      config_json: null,
      config_yaml: null,
      ...scaler,
      ...authentication(scaler),
    })),
  };
}

function scaledAnswer(platform: Platform, service: Service): Members {
  const { spec } = service;
  const withIds = (rows: unknown) =>
    ((rows ?? []) as Members[]).map((row) => ({ ...row, id: row.id ?? platform.newId() }));
  spec.ports = withIds(spec.ports);
  spec.storage = withIds(spec.storage);
  return {
    cpu: spec.cpu ?? 500,
    memory: spec.memory ?? 512,
    gpu: spec.gpu ?? 0,
    min_running_instances: spec.min_running_instances ?? 1,
    max_running_instances: spec.max_running_instances ?? 1,
    auto_preview: spec.auto_preview ?? false,
    auto_deploy: spec.auto_deploy ?? false,
    arguments: spec.arguments ?? [],
    entrypoint: spec.entrypoint,
    ports: (spec.ports as Members[]).map((port) => ({
      protocol: 'HTTP',
      is_default: false,
      publicly_accessible: false,
      ...port,
    })),
    storage: spec.storage,
    autoscaling: scalingAnswer(spec.autoscaling, service, platform.store.organizations[0]?.id),
    healthchecks: probesAnswer(platform, spec.healthchecks),
    ...LIMITS,
    ...runningWider(platform, spec),
  };
}

function runningWider(platform: Platform, spec: Members): Members {
  return platform.on('unknownMembers')
    ? { ephemeral_storage_in_gib: spec.ephemeral_storage_in_gib ?? 0, cpu_architecture: spec.cpu_architecture ?? null }
    : {};
}

function registryAnswer(platform: Platform, id: unknown): Members {
  const registry = find(platform.store.registries, id, 'container registry');
  return { id: registry.id, name: registry.name, url: registry.url, kind: registry.kind };
}

function own(platform: Platform, service: Service): Members {
  const { spec } = service;
  const wider = platform.on('unknownMembers');
  const unlike = platform.on('unlikeMembers');
  switch (service.kind) {
    case 'application': {
      const { maximum_gpu: gpu, ...scaled } = scaledAnswer(platform, service);
      return {
        ...scaled,
        ...(unlike ? { maximun_gpu: gpu } : { maximum_gpu: gpu }),
        git_repository: gitAnswer(spec.git_repository, service),
        build_mode: spec.build_mode ?? 'DOCKER',
        dockerfile_path: spec.dockerfile_path ?? null,
        ...(wider ? { docker_target_build_stage: spec.docker_target_build_stage ?? null } : {}),
      };
    }
    case 'container':
      return {
        ...scaledAnswer(platform, service),
        registry: registryAnswer(platform, spec.registry_id),
        ...(unlike ? {} : { registry_id: spec.registry_id }),
        image_name: spec.image_name,
        tag: spec.tag,
      };
    case 'database':
      return {
        type: spec.type,
        version: spec.version,
        mode: spec.mode,
        accessibility: spec.accessibility ?? 'PRIVATE',
        cpu: spec.cpu ?? 250,
        memory: spec.memory ?? 256,
        storage: spec.storage ?? 10,
        instance_type: spec.instance_type,
        host: `${service.id.slice(0, 8)}.db.example.com`,
        port: 5432,
        disk_encrypted: true,
        ...LIMITS,
        ...(wider ? { disk_type: spec.disk_type ?? null } : {}),
      };
    case 'job': {
      const { image, docker } = spec.source as { image?: Members; docker?: Members };
      const source =
        image === undefined
          ? { docker: { ...docker, git_repository: gitAnswer(docker?.git_repository, service) } }
          : {
              image: {
                image_name: image.image_name,
                tag: image.tag,
                ...(unlike ? {} : { registry_id: image.registry_id }),
                registry: registryAnswer(platform, image.registry_id),
              },
            };
      return {
        cpu: spec.cpu ?? 500,
        memory: spec.memory ?? 512,
        gpu: spec.gpu ?? 0,
        job_type: jobType(service),
        source,
        schedule: spec.schedule,
        max_nb_restart: spec.max_nb_restart ?? 0,
        max_duration_seconds: spec.max_duration_seconds ?? 300,
        port: spec.port ?? null,
        auto_preview: spec.auto_preview ?? false,
        auto_deploy: spec.auto_deploy ?? false,
        healthchecks: probesAnswer(platform, spec.healthchecks),
        ...LIMITS,
        ...runningWider(platform, spec),
      };
    }
    case 'helm':
      return helmAnswer(platform, service);
    case 'terraform':
      return terraformAnswer(platform, service);
    default:
      return {};
  }
}

function helmAnswer(platform: Platform, service: Service): Members {
  const { spec } = service;
  const asked = spec.source as { git_repository?: Members; helm_repository?: Members };
  const repository = platform.store.helmRepositories.find(({ id }) => id === asked.helm_repository?.repository);
  const source = {
    // Some platforms answer with both forms, the one that isn't there as null.
    ...(platform.on('strictBodies') ? { git: null, repository: null } : {}),
    ...(asked.helm_repository === undefined
      ? { git: { git_repository: gitAnswer(asked.git_repository, service) } }
      : {
          repository: {
            ...asked.helm_repository,
            repository:
              repository === undefined ? null : { id: repository.id, name: repository.name, url: repository.url },
          },
        }),
  };
  const values = spec.values_override as Members;
  const file = values.file as { git?: Members | null; raw?: unknown } | null | undefined;
  const git = file?.git ? { ...file.git, git_repository: gitAnswer(file.git.git_repository, service) } : null;
  spec.ports = ((spec.ports ?? []) as Members[]).map((port) => ({ ...port, id: port.id ?? platform.newId() }));
  const ports = (spec.ports as Members[]).map((port) => ({
    protocol: 'HTTP',
    is_default: false,
    ...port,
    port_type: port.service_name === undefined ? 'SELECTOR' : 'SERVICE',
  }));
  return {
    auto_preview: spec.auto_preview ?? false,
    auto_deploy: spec.auto_deploy,
    source,
    arguments: spec.arguments,
    allow_cluster_wide_resources: spec.allow_cluster_wide_resources ?? false,
    values_override: {
      set: [],
      set_string: [],
      set_json: [],
      ...values,
      file: file ? { git, raw: file.raw ?? null } : null,
    },
    timeout_sec: spec.timeout_sec ?? 600,
    ports,
  };
}

function terraformAnswer(platform: Platform, service: Service): Members {
  const { spec } = service;
  const resources = spec.job_resources ?? { cpu_milli: 500, ram_mib: 512, gpu: 0, storage_gib: 20 };
  const variables = spec.terraform_variables_source as { tf_var_file_paths: unknown; tf_vars: Members[] };
  const shown = variables.tf_vars.map(({ value, ...others }) =>
    others.secret === true ? others : { ...others, value },
  );
  return {
    auto_deploy: (spec.auto_deploy_config as Members).auto_deploy,
    auto_deploy_config: spec.auto_deploy_config,
    timeout_sec: spec.timeout_sec ?? 600,
    terraform_files_source: {
      git: { git_repository: gitAnswer((spec.terraform_files_source as Members).git_repository, service) },
    },
    terraform_variables_source: { ...variables, tf_vars: shown },
    use_cluster_credentials: spec.use_cluster_credentials ?? false,
    ...(platform.on('unlikeMembers')
      ? { job_resources: resources }
      : { cpu: spec.cpu ?? 500, memory: spec.memory ?? 512 }),
    ...(platform.on('unknownMembers')
      ? {
          engine: spec.engine,
          backend: spec.backend,
          provider_version: spec.provider_version,
          job_resources: resources,
          action_extra_arguments: spec.action_extra_arguments ?? {},
          dockerfile_fragment: spec.dockerfile_fragment ?? null,
          blueprint_id: spec.blueprint_id ?? null,
        }
      : {}),
  };
}

/** A service as reading it answers. */
export function serviceAnswer(platform: Platform, service: Service): Members {
  const { spec } = service;
  return {
    id: service.id,
    created_at: service.created_at,
    updated_at: service.updated_at,
    environment: { id: service.environment_id },
    name: spec.name,
    description: spec.description ?? '',
    icon_uri: spec.icon_uri ?? `https://icons.example.com/${service.kind}.svg`,
    service_type: serviceType(platform, service),
    annotations_groups: groupsAnswer(platform.store.annotationsGroups, spec.annotations_groups),
    labels_groups: groupsAnswer(platform.store.labelsGroups, spec.labels_groups),
    ...own(platform, service),
  };
}
