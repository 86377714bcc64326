/** Git, for building services. */

export { fetchCommit, fetchHistory, type FetchedCommit } from './fetch-commit.ts';
export { hostsWithToken, parseGitAddress, type GitAddress, type GitRequest } from './git-address.ts';
export { CommitRefusal } from './commit-refusal.ts';
export { gitFailure } from './git-failure.ts';
export { GitError } from './git-program.ts';
export { inTemporaryDirectory, inWords, type SourceRepository } from './source-repository.ts';
