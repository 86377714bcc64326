import * as z from 'zod';
import { Condition } from '../conditions/index.ts';
import { DateTime, freeText, Name, resourceOf, secretWhere, Uri, Uuid } from '../primitives.ts';
import { DeploymentActionStatus } from '../states.ts';
import { GitRepositoryRequest } from './application.ts';
import { Commit } from './job.ts';
import { GitRepository, computeResources, serviceIdentity } from './service.ts';

/** A variable file, by its path below the folder of the configuration. */
const VariableFile = z
  .string()
  .regex(/^(?![/-])(?!.*(?:^|\/)\.\.(?:\/|$))[^\0\n]+$/, 'must be a path below root_path, such as staging.tfvars');

const VariableName = z
  .string()
  .max(240)
  .regex(/^\w+$/, 'must hold letters, digits and _ only')
  .describe('Without TF_VAR_.');

const TerraformVariable = z.object({
  key: VariableName,
  value: freeText(secretWhere('secret')),
  secret: z.boolean().optional(),
});

const git = z.object({ git_repository: GitRepositoryRequest });

/** The repository of a configuration, in requests: without a provider, which some platforms refuse. */
export const TerraformSource = GitRepositoryRequest.omit({ provider: true });

// Clients send back what they read, so the response's shape is accepted in addition to the request's.
const TerraformFilesRequest = z
  .object({
    git_repository: GitRepositoryRequest.optional(),
    git: git.optional().describe("Answer's shape of git_repository."),
  })
  .refine(({ git_repository: own, git: shown }) => (own === undefined) !== (shown === undefined), {
    error: 'must have exactly one of git_repository and git',
  });

const AutoDeploy = z.object({ auto_deploy: z.boolean(), terraform_action: z.enum(['DEFAULT', 'PLAN', 'NOOP']) });

/** Where the state of Terraform is kept: by the platform, or where the repository says. */
const backendKinds = { kubernetes: z.object({}).optional(), user_provided: z.object({}).optional() };

const Backend = z
  .object(backendKinds)
  .refine((kinds) => Object.values(kinds).filter(Boolean).length === 1, {
    error: 'must have exactly one of kubernetes and user_provided',
  });

/** What a run may use, under the names of other platforms. It precedes `cpu` and `memory`. */
const JobResources = z.object({
  cpu_milli: computeResources.cpu,
  ram_mib: computeResources.memory,
  gpu: computeResources.gpu,
  storage_gib: z.int().min(1).default(1),
});

/**
 * A terraform service, in requests. The values of its Terraform variables are variables of the service, named TF_VAR_
 * followed by their name: those of `tf_vars` are created or replaced, and answers don't have them.
 */
export const TerraformRequest = z.object({
  name: Name.describe('Unique in the environment.'),
  terraform_files_source: TerraformFilesRequest.describe('Its configuration.'),
  terraform_variables_source: z
    .object({
      tf_var_file_paths: z.array(VariableFile).default([]),
      tf_vars: z.array(TerraformVariable).max(200).default([]),
    })
    .default({ tf_var_file_paths: [], tf_vars: [] })
    .describe('Files of variables, below root_path, and variables.'),
  backend: Backend.optional().describe('kubernetes: the platform keeps the state.'),
  engine: z.string().min(1).max(50).default('TERRAFORM'),
  provider_version: z
    .object({
      explicit_version: z.string().min(1).max(50).optional(),
      read_from_terraform_block: z.boolean().optional(),
    })
    .optional()
    .describe('Version of Terraform.'),
  auto_deploy_config: AutoDeploy.optional(),
  job_resources: JobResources.optional(),
  timeout_sec: z.int().min(1).max(172_800).default(1800).describe('Longest run.'),
  cpu: computeResources.cpu,
  memory: computeResources.memory,
  description: z.string().optional(),
  icon_uri: Uri.optional(),
});

/** A terraform service. Not in the API document. */
export const Terraform = resourceOf(
  'terraform',
  z.object({
    ...serviceIdentity,
    auto_deploy: z.boolean(),
    terraform_files_source: z.object({ git: z.object({ git_repository: GitRepository }) }),
    terraform_variables_source: z.object({ tf_var_file_paths: z.array(z.string()) }),
    provider_version: z.object({ read_from_terraform_block: z.boolean(), explicit_version: z.string().optional() }),
    backend: z.object(backendKinds).optional(),
    engine: z.string().optional(),
    timeout_sec: z.int(),
    cpu: computeResources.cpu,
    memory: computeResources.memory,
  }),
);

/** The actions that Terraform would take, or why they aren't known. Only a successful plan has a digest. */
export const TerraformPlan = z.object({
  id: Uuid.describe('The deployment that made it.'),
  status: DeploymentActionStatus,
  created_at: DateTime,
  ended_at: DateTime.optional(),
  triggered_by: z.string(),
  commit: Commit.optional(),
  reason: z.string().optional().describe('Why there is none.'),
  condition: Condition.optional().describe('The same as data.'),
  digest: z.string().optional().describe('SHA-256 of the plan file that a deployment applies.'),
  to_add: z.int().optional(),
  to_change: z.int().optional(),
  to_destroy: z.int().optional(),
  text: z.string().optional(),
  is_shortened: z.boolean().optional().describe('Whether the text has only a part of the plan.'),
  obstacle: z.string().optional().describe('Why no deployment can apply it any more.'),
});

/** The newest plans of a Terraform service, newest first. */
export const TerraformPlans = z.object({
  results: z.array(TerraformPlan),
  needs_plan: z
    .boolean()
    .optional()
    .describe('Whether a deployment applies the newest plan, and is refused without one. Otherwise it makes its own.'),
});
