import { condition, type Condition } from '../../../../contract/index.ts';
import { ConditionError } from '../../index.ts';
import type { GitRequest } from './git-address.ts';

/** A commit is refused. */
export class CommitRefusal extends ConditionError {
  override readonly name = 'CommitRefusal';
}

/** The requested source, as data for conditions. */
export const requestedSource = ({ address: { url, host }, branch, commitId }: GitRequest) => ({
  repository: url,
  host,
  branch,
  commit: commitId ?? '',
});

/** The condition that a repository lacks the requested branch. */
export const noBranch = ({ address: { url }, branch }: GitRequest): Condition =>
  condition('BRANCH_NOT_FOUND', { repository: url, branch });
