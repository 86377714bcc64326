import * as z from 'zod';
import { addressFaultText, addressText, readGitAddress } from '../addresses.ts';
import { hasInvisible } from '../plain-text.ts';
import { Name, resourceOf } from '../primitives.ts';
import { GitRepository, Healthchecks, workloadRequestFields, workloadFields } from './service.ts';

export const BuildMode = z.enum(['DOCKER']);

/** The pattern shows clients the format; one function parses the address everywhere. */
const GitUrl = addressText(
  readGitAddress,
  z
    .string()
    .regex(/^(https?:\/\/[^\s/]+\/|ssh:\/\/[^\s/]+\/|git@[^\s:]+:)\S+$/, {
      error: ({ input }) =>
        readGitAddress(String(input)) === 'folder'
          ? addressFaultText('folder')
          : 'must be a git address, such as https://host/owner/repository.git',
      abort: true,
    }),
);

/** The words for git providers that platforms with a fixed set of them accept. */
export const gitProviders = ['GITHUB', 'GITLAB', 'BITBUCKET'] as const;

/**
 * The platform decides which names git accepts. A name with invisible characters would look like another branch in a
 * confirmation.
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
  // Of any form, as in the API document.
  git_token_id: z.string().meta({ reference: 'git_token' }).nullish(),
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
