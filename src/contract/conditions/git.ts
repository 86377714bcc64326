import * as z from 'zod';
import { bytesText, count, reasonWith, words, texts } from './reason.ts';

/** The requested source: the address of a repository, its server, its branch and commit. */
const asked = { repository: words, host: words, branch: words, commit: words.optional() };
const ofRepository = { repository: words, branch: words, commit: words };
const sourceLimit = (limit: number): string => `${bytesText(limit)} ("source_mb" in the clusters file)`;
const tagsText = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : ` or of a tag that is allowed (${tags.join(', ')})`;

/** A server, and whether it is accessed with a key or with a token. */
const host = { host: words, by: z.enum(['key', 'token']) };
const accessText = ({ host: name, by }: { readonly host: string; readonly by: string }): string =>
  `Whoever runs the platform configures the ${by} for ${name}, under "git" in the clusters file.`;

/** Why a git server can't be reached, as a part of a sentence. */
const unreachable = {
  'no such host': 'the host name does not exist',
  'not looked up': 'the host name could not be looked up',
  'no address': 'the host name has no address',
  refused: 'nothing listens there, or it refuses the connection',
  silent: 'it does not answer in time',
};

const denials = { key: "it doesn't take the key", credentials: 'it refuses the credentials' };

const keyFaults = {
  readable: ({ host: name }: { readonly host: string }) =>
    `The key for ${name} is not used, because others on the platform's machine may read its file: let the platform's user alone read it (chmod 600).`,
  unusable: ({ host: name }: { readonly host: string }) =>
    `The key for ${name} can't be used: the "key_file" that the clusters file names is missing, has a passphrase, or is no private key.`,
};

/** Why source can't be fetched. */
export const gitReasons = {
  /**
   * The commit is in the history of neither the branch nor an allowed tag. Whether the server has it elsewhere doesn't
   * matter.
   */
  COMMIT_NOT_IN_HISTORY: reasonWith(
    { ...asked, tags: texts },
    ({ repository, host: name, branch, commit, tags }) =>
      `The repository ${repository} has no commit ${commit} in the history of the branch ${branch}${tagsText(tags)}. ` +
      'Commits of forks, of pull requests and of what the branch had before it was rewritten are not taken: ' +
      `deploy one of the branch, or merge it first. Whoever runs the platform can allow tags of ${name}, with "tags" under "git" in the clusters file.`,
  ),
  COMMIT_NOT_AMONG_NEWEST: reasonWith(
    { ...ofRepository, searched: count },
    ({ repository, branch, commit, searched }) =>
      `The repository ${repository} has no commit ${commit}, at least not among the last ${searched} of the branch ${branch}: give the whole id of a commit that is there.`,
  ),
  COMMIT_AMBIGUOUS: reasonWith(
    { ...ofRepository },
    ({ branch, commit }) => `Several commits of the branch ${branch} begin with ${commit}: give the whole id.`,
  ),
  COMMIT_NOT_FOUND: reasonWith(
    { ...asked },
    ({ repository, branch, commit }) =>
      `The repository ${repository} has no commit ${commit ?? `of the branch ${branch}`}.`,
  ),
  BRANCH_NOT_FOUND: reasonWith(
    { repository: words, branch: words },
    ({ repository, branch }) => `The repository ${repository} has no branch ${branch}.`,
  ),
  HISTORY_TOO_LARGE: reasonWith(
    { ...ofRepository, limit: count },
    ({ branch, commit, limit }) =>
      `Whether the commit ${commit} is in the history of the branch ${branch} could not be found out: that history takes more than ${sourceLimit(limit)}. Deploy a newer commit.`,
  ),
  COMMIT_TOO_LARGE: reasonWith(
    { limit: count },
    ({ limit }) => `The repository is too large: one commit of it takes more than ${sourceLimit(limit)}.`,
  ),
  COMMITS_TOO_LARGE: reasonWith(
    { branch: words, limit: count },
    ({ branch, limit }) =>
      `The commits of the branch ${branch} can't be listed: the server sends more than ${bytesText(limit)} for them.`,
  ),
  GIT_UNREACHABLE: reasonWith(
    {
      host: words,
      why: z.enum(['no such host', 'not looked up', 'no address', 'refused', 'silent']).optional(),
      said: words.optional(),
    },
    ({ host: name, why, said }) =>
      `The git server ${name} can't be reached: ${why === undefined ? said : unreachable[why]}.`,
  ),
  /** Without `address`, the server would be accessed over plain http. */
  GIT_HOST_NOT_ALLOWED: reasonWith({ host: words, address: words.optional() }, ({ host: name, address }) =>
    [
      address === undefined
        ? `Repositories are not fetched over plain http from ${name}: use https.`
        : `Repositories are not fetched from ${name}: ${address} is a private address.`,
      `Whoever runs the platform can allow a private server in the clusters file: git: {"${name}": {private: true}}.`,
    ].join(' '),
  ),
  GIT_HOST_CHANGED: reasonWith(
    { host: words },
    ({ host: name }) =>
      `The git server ${name} shows another key than the one in its "known_hosts_file": it was set up again, or something else answers in its place.`,
  ),
  GIT_HOST_UNKNOWN: reasonWith(
    { host: words },
    ({ host: name }) =>
      `The git server ${name} is not known: its key is not in a "known_hosts_file" that the clusters file names for it, under "git".`,
  ),
  GIT_KEY_UNUSABLE: reasonWith({ host: words, fault: z.enum(['readable', 'unusable']) }, ({ host: name, fault }) =>
    keyFaults[fault]({ host: name }),
  ),
  GIT_CREDENTIALS_MISSING: reasonWith(
    { repository: words, ...host },
    ({ host: name, by }) =>
      `The git server ${name} asks for credentials: the repository is private, or does not exist. ${accessText({ host: name, by })}`,
  ),
  GIT_ACCESS_DENIED: reasonWith(
    { repository: words, ...host, of: z.enum(['key', 'credentials']) },
    ({ host: name, by, of }) =>
      `The git server ${name} denied access: ${denials[of]}. ${accessText({ host: name, by })}`,
  ),
  REPOSITORY_NOT_FOUND: reasonWith(
    { repository: words, ...host },
    ({ repository, host: name, by }) =>
      `The repository ${repository} does not exist, or may not be read. ${accessText({ host: name, by })}`,
  ),
  GIT_REDIRECTED: reasonWith(
    { host: words },
    ({ host: name }) => `The git server ${name} redirects to another address: give that one.`,
  ),
  GIT_SERVER_FAILED: reasonWith(
    { host: words, status: words },
    ({ host: name, status }) => `The git server ${name} failed with the status ${status}.`,
  ),
  GIT_CERTIFICATE_INVALID: reasonWith(
    { host: words },
    ({ host: name }) => `The git server ${name} has no valid certificate.`,
  ),
  REPOSITORY_DAMAGED: reasonWith(
    { repository: words },
    ({ repository }) => `What the repository ${repository} holds is damaged, or not allowed.`,
  ),
  GIT_CONNECTION_BROKEN: reasonWith(
    { host: words },
    ({ host: name }) => `The connection to the git server ${name} broke.`,
  ),
  FETCH_FAILED: reasonWith(
    { repository: words, said: words },
    ({ repository, said }) => `The repository ${repository} could not be fetched: ${said}`,
  ),
};
