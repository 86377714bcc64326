import type { PastDeployment } from './history.ts';

/** A deployment of a commit. */
export type CommitDeployment = PastDeployment & { readonly commit: string };

/** Where an application goes back to. */
export type RollbackTarget =
  /** From the present commit to the one of a deployment that ended well. */
  | { readonly kind: 'found'; readonly from: string; readonly to: CommitDeployment }
  /** It was gone back already: `to` is present, and `from` came after it. */
  | { readonly kind: 'already_rolled_back'; readonly from: string; readonly to: CommitDeployment }
  /** The present commit failed, and was deployed well before: it is not what fails. */
  | { readonly kind: 'commit_not_at_fault'; readonly from: string }
  /** No commit fits; these would, where another one than the last good was wanted. */
  | { readonly kind: 'none'; readonly good: readonly CommitDeployment[] };

/** Fewest digits that name a commit. */
const shortestCommitPrefix = 7;

const isNamed = (commit: string, wanted: string): boolean => wanted.length >= shortestCommitPrefix && commit.startsWith(wanted.toLowerCase());

/** The deployments of commits, newest first. */
const commitDeploymentsIn = (history: readonly PastDeployment[]): readonly CommitDeployment[] => history.filter((one): one is CommitDeployment => one.action === 'DEPLOY' && one.commit !== undefined);

/** Whether a commit was first deployed before another one. */
const isOlder = (releases: readonly CommitDeployment[], commit: string, than: string): boolean => {
  const firstOf = (wanted: string): number => releases.findLastIndex((one) => one.commit === wanted);
  return firstOf(commit) > firstOf(than);
};

/**
 * Whether deploying a commit goes back: it was deployed before the present one was.
 * @param history newest first.
 * @param commit at least its first 7 digits.
 * @returns undefined where the history doesn't know the commit.
 */
export function isRollback(history: readonly PastDeployment[], commit: string): boolean | undefined {
  const releases = commitDeploymentsIn(history);
  const [present] = releases;
  const same = releases.filter((one) => isNamed(one.commit, commit) || isNamed(commit.toLowerCase(), one.commit));
  return present && same.length > 0 ? same.some((one) => isOlder(releases, one.commit, present.commit)) : undefined;
}

/**
 * Where going back leads: to the newest deployment that ended well, of a commit that is older than the present one. A
 * commit is as old as its first deployment. What was gone back from is never chosen, nor what came after the present commit.
 * @param history newest first; has to reach back to the first deployment of the present commit.
 * @param wanted the commit to go back to, at least its first 7 digits. Without one going back twice leads nowhere.
 */
export function findRollbackTarget(history: readonly PastDeployment[], wanted?: string): RollbackTarget {
  const releases = commitDeploymentsIn(history);
  const [present] = releases;
  if (!present) return { kind: 'none', good: [] };
  const older = (commit: string, than: string): boolean => isOlder(releases, commit, than);
  const wasLeft = ({ commit }: CommitDeployment): boolean =>
    releases.slice(0, releases.findIndex((one) => one.commit === commit)).some((later) => older(later.commit, commit));
  const good = releases.filter((one) => one.end === 'good');
  const before = good.filter((one) => older(one.commit, present.commit));
  const left = releases.find((one) => older(present.commit, one.commit));

  if (wanted !== undefined) {
    const to = before.find(({ commit }) => isNamed(commit, wanted));
    return to ? { kind: 'found', from: present.commit, to } : { kind: 'none', good: before };
  }
  if (present.end === 'bad' && good.some(({ commit }) => commit === present.commit)) return { kind: 'commit_not_at_fault', from: present.commit };
  if (left) return { kind: 'already_rolled_back', from: left.commit, to: present };
  const to = before.find((one) => !wasLeft(one));
  return to ? { kind: 'found', from: present.commit, to } : { kind: 'none', good: [] };
}
