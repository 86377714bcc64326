import { addDays, seededRandom, type DeployedCommit } from '../../common/index.ts';
import type { ServiceToRun } from '../index.ts';
import { between, digest, choose } from './phase-context.ts';
import { type CommitFacts, type SimulationContext, ownValue, referenceAgeDays } from './simulation-context.ts';

const authors = ['Amira Haddad', 'Jonas Weber', 'Mei Tanaka', 'Lucas Silva', 'Nora Lindqvist'] as const;
const messages = [
  'Return 404 for orders of other customers',
  'Retry payment callbacks with backoff',
  'Cache the price list for a minute',
  'Bump dependencies',
  'Log the request id with every error',
  'Validate addresses before quoting',
  'Close idle connections',
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
    case 'application':
      return service.spec.git_repository;
    case 'helm':
      return service.spec.source.git?.git_repository;
    case 'job':
      return service.spec.source.docker?.git_repository;
    case 'terraform':
      return service.spec.terraform_files_source.git.git_repository;
    default:
      return undefined;
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
    git_commit_id: id,
    created_at: new Date(written).toISOString(),
    author_name: choose(random, authors),
    tag: '',
    message: choose(random, messages),
  };
}

const factsOf = ({ url }: Branch, simulation: SimulationContext | undefined): readonly CommitFacts[] =>
  (simulation && ownValue(simulation.facts.repositories, url)?.commits) ?? [];

const deployed = ({ id, author, message }: CommitFacts, written: number): DeployedCommit => ({
  git_commit_id: id,
  created_at: new Date(written).toISOString(),
  author_name: author,
  tag: '',
  message,
});

/**
 * When a known commit was written, in milliseconds since the epoch: its age is relative to the environment's creation.
 */
async function writtenIn(
  { environmentId }: ServiceToRun,
  { platform }: SimulationContext,
): Promise<(commit: CommitFacts) => number> {
  const { createdAt } = await platform.environment(environmentId);
  return ({ daysAgo }) => addDays(createdAt, referenceAgeDays - daysAgo);
}

/**
 * The newest commits of a service's branch at a time, newest first: those that `findCommit` finds without an id.
 * @param at in milliseconds since the epoch
 */
export async function listCommits(
  service: ServiceToRun,
  limit: number,
  at: number,
  simulation?: SimulationContext,
): Promise<readonly DeployedCommit[]> {
  const branch = branchOf(service);
  if (!branch) return [];
  const commits = factsOf(branch, simulation);
  if (!simulation || commits.length === 0)
    return Array.from({ length: limit }, (_, index) => commitOf(branch, undefined, at - index * hour));
  const written = await writtenIn(service, simulation);
  const there = commits.filter((commit) => written(commit) <= at);
  return (there.length > 0 ? there : commits.slice(0, 1))
    .toReversed()
    .slice(0, limit)
    .map((commit) => deployed(commit, Math.min(written(commit), at)));
}

/**
 * Finds the commit to deploy. In a repository with known commits, `commitId` is the id of one of them or a prefix of
 * it.
 * @param at in milliseconds since the epoch
 */
export async function findCommit(
  service: ServiceToRun,
  commitId: string | undefined,
  at: number,
  simulation?: SimulationContext,
): Promise<DeployedCommit | undefined> {
  const branch = branchOf(service);
  if (!branch) return undefined;
  const commits = factsOf(branch, simulation);
  if (!simulation || commits.length === 0) return commitOf(branch, commitId, at);
  const written = await writtenIn(service, simulation);
  const wanted = (commit: CommitFacts): boolean =>
    commitId === undefined
      ? written(commit) <= at
      : commitId.length >= shortestId && commit.id.startsWith(commitId.toLowerCase());
  const found = commits.findLast(wanted) ?? (commitId === undefined ? commits[0] : undefined);
  // In a young environment the commit would otherwise date from the future.
  return found ? deployed(found, Math.min(written(found), at)) : commitOf(branch, commitId, at);
}
