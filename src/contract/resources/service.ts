import * as z from 'zod';
import { maximumInstances } from '../limits.ts';
import {
  bareHost,
  DateTime,
  freeText,
  identity,
  Name,
  Pointer,
  reference,
  resourceOf,
  secret,
  Uri,
  Uuid,
} from '../primitives.ts';

/** Kinds of services, as responses name them. */
export const ServiceType = z.enum(['APPLICATION', 'DATABASE', 'CONTAINER', 'JOB', 'HELM', 'TERRAFORM', 'GITOPS_APP']);
export type ServiceType = z.infer<typeof ServiceType>;

/** Kinds of services that have their own endpoints, named after the first segment of their paths. */
export const serviceKinds = ['application', 'container', 'database', 'job', 'helm', 'terraform'] as const;
export type ServiceKind = (typeof serviceKinds)[number];

/** Kinds of services that run continuously, so that they can be started again. */
export const startableKinds = [
  'application',
  'container',
  'database',
  'helm',
] as const satisfies readonly ServiceKind[];

/** Whether this is one of those kinds. */
export const isServiceKind = (kind: unknown): kind is ServiceKind =>
  (serviceKinds as readonly unknown[]).includes(kind);

export const Protocol = z.enum(['HTTP', 'GRPC', 'TCP', 'UDP']);

/** Protocols of a Helm service's ports. */
export const HelmProtocol = Protocol.extract(['HTTP', 'GRPC']);

const PortNumber = z.int().min(1).max(65535);

/** A port of an application or container. Without `id` it is created, with a known `id` it is updated. */
export const ServicePort = z.object({
  id: Uuid.optional().describe('Keep an existing port by its id.'),
  name: z.string().optional(),
  internal_port: PortNumber,
  external_port: PortNumber.optional(),
  publicly_accessible: z.boolean().optional(),
  is_default: z.boolean().optional(),
  protocol: Protocol.optional(),
  public_path: z.string().optional(),
  public_path_rewrite: z.string().optional(),
});

export const StorageType = z.enum(['FAST_SSD']);

export const Storage = z.object({
  id: Uuid.optional().describe('Keep an existing volume by its id.'),
  type: StorageType.describe('Kind of disk.'),
  size: z.int().min(1).describe('GB.'),
  mount_point: z.string().startsWith('/'),
});

const ProbeType = z
  .object({
    tcp: z.object({ port: PortNumber, host: bareHost().nullish() }).optional(),
    http: z.object({ port: PortNumber, path: z.string().default('/'), scheme: z.string().default('HTTP') }).optional(),
    exec: z.object({ command: z.array(z.string()).min(1) }).optional(),
    grpc: z.object({ port: PortNumber, service: z.string().nullish() }).optional(),
  })
  .refine((type) => Object.values(type).filter(Boolean).length === 1, {
    error: 'must have exactly one of tcp, http, exec, grpc',
  });

/** A health check of an instance. */
export const Probe = z.object({
  type: ProbeType.describe('Exactly one kind.'),
  initial_delay_seconds: z.int().min(0).default(30),
  period_seconds: z.int().min(1).default(10),
  timeout_seconds: z.int().min(1).default(5),
  success_threshold: z.int().min(1).default(1),
  failure_threshold: z.int().min(1).default(9),
});

export const Healthchecks = z.object({ readiness_probe: Probe.optional(), liveness_probe: Probe.optional() });

const Scaler = z.object({
  scaler_type: z.string().min(1).describe('KEDA scaler, e.g. cpu, kafka.'),
  enabled: z.boolean().default(true),
  role: z.enum(['PRIMARY', 'SAFETY']).default('PRIMARY').describe('What it is for.'),
  config_json: z.record(z.string(), z.unknown()).optional(),
  config_yaml: freeText().optional(),
});

/** Autoscaling policy, in requests. */
export const AutoscalingRequest = z.object({
  mode: z.enum(['KEDA']).default('KEDA').describe('What scales.'),
  polling_interval_seconds: z.int().min(1).default(30),
  cooldown_period_seconds: z.int().min(0).default(300),
  scalers: z.array(
    Scaler.extend({
      trigger_authentication: z
        .object({
          name: Name,
          config_yaml: freeText(secret()).optional().describe('Leave out to keep what is stored under the name.'),
        })
        .optional(),
    }),
  ),
});

/** Autoscaling policy, in responses. */
export const Autoscaling = AutoscalingRequest.omit({ scalers: true }).extend({
  ...identity,
  service_id: Uuid,
  scalers: z.array(
    Scaler.extend({
      ...identity,
      trigger_authentication: z
        .object({ ...identity, organization_id: Uuid, name: z.string(), config_yaml: secret() })
        .optional(),
    }),
  ),
});

const Label = z.object({ key: z.string(), value: z.string(), propagate_to_cloud_provider: z.boolean() });

export const LabelsGroup = resourceOf(
  'labels_group',
  z.object({ ...identity, name: z.string(), labels: z.array(Label) }),
);

export const AnnotationsGroup = resourceOf(
  'annotations_group',
  z.object({
    ...identity,
    name: z.string(),
    annotations: z.array(z.object({ key: z.string(), value: z.string() })),
    scopes: z.array(z.string()),
  }),
);

/** Compute resources that a service requests, with the defaults and minimums of the document's Limits. */
export const computeResources = {
  cpu: z.int().min(10).default(500).describe('Millicores.'),
  memory: z.int().min(1).default(512).describe('MB.'),
  gpu: z.int().min(0).default(0),
};

const MaximumInstances = z
  .int()
  .max(maximumInstances)
  .refine((value) => value === -1 || value >= 1, { error: 'must be at least 1, or -1 for no limit' });

/** The groups of labels and annotations of a service, in requests. */
export const groupReferences = {
  annotations_groups: z.array(z.object({ id: reference('annotations_group') })).optional(),
  labels_groups: z.array(z.object({ id: reference('labels_group') })).optional(),
};

/** Members that applications and containers share in requests. */
export const workloadRequestFields = {
  ...computeResources,
  description: z.string().optional(),
  arguments: z.array(z.string()).optional(),
  entrypoint: z.string().optional(),
  min_running_instances: z.int().min(0).max(maximumInstances).default(1).describe('0: none.'),
  max_running_instances: MaximumInstances.default(1).describe('-1: no limit.'),
  ports: z.array(ServicePort).optional(),
  storage: z.array(Storage).optional(),
  auto_preview: z.boolean().optional().describe("Default: the environment's."),
  auto_deploy: z.boolean().nullish().describe('On each new tag or commit.'),
  ...groupReferences,
  icon_uri: Uri.optional(),
  autoscaling: AutoscalingRequest.optional(),
};

/** Members of every service, in responses. */
export const serviceIdentity = {
  ...identity,
  name: z.string(),
  description: z.string().optional(),
  service_type: ServiceType,
  environment: Pointer,
  icon_uri: Uri.optional(),
};

/** Limits set by the cluster's configuration. */
export const maximums = { maximum_cpu: z.int(), maximum_memory: z.int(), maximum_gpu: z.int().min(0) };

/** Members that applications and containers share in responses. */
export const workloadFields = {
  ...serviceIdentity,
  ...maximums,
  cpu: z.int(),
  memory: z.int(),
  gpu: z.int().min(0),
  min_running_instances: z.int(),
  max_running_instances: z.int(),
  healthchecks: Healthchecks,
  auto_preview: z.boolean(),
  auto_deploy: z.boolean().nullable().optional(),
  icon_uri: Uri,
  arguments: z.array(z.string()).optional(),
  entrypoint: z.string().optional(),
  ports: z.array(ServicePort.extend({ id: Uuid })),
  storage: z.array(Storage.extend({ id: Uuid })),
  annotations_groups: z.array(AnnotationsGroup),
  labels_groups: z.array(LabelsGroup),
  autoscaling: Autoscaling.optional(),
};

/** The repository that a service is built from, in responses. */
export const GitRepository = z.object({
  provider: z.string().optional(),
  owner: z.string().optional(),
  url: z.string(),
  name: z.string().optional(),
  has_access: z.boolean().optional(),
  branch: z.string().optional(),
  root_path: z.string().optional(),
  deployed_commit_id: z.string().optional(),
  deployed_commit_date: DateTime.optional(),
  deployed_commit_contributor: z.string().optional(),
  deployed_commit_tag: z.string().optional(),
  git_token_id: z.string().nullish(),
  git_token_name: z.string().nullish(),
});
