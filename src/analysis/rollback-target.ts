import type { PastDeployment } from './history.ts';

/** A deployment of a commit. */
export type CommitDeployment = PastDeployment & { readonly commit: string };

/** The target of a rollback, or why there is none. */
export type RollbackTarget =
  /** Roll back from the current commit to the one of a successful deployment. */
  | { readonly kind: 'found'; readonly from: string; readonly to: CommitDeployment }
  /** It was rolled back before: `to` is the current deployment, and `from` was released after it. */
  | { readonly kind: 'already_rolled_back'; readonly from: string; readonly to: CommitDeployment }
  /** The current commit failed, but an earlier deployment of it succeeded, so the commit isn't the cause. */
  | { readonly kind: 'commit_not_at_fault'; readonly from: string }
  /** No commit qualifies. If one was requested, `good` lists those that would. */
  | { readonly kind: 'none'; readonly good: readonly CommitDeployment[] };

/** Fewest digits that identify a commit. */
const shortestCommitPrefix = 7;

const isNamed = (commit: string, wanted: string): boolean =>
  wanted.length >= shortestCommitPrefix && commit.startsWith(wanted.toLowerCase());

/** The deployments that have a commit, newest first. */
const commitDeploymentsIn = (history: readonly PastDeployment[]): readonly CommitDeployment[] =>
  history.filter((one): one is CommitDeployment => one.action === 'DEPLOY' && one.commit !== undefined);

/** Whether a commit was first deployed before the commit `than`. */
const isOlder = (releases: readonly CommitDeployment[], commit: string, than: string): boolean => {
  const firstOf = (wanted: string): number => releases.findLastIndex((one) => one.commit === wanted);
  return firstOf(commit) > firstOf(than);
};

/**
 * Whether deploying a commit is a rollback: it was first deployed before the current one.
 * @param history newest first
 * @param commit at least its first 7 digits
 * @returns undefined if the commit isn't in the history
 */
export function isRollback(history: readonly PastDeployment[], commit: string): boolean | undefined {
  const releases = commitDeploymentsIn(history);
  const [current] = releases;
  const same = releases.filter((one) => isNamed(one.commit, commit) || isNamed(commit.toLowerCase(), one.commit));
  return current && same.length > 0 ? same.some((one) => isOlder(releases, one.commit, current.commit)) : undefined;
}

/**
 * Finds the target of a rollback: the newest successful deployment of a commit that is older than the current one. The
 * age of a commit is that of its first deployment. Commits that were rolled back from are never chosen, nor newer
 * commits.
 * @param history newest first; must reach back to the first deployment of the current commit
 * @param wanted the commit to roll back to, at least its first 7 digits. Without it, a second rollback finds no target.
 */
export function findRollbackTarget(history: readonly PastDeployment[], wanted?: string): RollbackTarget {
  const releases = commitDeploymentsIn(history);
  const [current] = releases;
  if (!current) return { kind: 'none', good: [] };
  const older = (commit: string, than: string): boolean => isOlder(releases, commit, than);
  const wasRolledBackFrom = ({ commit }: CommitDeployment): boolean =>
    releases
      .slice(
        0,
        releases.findIndex((one) => one.commit === commit),
      )
      .some((later) => older(later.commit, commit));
  const good = releases.filter((one) => one.end === 'good');
  const before = good.filter((one) => older(one.commit, current.commit));
  const newer = releases.find((one) => older(current.commit, one.commit));

  if (wanted !== undefined) {
    const to = before.find(({ commit }) => isNamed(commit, wanted));
    return to ? { kind: 'found', from: current.commit, to } : { kind: 'none', good: before };
  }
  if (current.end === 'bad' && good.some(({ commit }) => commit === current.commit))
    return { kind: 'commit_not_at_fault', from: current.commit };
  if (newer) return { kind: 'already_rolled_back', from: newer.commit, to: current };
  const to = before.find((one) => !wasRolledBackFrom(one));
  return to ? { kind: 'found', from: current.commit, to } : { kind: 'none', good: [] };
}
