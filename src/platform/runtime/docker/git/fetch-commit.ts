import { condition } from '../../../../contract/index.ts';
import type { DeployedCommit } from '../../../common/index.ts';
import { allowedTags, branchRef, commitsOnly, reachCommit, type ReachedCommit } from './commit-reach.ts';
import { requestedSource, CommitRefusal, noBranch } from './commit-refusal.ts';
import { isUnknownCommit } from './git-failure.ts';
import type { GitRequest } from './git-address.ts';
import type { GitHosts } from '../../index.ts';
import { createRepository, type SourceRepository } from './source-repository.ts';
import { withSizeLimit } from './size-limit.ts';

/** A fetched commit, and the repository that contains it. */
export interface FetchedCommit {
  readonly repository: SourceRepository;
  readonly commit: DeployedCommit;
  /** Its size on disk. */
  readonly bytes: number;
}

/**
 * Fetches one commit with its files: by its id if the server allows that, otherwise together with the commits after it.
 * @returns its id; undefined if it isn't a commit, which the target of a tag need not be
 */
async function fetchOne(
  repository: SourceRepository,
  { id, ref, behind }: ReachedCommit,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await repository.fetch(id, ['--depth=1'], signal);
  } catch (error) {
    if (!isUnknownCommit(error)) throw error;
    return (await repository.fetch(ref, [`--depth=${behind + 1}`], signal)) === undefined ? undefined : id;
  }
}

/**
 * Fetches the newest commit of a branch, or the requested one, into a folder. The requested one has to be in the
 * history of the branch, or of a tag that is allowed.
 * @param within an empty folder of the platform
 * @param limit the maximum size there of the commit, and of the history searched for it, in bytes
 * @throws CommitRefusal, GitError, or another Error that says why
 */
export async function fetchCommit(
  hosts: GitHosts,
  request: GitRequest,
  within: string,
  limit: number,
  signal: AbortSignal,
): Promise<FetchedCommit> {
  const { commitId } = request;
  const reached =
    commitId === undefined ? undefined : await reachCommit(hosts, request, commitId, within, limit, signal);
  const repository = await createRepository(hosts, request, within, signal);
  const { result: id, bytes } = await withSizeLimit(
    within,
    limit,
    () => new CommitRefusal(condition('COMMIT_TOO_LARGE', { limit })),
    signal,
    (limited) =>
      reached === undefined
        ? repository.fetch(branchRef(request), ['--depth=1'], limited)
        : fetchOne(repository, reached, limited),
  );
  if (id === undefined)
    throw new CommitRefusal(
      reached === undefined
        ? noBranch(request)
        : condition('COMMIT_NOT_IN_HISTORY', { ...requestedSource(request), tags: [...allowedTags(hosts, request)] }),
    );
  const [[commit], tag] = await Promise.all([repository.history(id, 1, signal), repository.tagOf(id, signal)]);
  return { repository, commit: { ...commit!, tag }, bytes };
}

/**
 * The newest commits of a branch, newest first.
 * @param within an empty folder of the platform
 * @param bytes the maximum size of the commits there
 */
export async function fetchHistory(
  hosts: GitHosts,
  request: GitRequest,
  within: string,
  count: number,
  bytes: number,
  signal: AbortSignal,
): Promise<readonly DeployedCommit[]> {
  const repository = await createRepository(hosts, request, within, signal);
  const tooLarge = (): Error =>
    new CommitRefusal(condition('COMMITS_TOO_LARGE', { branch: request.branch, limit: bytes }));
  const { result: newest } = await withSizeLimit(within, bytes, tooLarge, signal, (limited) =>
    repository.fetch(branchRef(request), commitsOnly(count), limited),
  );
  if (newest === undefined) throw new CommitRefusal(noBranch(request));
  return repository.history(newest, count, signal);
}
