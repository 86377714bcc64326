import { addDays } from '../../clock.ts';
import { seededRandom } from '../../random.ts';
import type { DeployedCommit } from '../../store/service-spec.ts';
import type { ServiceToRun } from '../runtime.ts';
import { between, digest, pick } from './script.ts';

const authors = ['Amira Haddad', 'Jonas Weber', 'Mei Tanaka', 'Lucas Silva', 'Nora Lindqvist'] as const;
const messages = [
  'Return 404 for orders of other customers', 'Retry payment callbacks with backoff', 'Cache the price list for a minute',
  'Bump dependencies', 'Log the request id with every error', 'Validate addresses before quoting', 'Close idle connections',
] as const;

const hour = 3_600_000;

interface Branch {
  readonly url: string;
  readonly branch?: string | undefined;
}

/** Where a service's code comes from; undefined for those not built from git. */
export const branchOf = (service: ServiceToRun): Branch | undefined => {
  switch (service.kind) {
    case 'application': return service.spec.git_repository;
    case 'helm': return service.spec.source.git?.git_repository;
    case 'terraform': return service.spec.terraform_files_source.git.git_repository;
    default: return undefined;
  }
};

/**
 * The commit of a branch that was asked for, or its newest at a moment: somebody pushes about once an hour.
 * @param at milliseconds since the epoch
 */
export function commitOf({ url, branch = 'main' }: Branch, commitId: string | undefined, at: number): DeployedCommit {
  const id = commitId ?? digest(`${url}#${branch}@${Math.floor(at / hour)}`, 40);
  const random = seededRandom(`${url}/${id}`);
  const written = commitId === undefined ? Math.floor(at / hour) * hour : addDays(at, -between(random, 1, 20));
  return {
    git_commit_id: id, created_at: new Date(written).toISOString(), author_name: pick(random, authors), tag: '', message: pick(random, messages),
  };
}
