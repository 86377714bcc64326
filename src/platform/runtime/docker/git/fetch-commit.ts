import type { DeployedCommit } from '../../../common/index.ts';
import { isUnknownCommit, type GitRequest } from './git-failure.ts';
import type { GitHosts } from './git-hosts.ts';
import { createRepository, type SourceRepository } from './source-repository.ts';
import { withSizeLimit } from './size-limit.ts';

/** How far back a commit is looked for that the server doesn't give out by itself. */
const searchedCommits = 5000;

/** Commits without the files in them, where the server can leave these out. */
const commitsOnly = (depth: number): readonly string[] => [`--depth=${depth}`, '--filter=tree:0'];

/** A commit that was fetched, and where it is. */
export interface FetchedCommit {
  readonly repository: SourceRepository;
  readonly commit: DeployedCommit;
  /** What it takes on disk. */
  readonly bytes: number;
}

const branchRef = ({ branch }: GitRequest): string => `refs/heads/${branch}`;

const fullId = /^[\da-f]{40}$|^[\da-f]{64}$/;

/** Looks for a commit in the history of the branch. @returns its full id, and how many commits come after it */
async function findInHistory(hosts: GitHosts, request: GitRequest, within: string, signal: AbortSignal): Promise<{ readonly id: string; readonly behind: number }> {
  // Apart, because a repository that has some commits without their files would ask for these later.
  const history = await createRepository(hosts, request, within, signal);
  const newest = await history.fetch(branchRef(request), commitsOnly(searchedCommits), signal);
  const ids = (await history.history(newest, searchedCommits, signal)).map(({ git_commit_id: id }) => id);
  const wanted = ids.filter((id) => id.startsWith(request.commitId!));
  if (wanted.length > 1) throw new Error(`Several commits of the branch ${request.branch} begin with ${request.commitId}: give the whole id.`);
  if (wanted[0] === undefined) {
    throw new Error(`The repository ${request.address.url} has no commit ${request.commitId}, at least not among the last ${searchedCommits} of the branch ${request.branch}: give the whole id of a commit that is there.`);
  }
  return { id: wanted[0], behind: ids.indexOf(wanted[0]) };
}

/** Fetches one commit with its files: by its id where the server allows that, else with what came after it on the branch. */
async function fetchOne(hosts: GitHosts, request: GitRequest, repository: SourceRepository, within: string, signal: AbortSignal): Promise<string> {
  const { commitId } = request;
  if (commitId === undefined) return repository.fetch(branchRef(request), ['--depth=1'], signal);
  const direct = async (id: string): Promise<string | undefined> => repository.fetch(id, ['--depth=1'], signal).catch((error: unknown) => {
    if (isUnknownCommit(error)) return undefined;
    throw error;
  });
  const fetched = fullId.test(commitId) ? await direct(commitId) : undefined;
  if (fetched !== undefined) return fetched;
  const { id, behind } = await findInHistory(hosts, request, within, signal);
  if (!fullId.test(commitId)) {
    const found = await direct(id);
    if (found !== undefined) return found;
  }
  await repository.fetch(branchRef(request), [`--depth=${behind + 1}`], signal);
  return id;
}

/**
 * Fetches the newest commit of a branch, or the requested one, into a folder.
 * @param within an empty folder of ours @param limit the most bytes that it may take there
 * @throws GitError, or Error in words
 */
export async function fetchCommit(hosts: GitHosts, request: GitRequest, within: string, limit: number, signal: AbortSignal): Promise<FetchedCommit> {
  const repository = await createRepository(hosts, request, within, signal);
  const { result: id, bytes } = await withSizeLimit(within, limit, signal, (limited) => fetchOne(hosts, request, repository, within, limited));
  const [[commit], tag] = await Promise.all([repository.history(id, 1, signal), repository.tagOf(id, signal)]);
  return { repository, commit: { ...commit!, tag }, bytes };
}

/** The newest commits of a branch, newest first. @param within an empty folder of ours @param bytes the most that they may take there */
export async function fetchHistory(hosts: GitHosts, request: GitRequest, within: string, count: number, bytes: number, signal: AbortSignal): Promise<readonly DeployedCommit[]> {
  const repository = await createRepository(hosts, request, within, signal);
  const { result: newest } = await withSizeLimit(within, bytes, signal, (limited) => repository.fetch(branchRef(request), commitsOnly(count), limited));
  return repository.history(newest, count, signal);
}
