import { z } from 'zod';
import type { Platform } from './platform.ts';
import { requestParts } from './request-parts.ts';
import { count, either, filled, flag, id, list, open, strict, text, whole, type Shape } from './schema.ts';
import type { Kind } from './store.ts';

const pairs = list(z.array(text).length(2));
const given = (value: unknown) => value !== undefined && value !== null;

/** At least or exactly so many of the members are there. */
const oneOf =
  (...names: string[]) =>
  (value: Record<string, unknown>) =>
    names.filter((name) => given(value[name])).length === 1;

/** What creating and changing a service of each kind takes. */
export function serviceBodies(platform: Platform): Record<Kind, { create: z.ZodType; update: z.ZodType }> {
  const { on } = platform;
  const { git, gitOfApplication, gitOfHelm, gitOfTerraform, healthchecks, common, running, scaled, name, path } =
    requestParts(platform);
  const wider = on('unknownMembers');
  const hidden = (shape: Shape): Shape => (wider ? shape : {});

  const application: Shape = {
    ...common,
    ...scaled,
    git_repository: gitOfApplication,
    build_mode: either('DOCKER').optional(),
    dockerfile_path: text.nullable().optional(),
    healthchecks: on('applicationMembers') ? healthchecks : healthchecks.optional(),
    ...hidden({ docker_target_build_stage: text.nullable().optional() }),
  };

  const container = strict({
    ...common,
    ...scaled,
    name,
    registry_id: id,
    image_name: filled,
    tag: filled,
    healthchecks,
  });

  const databaseChanges: Shape = {
    ...common,
    version: filled.optional(),
    accessibility: either('PRIVATE', 'PUBLIC').optional(),
    cpu: whole.optional(),
    memory: whole.optional(),
    storage: whole.min(1).optional(),
    instance_type: text.optional(),
    ...hidden({ disk_type: text.nullable().optional() }),
  };
  const database = strict({
    ...databaseChanges,
    name,
    type: either('POSTGRESQL', 'MYSQL', 'MONGODB', 'REDIS'),
    version: filled,
    mode: either('MANAGED', 'CONTAINER'),
  });

  const command = strict({ entrypoint: text.optional(), arguments: list(text).optional() });
  const cron = strict({
    scheduled_at: text.regex(/^\S+( \S+){4}$/, 'five fields, no seconds'),
    timezone: text.optional(),
    entrypoint: text.optional(),
    arguments: list(text).optional(),
  });
  const lifecycle = strict({
    on_start: command.optional(),
    on_stop: command.optional(),
    on_delete: command.optional(),
    lifecycle_type: either('GENERIC', 'TERRAFORM', 'CLOUD_TEMPLATE').optional(),
  }).refine(
    (schedule) => given(schedule.on_start) || given(schedule.on_stop) || given(schedule.on_delete),
    'one of on_start, on_stop, on_delete is required',
  );
  const docker = strict({
    git_repository: git,
    dockerfile_path: text.nullable().optional(),
    dockerfile_raw: text.nullable().optional(),
    docker_target_build_stage: text.nullable().optional(),
  });
  const job = strict({
    ...common,
    ...running,
    name,
    healthchecks,
    source: strict({
      image: strict({ image_name: filled, tag: filled, registry_id: id }).optional(),
      docker: docker.optional(),
    }).refine(oneOf('image', 'docker'), 'either image or docker'),
    schedule: z.union([strict({ cronjob: cron }), lifecycle]),
    max_nb_restart: count.optional(),
    max_duration_seconds: count.optional(),
    port: whole.min(1).nullable().optional(),
    auto_preview: flag.optional(),
    auto_deploy: flag.nullable().optional(),
  });

  const chart = strict({
    repository: id.nullable().optional(),
    chart_name: filled.optional(),
    chart_version: filled.optional(),
  });
  const helmPort = strict({
    internal_port: whole,
    name: text.optional(),
    external_port: whole.optional(),
    namespace: text.optional(),
    protocol: either('HTTP', 'GRPC').optional(),
    is_default: flag.optional(),
    service_name: text.optional(),
    service_selectors: list(strict({ key: text, value: text })).optional(),
  }).refine(
    (port) => !(given(port.service_name) && given(port.service_selectors)),
    'either service_name or service_selectors',
  );
  const values = strict({
    set: pairs.optional(),
    set_string: pairs.optional(),
    set_json: pairs.optional(),
    file: strict({
      git: strict({ git_repository: git, paths: list(path) })
        .nullable()
        .optional(),
      raw: strict({ values: list(strict({ name: filled, content: text })) })
        .nullable()
        .optional(),
    })
      .nullable()
      .optional(),
  });
  const helm = strict({
    ...common,
    name,
    auto_deploy: flag,
    arguments: list(text),
    values_override: values,
    ports: list(helmPort).optional(),
    timeout_sec: count.optional(),
    auto_preview: flag.nullable().optional(),
    allow_cluster_wide_resources: flag.optional(),
    source: strict({ git_repository: gitOfHelm.optional(), helm_repository: chart.optional() }).refine(
      oneOf('git_repository', 'helm_repository'),
      'either git_repository or helm_repository',
    ),
  });

  const resources = strict({ cpu_milli: whole, ram_mib: whole, gpu: count, storage_gib: whole });
  const backend = strict({
    kubernetes: strict({}).optional(),
    user_provided: strict({}).optional(),
    blueprint: strict({ type: filled, config: open }).optional(),
  }).refine(oneOf('kubernetes', 'user_provided', 'blueprint'), 'exactly one backend');
  const fragment = z.union([
    strict({ type: either('file'), path: filled }),
    strict({ type: either('inline'), content: text.max(8192) }),
  ]);
  const orOptional = (type: z.ZodType) => (wider ? type : type.optional());
  const terraform = strict({
    ...common,
    name,
    description: wider ? text : text.optional(),
    auto_deploy_config: strict({ auto_deploy: flag, terraform_action: either('DEFAULT', 'PLAN', 'NOOP') }),
    terraform_files_source: strict({ git_repository: gitOfTerraform }),
    terraform_variables_source: strict({
      tf_var_file_paths: list(text),
      tf_vars: list(strict({ key: filled, value: text, secret: flag.optional() })),
    }),
    backend: orOptional(backend),
    engine: orOptional(either('TERRAFORM', 'ROOTS')),
    provider_version: orOptional(strict({ explicit_version: filled, read_from_terraform_block: flag.optional() })),
    ...(on('unlikeMembers')
      ? { job_resources: resources }
      : { cpu: whole.optional(), memory: whole.optional(), job_resources: resources.optional() }),
    timeout_sec: whole.optional(),
    use_cluster_credentials: flag.optional(),
    action_extra_arguments: z.record(z.string(), list(text)).optional(),
    ...hidden({ dockerfile_fragment: fragment.nullable().optional(), blueprint_id: id.nullable().optional() }),
  });

  return {
    application: {
      create: strict({ ...application, name }),
      update: strict({ ...application, name: name.optional(), git_repository: gitOfApplication.optional() }),
    },
    container: { create: container, update: container },
    database: { create: database, update: strict({ ...databaseChanges, name: name.optional() }) },
    job: { create: job, update: job },
    helm: { create: helm, update: helm },
    terraform: { create: terraform, update: terraform },
  };
}
