import * as z from 'zod';
import { freeText, Name, reference, resourceOf, Uri, Uuid } from '../primitives.ts';
import { GitRepositoryRequest } from './application.ts';
import { GitRepository, HelmProtocol, serviceIdentity } from './service.ts';

const ChartRequest = z.object({
  repository: reference('helm_repository').nullable(),
  chart_name: z.string().min(1),
  chart_version: z.string().min(1),
});

const Chart = z.object({
  chart_name: z.string(),
  chart_version: z.string(),
  repository: z.object({ id: Uuid.nullable() }),
});

// Clients send back what they read, so the response's shape is accepted in addition to the request's.
const HelmSourceRequest = z
  .object({
    git_repository: GitRepositoryRequest.optional(),
    helm_repository: ChartRequest.optional(),
    git: z.object({ git_repository: GitRepositoryRequest }).optional().describe("Answer's shape of git_repository."),
    repository: Chart.optional().describe("Answer's shape of helm_repository."),
  })
  .refine((source) => Object.values(source).filter(Boolean).length === 1, {
    error: 'must have exactly one of git_repository and helm_repository',
  });

const HelmSource = z.object({
  git: z.object({ git_repository: GitRepository }).optional(),
  repository: Chart.optional(),
});

// [name, value] pairs for helm's --set options.
const pairs = z.array(z.array(z.string())).optional();

const RawValues = z.object({ values: z.array(z.object({ name: z.string().min(1), content: freeText() })) });

const ValuesOverrideRequest = z.object({
  set: pairs,
  set_string: pairs,
  set_json: pairs,
  file: z
    .object({
      git: z.object({ git_repository: GitRepositoryRequest, paths: z.array(z.string()) }).nullish(),
      raw: RawValues.nullish(),
    })
    .nullish(),
});

const ValuesOverride = ValuesOverrideRequest.extend({
  file: z
    .object({
      git: z.object({ git_repository: GitRepository, paths: z.array(z.string()) }).nullish(),
      raw: RawValues.nullish(),
    })
    .nullish(),
});

const HelmPortRequest = z.object({
  internal_port: z.int().min(1).max(65535),
  name: z.string().optional(),
  external_port: z.int().min(1).max(65535).optional(),
  namespace: z.string().optional(),
  protocol: HelmProtocol.optional(),
  is_default: z.boolean().optional(),
  service_name: z.string().optional(),
  service_selectors: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
});

const HelmPort = HelmPortRequest.extend({ id: Uuid, port_type: z.string() });

export const HelmRequest = z.object({
  name: Name.describe('Unique in the environment, whatever the case.'),
  auto_deploy: z.boolean().describe('On each new chart version or commit.'),
  source: HelmSourceRequest.describe('Exactly one.'),
  arguments: z.array(z.string()).describe('Extra helm arguments.'),
  values_override: ValuesOverrideRequest,
  ports: z.array(HelmPortRequest).optional(),
  description: z.string().optional(),
  timeout_sec: z.int().min(0).default(600).describe('Seconds before helm is killed.'),
  auto_preview: z.boolean().nullish().describe("Default: the environment's."),
  allow_cluster_wide_resources: z.boolean().default(false),
  icon_uri: Uri.optional(),
});

export const Helm = resourceOf(
  'helm',
  z.object({
    ...serviceIdentity,
    auto_preview: z.boolean(),
    auto_deploy: z.boolean(),
    source: HelmSource,
    arguments: z.array(z.string()),
    allow_cluster_wide_resources: z.boolean(),
    values_override: ValuesOverride,
    icon_uri: Uri,
    timeout_sec: z.int().min(0),
    ports: z.array(HelmPort),
  }),
);

/** Kinds of helm repositories. Vendor-specific registry kinds follow the same pattern. */
export const HelmRepositoryKind = z
  .string()
  .regex(
    /^(HTTPS|OCI_[A-Z0-9_]+)$/,
    'must be HTTPS, OCI_ECR, OCI_PUBLIC_ECR, OCI_GENERIC_CR or another kind that begins with OCI_',
  );
