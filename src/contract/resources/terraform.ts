import * as z from 'zod';
import { resourceOf } from '../primitives.ts';
import { GitRepository, computeResources, serviceIdentity } from './service.ts';

/** A terraform service. Not in the API document. */
export const Terraform = resourceOf('terraform', z.object({
  ...serviceIdentity,
  auto_deploy: z.boolean(),
  terraform_files_source: z.object({ git: z.object({ git_repository: GitRepository }) }),
  terraform_variables_source: z.object({ tf_var_file_paths: z.array(z.string()) }),
  provider_version: z.object({ read_from_terraform_block: z.boolean(), explicit_version: z.string().optional() }),
  timeout_sec: z.int(),
  cpu: computeResources.cpu,
  memory: computeResources.memory,
}));
