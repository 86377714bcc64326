import type { GitAddress } from './git-address.ts';
import { GitError } from './git-program.ts';

/** What was asked for, for the words of a failure. */
export interface GitRequest {
  readonly address: GitAddress;
  readonly branch: string;
  readonly commitId?: string;
}

interface Failure {
  readonly pattern: RegExp;
  readonly words: (request: GitRequest, match: RegExpExecArray) => string;
}

const access = ({ address: { host, scheme } }: GitRequest): string =>
  `Whoever runs the platform configures ${scheme === 'ssh' ? 'the key' : 'the token'} for ${host}, under "git" in the clusters file.`;

/** Says that a repository lacks the branch of a request. */
export const noBranchText = ({ branch, address }: GitRequest): string => `The repository ${address.url} has no branch ${branch}.`;

/** What git and servers say, and what it means. The first that fits counts. */
const failures: readonly Failure[] = [
  { pattern: /Could not resolve host(?:name)?/i, words: ({ address }) => `The git server ${address.hostname} can't be reached: the host name could not be looked up.` },
  { pattern: /Connection refused|Failed to connect|Couldn't connect/i, words: ({ address }) => `The git server ${address.host} can't be reached: nothing listens there, or it refuses the connection.` },
  { pattern: /timed? ?out|TaskHandler too slow/i, words: ({ address }) => `The git server ${address.host} can't be reached: it does not answer in time.` },
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|host key for .+ has changed/i,
    words: ({ address }) => `The git server ${address.host} shows another key than the one in its "known_hosts_file": it was set up anew, or something else answers in its place.`,
  },
  {
    pattern: /Host key verification failed|No .+ host key is known/i,
    words: ({ address }) => `The git server ${address.host} is not known: its key is not in a "known_hosts_file" that the clusters file names for it, under "git".`,
  },
  // Ssh goes on without the key, and the server then denies access.
  { pattern: /UNPROTECTED PRIVATE KEY FILE|bad permissions/i, words: ({ address }) => `The key for ${address.host} is not used, because others on the platform's machine may read its file: let the platform's user alone read it (chmod 600).` },
  { pattern: /^(?:Load key .+: (?!Permission denied)|no such identity: )/im, words: ({ address }) => `The key for ${address.host} can't be used: the "key_file" that the clusters file names is missing, has a passphrase, or is no private key.` },
  { pattern: /Permission denied/i, words: (request) => `The git server ${request.address.host} denied access: it doesn't take the key. ${access(request)}` },
  { pattern: /could not read (?:Username|Password)|terminal prompts disabled/i, words: (request) => `The git server ${request.address.host} asks for credentials: the repository is private, or does not exist. ${access(request)}` },
  { pattern: /Authentication failed|returned error: 40[13]/i, words: (request) => `The git server ${request.address.host} denied access: it refuses the credentials. ${access(request)}` },
  { pattern: /returned error: 3\d\d|unable to update url base/i, words: ({ address }) => `The git server ${address.host} redirects to another address: give that one.` },
  { pattern: /returned error: (5\d\d)/, words: ({ address }, [, status]) => `The git server ${address.host} failed with the status ${status}.` },
  { pattern: /couldn't find remote ref|Could not find remote branch/i, words: noBranchText },
  { pattern: /not our ref|unadvertised object|no such remote ref/i, words: ({ commitId, branch, address }) => `The repository ${address.url} has no commit ${commitId ?? `of the branch ${branch}`}.` },
  { pattern: /repository .* not found|returned error: 404|does not appear to be a git repository|Repository not found/i, words: (request) => `The repository ${request.address.url} does not exist, or may not be read. ${access(request)}` },
  { pattern: /SSL|certificate/i, words: ({ address }) => `The git server ${address.host} has no valid certificate.` },
  { pattern: /fsck|invalid index-pack|unpack-objects|bad object/i, words: ({ address }) => `What the repository ${address.url} holds is damaged, or not allowed.` },
  { pattern: /hung up|early EOF|RPC failed/i, words: ({ address }) => `The connection to the git server ${address.host} broke.` },
];

/** Whether the server has no such commit, or gives it to nobody who asks for it directly. */
export const isUnknownCommit = (error: unknown): boolean => error instanceof GitError && /not our ref|unadvertised object/.test(error.said.join('\n'));

/** Why git failed, in words. Other errors are returned as they are. */
export function gitFailure(error: unknown, request: GitRequest): Error {
  if (!(error instanceof GitError)) return error instanceof Error ? error : new Error(String(error));
  const said = error.said.join('\n');
  for (const { pattern, words } of failures) {
    const match = pattern.exec(said);
    if (match) return new Error(words(request, match), { cause: error });
  }
  return new Error(`The repository ${request.address.url} could not be fetched: ${error.message}`, { cause: error });
}
