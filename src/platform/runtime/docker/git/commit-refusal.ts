import { type GitRequest, noBranchText } from './git-failure.ts';
import { bytesText } from './size-limit.ts';

/** Why a commit that was asked for, or any, is not taken; with what is known of it. */
export type RefusalReason =
  /** It is in the history of neither the branch nor an allowed tag. Whether the server has it elsewhere doesn't matter. */
  | { readonly code: 'not in history'; readonly tags: readonly string[] }
  /** Its beginning was looked for among so many of the newest commits. */
  | { readonly code: 'not among the newest'; readonly searched: number }
  | { readonly code: 'ambiguous' }
  /** The server has no branch of exactly that name. */
  | { readonly code: 'no branch' }
  /** Nobody could look: the history takes more than so many bytes. */
  | { readonly code: 'history too large'; readonly limit: number }
  | { readonly code: 'commit too large'; readonly limit: number }
  | { readonly code: 'list too large'; readonly limit: number };

const tagsText = (tags: readonly string[]): string => (tags.length === 0 ? '' : ` or of a tag that is allowed (${tags.join(', ')})`);

const sourceLimit = (limit: number): string => `${bytesText(limit)} ("source_mb" in the clusters file)`;

type ReasonOf<Code extends RefusalReason['code']> = Extract<RefusalReason, { readonly code: Code }>;

const sentences: { readonly [Code in RefusalReason['code']]: (request: GitRequest, reason: ReasonOf<Code>) => string } = {
  'not in history': ({ address: { url, host }, branch, commitId }, { tags }) =>
    `The repository ${url} has no commit ${commitId} in the history of the branch ${branch}${tagsText(tags)}. ` +
    'Commits of forks, of pull requests and of what the branch had before it was rewritten are not taken: ' +
    `deploy one of the branch, or merge it first. Whoever runs the platform can allow tags of ${host}, with "tags" under "git" in the clusters file.`,
  'not among the newest': ({ address: { url }, branch, commitId }, { searched }) =>
    `The repository ${url} has no commit ${commitId}, at least not among the last ${searched} of the branch ${branch}: give the whole id of a commit that is there.`,
  ambiguous: ({ branch, commitId }) => `Several commits of the branch ${branch} begin with ${commitId}: give the whole id.`,
  'no branch': noBranchText,
  'history too large': ({ branch, commitId }, { limit }) =>
    `Whether the commit ${commitId} is in the history of the branch ${branch} could not be found out: that history takes more than ${sourceLimit(limit)}. Deploy a newer commit.`,
  'commit too large': (_, { limit }) => `The repository is too large: one commit of it takes more than ${sourceLimit(limit)}.`,
  'list too large': ({ branch }, { limit }) => `The commits of the branch ${branch} can't be listed: the server sends more than ${bytesText(limit)} for them.`,
};

/** A commit is not taken. */
export class CommitRefusal extends Error {
  override readonly name = 'CommitRefusal';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, request: GitRequest) {
    super((sentences[reason.code] as (of: GitRequest, reason: RefusalReason) => string)(request, reason));
    this.reason = reason;
  }
}
