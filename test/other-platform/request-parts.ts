import { z } from 'zod';
import type { Platform } from './platform.ts';
import { count, either, filled, flag, id, list, note, open, strict, text, whole, type Shape } from './schema.ts';

export const GIT_HOSTS = ['FORGE', 'COPSE', 'GLADE'] as const;

/** The parts of which the bodies of services are made, as this platform asks for them. */
export function requestParts(platform: Platform) {
  const { on } = platform;
  const wider = on('unknownMembers');
  const host = either(...GIT_HOSTS);
  const path = text.startsWith('/');
  const repository: Shape = {
    url: z.url(),
    branch: text.optional(),
    root_path: text.optional(),
    git_token_id: id.nullable().optional(),
  };

  const git = strict({ ...repository, provider: on('applicationMembers') ? host : host.optional() });
  // The repository of an application, of which nothing is read from its address.
  const gitOfApplication = on('strictBodies') ? git.extend({ owner: filled, name: filled }) : git;
  // The sources of charts and of terraform have no such word; a platform that doesn't tell lets it pass.
  const gitOfHelm = strict(on('applicationMembers') ? repository : { ...repository, provider: host.optional() });
  const gitOfTerraform = strict({
    ...repository,
    git_token_id: on('noNullInRequests') ? text.optional() : text.nullable().optional(),
    ...(on('applicationMembers') ? {} : { provider: host.optional() }),
  });

  const kinds = {
    tcp: strict({ port: whole.optional(), host: text.nullable().optional() }),
    http: strict({ path: text.optional(), scheme: text.optional(), port: whole.optional() }),
    exec: strict({ command: list(text).optional() }),
    grpc: strict({ service: text.nullable().optional(), port: whole.optional() }),
  };
  const orNull = (type: z.ZodType) => (on('nullProbes') ? type.nullable().optional() : type.optional());
  const probe = strict({
    type: strict({
      tcp: orNull(kinds.tcp),
      http: orNull(kinds.http),
      exec: orNull(kinds.exec),
      grpc: orNull(kinds.grpc),
    }).refine(
      (type) => Object.values(type).filter((kind) => kind !== null && kind !== undefined).length === 1,
      'exactly one kind of probe',
    ),
    initial_delay_seconds: whole.optional(),
    period_seconds: whole.optional(),
    timeout_seconds: whole.optional(),
    success_threshold: whole.optional(),
    failure_threshold: whole.optional(),
  });
  const healthchecks = strict({ readiness_probe: orNull(probe), liveness_probe: orNull(probe) });

  const port = strict({
    internal_port: whole,
    publicly_accessible: on('applicationMembers') ? flag : flag.optional(),
    id: id.optional(),
    name: text.optional(),
    external_port: whole.optional(),
    is_default: flag.optional(),
    protocol: either('HTTP', 'GRPC', 'TCP', 'UDP').optional(),
    public_path: text.optional(),
    public_path_rewrite: text.optional(),
  });
  const disk = strict({ type: either('FAST_SSD'), size: whole.min(4), mount_point: path, id: id.optional() });
  const group = strict({ id });
  const scalerConfig = on('noNullInRequests')
    ? { config_json: open.optional(), config_yaml: text.optional() }
    : { config_json: open.nullable().optional(), config_yaml: text.nullable().optional() };
  const scaler = strict({
    scaler_type: filled,
    role: either('PRIMARY', 'SAFETY'),
    enabled: flag.optional(),
    ...scalerConfig,
    trigger_authentication: strict({ name: filled, config_yaml: text.optional() }).optional(),
  });
  const autoscaling = strict({
    mode: either('KEDA'),
    scalers: z.array(scaler).min(1),
    polling_interval_seconds: whole.optional(),
    cooldown_period_seconds: whole.optional(),
  });

  const common: Shape = {
    description: text.optional(),
    icon_uri: z.url().optional(),
    annotations_groups: list(group).optional(),
    labels_groups: list(group).optional(),
  };
  const running: Shape = {
    cpu: whole.min(10).optional(),
    memory: whole.min(1).optional(),
    gpu: count.optional(),
    ...(wider
      ? { ephemeral_storage_in_gib: count.optional(), cpu_architecture: either('AMD64', 'ARM64').nullable().optional() }
      : {}),
  };
  const scaled: Shape = {
    ...running,
    min_running_instances: count.optional(),
    max_running_instances: whole.min(-1).optional(),
    auto_preview: flag.optional(),
    auto_deploy: flag.nullable().optional(),
    autoscaling: autoscaling.optional(),
    ports: list(port).optional(),
    storage: list(disk).optional(),
    arguments: list(text).optional(),
    entrypoint: text.optional(),
  };
  const name = text.min(1);
  return { git, gitOfApplication, gitOfHelm, gitOfTerraform, healthchecks, common, running, scaled, name, path, note };
}
