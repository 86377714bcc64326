import { addDays, seededRandom, type DeployedCommit } from '../../common/index.ts';
import type { ServiceToRun } from '../index.ts';
import { between, digest, choose } from './phase-context.ts';
import { type CommitFacts, type SimulationContext, ownValue, referenceAgeDays } from './simulation-context.ts';

const authors = ['Amira Haddad', 'Jonas Weber', 'Mei Tanaka', 'Lucas Silva', 'Nora Lindqvist'] as const;
const messages = [
  'Return 404 for orders of other customers', 'Retry payment callbacks with backoff', 'Cache the price list for a minute',
  'Bump dependencies', 'Log the request id with every error', 'Validate addresses before quoting', 'Close idle connections',
] as const;

const hour = 3_600_000;
const shortestId = 7;

interface Branch {
  readonly url: string;
  readonly branch?: string | undefined;
}

/** The git branch of a service's code; undefined for services that aren't built from git. */
export const branchOf = (service: ServiceToRun): Branch | undefined => {
  switch (service.kind) {
    case 'application': return service.spec.git_repository;
    case 'helm': return service.spec.source.git?.git_repository;
    case 'job': return service.spec.source.docker?.git_repository;
    case 'terraform': return service.spec.terraform_files_source.git.git_repository;
    default: return undefined;
  }
};

/**
 * The requested commit of a branch, or its newest at a time. The simulation has a new commit about once an hour.
 * @param at in milliseconds since the epoch
 */
function commitOf({ url, branch = 'main' }: Branch, commitId: string | undefined, at: number): DeployedCommit {
  const id = commitId ?? digest(`${url}#${branch}@${Math.floor(at / hour)}`, 40);
  const random = seededRandom(`${url}/${id}`);
  const written = commitId === undefined ? Math.floor(at / hour) * hour : addDays(at, -between(random, 1, 20));
  return {
    git_commit_id: id, created_at: new Date(written).toISOString(), author_name: choose(random, authors), tag: '', message: choose(random, messages),
  };
}

const deployed = ({ id, author, message }: CommitFacts, written: number): DeployedCommit => ({
  git_commit_id: id, created_at: new Date(written).toISOString(), author_name: author, tag: '', message,
});

/**
 * Finds the commit to deploy. In a repository with known commits, `commitId` is the id of one of them or a prefix of it.
 * @param at in milliseconds since the epoch
 */
export async function findCommit(service: ServiceToRun, commitId: string | undefined, at: number, simulation?: SimulationContext): Promise<DeployedCommit | undefined> {
  const branch = branchOf(service);
  if (!branch) return undefined;
  const commits = (simulation && ownValue(simulation.facts.repositories, branch.url)?.commits) ?? [];
  if (!simulation || commits.length === 0) return commitOf(branch, commitId, at);
  const { createdAt } = await simulation.platform.environment(service.environmentId);
  const written = ({ daysAgo }: CommitFacts): number => addDays(createdAt, referenceAgeDays - daysAgo);
  const wanted = (commit: CommitFacts): boolean =>
    commitId === undefined ? written(commit) <= at : commitId.length >= shortestId && commit.id.startsWith(commitId.toLowerCase());
  const found = commits.findLast(wanted) ?? (commitId === undefined ? commits[0] : undefined);
  // In a young environment the commit would otherwise date from the future.
  return found ? deployed(found, Math.min(written(found), at)) : commitOf(branch, commitId, at);
}
