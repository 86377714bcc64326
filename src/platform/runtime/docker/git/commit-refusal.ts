import { condition, type Condition } from '../../../../contract/index.ts';
import { ConditionError } from '../../index.ts';
import type { GitRequest } from './git-request.ts';

/** A commit is not taken. */
export class CommitRefusal extends ConditionError {
  override readonly name = 'CommitRefusal';
}

/** What was asked for, as conditions have it. */
export const requestedSource = ({ address: { url, host }, branch, commitId }: GitRequest) => ({
  repository: url,
  host,
  branch,
  commit: commitId ?? '',
});

/** That a repository lacks the branch of a request. */
export const noBranch = ({ address: { url }, branch }: GitRequest): Condition =>
  condition('BRANCH_NOT_FOUND', { repository: url, branch });
