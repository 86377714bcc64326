import * as z from 'zod';
import { addressText, readGitAddress } from '../addresses.ts';
import { hasInvisible } from '../plain-text.ts';
import { Name, resourceOf } from '../primitives.ts';
import { GitRepository, Healthchecks, workloadRequestFields, workloadFields } from './service.ts';

export const BuildMode = z.enum(['DOCKER']);

/** The pattern tells clients how it looks; what it means is read by one function for all. */
const GitUrl = addressText(
  readGitAddress,
  z
    .string()
    .regex(/^(https?:\/\/[^\s/]+\/|ssh:\/\/[^\s/]+\/|git@[^\s:]+:)\S+$/, {
      error: 'must be a git address, such as https://host/owner/repository.git',
      abort: true,
    }),
);

/** The words for git providers that platforms with a fixed set of them take. */
export const gitProviders = ['GITHUB', 'GITLAB', 'BITBUCKET'] as const;

/**
 * Which names git takes is up to the platform. One with invisible characters looks like another branch to whoever
 * agrees to it.
 */
const BranchName = z
  .string()
  .min(1)
  .refine((name) => !/[\n\t]/.test(name) && !hasInvisible(name), {
    error: 'must not have control characters, invisible ones, or ones that reorder text',
  });

/** The repository to build from, in requests. */
export const GitRepositoryRequest = z.object({
  url: GitUrl.describe('Git address.'),
  branch: BranchName.default('main'),
  root_path: z.string().startsWith('/').default('/'),
  provider: z.string().optional(),
  git_token_id: z.string().nullish(),
});

export const ApplicationRequest = z.object({
  name: Name.describe('Unique in the environment.'),
  git_repository: GitRepositoryRequest,
  build_mode: BuildMode.default('DOCKER'),
  dockerfile_path: z.string().min(1).default('Dockerfile'),
  healthchecks: Healthchecks.optional(),
  ...workloadRequestFields,
});

export const Application = resourceOf(
  'application',
  z.object({ ...workloadFields, git_repository: GitRepository, build_mode: BuildMode, dockerfile_path: z.string() }),
);
