import { join } from 'node:path';
import { condition } from '../../../../contract/index.ts';
import type { GitHosts } from '../../index.ts';
import { gitHostOf, type GitRequest } from './git-address.ts';
import { runGit } from './git-program.ts';
import { requestedSource, CommitRefusal, noBranch } from './commit-refusal.ts';
import { createCommands, fetchOptions, type GitCommands, inTemporaryDirectory } from './source-repository.ts';
import { withSizeLimit } from './size-limit.ts';

/** A commit that may be deployed, and how to reach it. */
export interface ReachedCommit {
  /** The full id. */
  readonly id: string;
  /** The server's branch or tag whose history contains it. */
  readonly ref: string;
  /** The maximum number of commits to go back from there to reach it. */
  readonly behind: number;
}

/** How far back an abbreviated id is searched for, in commits. */
const searchedCommits = 5000;

/**
 * The depths at which a full id is searched for, one after the other: nearly all are near the end of their branch. The
 * last one is git's value for an unlimited depth.
 */
const depths = [8, 256, searchedCommits, 0x7f_ff_ff_ff] as const;

/** The prefix of the server's refs in a repository that is used for searching. */
const allowed = 'refs/allowed/';

/** The ref of a request's branch on its server. */
export const branchRef = ({ branch }: Pick<GitRequest, 'branch'>): string => `refs/heads/${branch}`;

const tagRef = (pattern: string): string => `refs/tags/${pattern}`;

/** The names of the tags whose history provides commits in addition to the branch. Each may contain one asterisk. */
export const allowedTags = (hosts: GitHosts, { address: { host } }: Pick<GitRequest, 'address'>): readonly string[] =>
  gitHostOf(hosts, host).tags ?? [];

/**
 * Whether a pattern with at most one asterisk matches a whole ref of the server. As in git, an asterisk matches
 * anything.
 */
function isNamedBy(pattern: string, ref: string): boolean {
  const [beginning = '', end] = pattern.split('*');
  return end === undefined
    ? ref === pattern
    : ref.length >= beginning.length + end.length && ref.startsWith(beginning) && ref.endsWith(end);
}

/** Whether an id is not abbreviated. */
const isFullId = (id: string): boolean => /^[\da-f]{40}$|^[\da-f]{64}$/.test(id);

/** The inputs of a search. */
interface Search {
  readonly git: GitCommands;
  readonly request: GitRequest;
  /** The names of allowed tags. Each may contain one asterisk. */
  readonly tags: readonly string[];
}

/** The commits of the branch and the allowed tags on the server, by ref. */
async function readTips({ git, request, tags }: Search, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const asked = [branchRef(request), ...tags.flatMap((tag) => [tagRef(tag), `${tagRef(tag)}^{}`])];
  const listed = await git.ask(['ls-remote', '--quiet', '--end-of-options', request.address.url, ...asked], signal);
  const lines = listed.split('\n').map((line) => line.split('\t'));
  // An annotated tag is listed twice, the second time with its commit.
  const named = lines.map(([id = '', ref = '']) => [ref.replace(/\^\{\}$/, ''), id] as const);
  // The requested names also match the ends of longer ones, which anyone who may write any tag or branch can choose.
  return new Map(
    named.filter(([ref]) => ref === branchRef(request) || tags.some((tag) => isNamedBy(tagRef(tag), ref))),
  );
}

/** Options of a fetch of commits without their files, if the server can omit these. */
export const commitsOnly = (depth: number): readonly string[] => [`--depth=${depth}`, '--filter=tree:0'];

/** Fetches commits of the branch and of tags without their files, if the server can omit these. */
async function fetchCommits({ git, request, tags }: Search, depth: number, signal: AbortSignal): Promise<void> {
  const wanted = [branchRef(request), ...tags.map(tagRef)].map((ref) => `+${ref}:${allowed}${ref}`);
  const options = [...fetchOptions, ...commitsOnly(depth), '--no-write-fetch-head'];
  await git.ask([...options, '--end-of-options', request.address.url, ...wanted], signal);
}

/** The branch or tag whose fetched history contains a commit; undefined if none does. */
async function findContaining(
  { git: { local } }: Search,
  id: string,
  signal: AbortSignal,
): Promise<ReachedCommit | undefined> {
  const kind = await runGit(local(['cat-file', '-t', id], signal)).catch(() => undefined);
  signal.throwIfAborted();
  if (kind?.trim() !== 'commit') return undefined;
  const listed = await runGit(local(['for-each-ref', '--contains', id, '--format=%(refname)', allowed], signal));
  const refs = listed.split('\n').filter((ref) => ref !== '');
  const ref = refs.find((one) => one.startsWith(`${allowed}refs/heads/`)) ?? refs[0];
  if (ref === undefined) return undefined;
  const behind = Number(await runGit(local(['rev-list', '--count', `${id}..${ref}`], signal)));
  return { id, ref: ref.slice(allowed.length), behind };
}

const isShallow = async ({ git: { local } }: Search, signal: AbortSignal): Promise<boolean> =>
  (await runGit(local(['rev-parse', '--is-shallow-repository'], signal))).trim() === 'true';

/** Searches for a full id, deeper with each attempt. */
async function findWhole(search: Search, id: string, signal: AbortSignal): Promise<ReachedCommit | undefined> {
  for (const depth of depths) {
    // Sequential: deeper only if it wasn't found before.
    await fetchCommits(search, depth, signal);
    const found = await findContaining(search, id, signal);
    if (found !== undefined || !(await isShallow(search, signal))) return found;
  }
  return undefined;
}

/** Searches for an abbreviated id. */
async function findBeginning(
  search: Search,
  beginning: string,
  signal: AbortSignal,
): Promise<ReachedCommit | undefined> {
  await fetchCommits(search, searchedCommits, signal);
  const listed = await runGit(search.git.local(['rev-list', '--all'], signal));
  const ids = listed.split('\n').filter((id) => id.startsWith(beginning));
  if (ids.length > 1) throw new CommitRefusal(condition('COMMIT_AMBIGUOUS', requestedSource(search.request)));
  return ids[0] === undefined ? undefined : findContaining(search, ids[0], signal);
}

/**
 * Finds a commit in the history of the branch, or of an allowed tag. Servers also serve commits that only a fork or a
 * pull request has: no one with write access to the repository has approved those.
 * @param commitId in lower case, full or abbreviated
 * @param within an existing folder of the platform
 * @param limit the maximum size of the history there, in bytes
 * @throws CommitRefusal, GitError, or another Error that says why
 */
export async function reachCommit(
  hosts: GitHosts,
  request: GitRequest,
  commitId: string,
  within: string,
  limit: number,
  signal: AbortSignal,
): Promise<ReachedCommit> {
  const patterns = allowedTags(hosts, request);
  return inTemporaryDirectory(join(within, 'history-'), async (directory) => {
    // In a separate repository, because one with some commits without files would fetch these later.
    const git = await createCommands(hosts, request, directory, signal);
    const tips = await readTips({ git, request, tags: patterns }, signal);
    const tip = [...tips].find(([, id]) => id === commitId);
    if (tip !== undefined) return { id: commitId, ref: tip[0], behind: 0 };
    // If the server lacks a name without an asterisk, git uses a longer one with the same ending, or fails.
    if (!tips.has(branchRef(request))) throw new CommitRefusal(noBranch(request));
    const tags = patterns.filter((pattern) => pattern.includes('*') || tips.has(tagRef(pattern)));
    const tooLarge = (): Error =>
      new CommitRefusal(condition('HISTORY_TOO_LARGE', { ...requestedSource(request), limit }));
    const find = isFullId(commitId) ? findWhole : findBeginning;
    const { result } = await withSizeLimit(directory, limit, tooLarge, signal, (limited) =>
      find({ git, request, tags }, commitId, limited),
    );
    if (result !== undefined) return result;
    const asked = requestedSource(request);
    throw new CommitRefusal(
      isFullId(commitId)
        ? condition('COMMIT_NOT_IN_HISTORY', { ...asked, tags: [...patterns] })
        : condition('COMMIT_NOT_AMONG_NEWEST', { ...asked, searched: searchedCommits }),
    );
  });
}
