import { condition, type Condition } from '../../../../contract/index.ts';
import { proxyFor } from '../../../../outgoing/index.ts';
import { ConditionError } from '../../index.ts';
import { noBranch } from './commit-refusal.ts';
import type { GitRequest } from './git-address.ts';
import { GitError } from './git-program.ts';

interface Failure {
  readonly pattern: RegExp;
  readonly means: (request: GitRequest, match: RegExpExecArray) => Condition;
}

/** The repository, its server, and how the platform authenticates there. */
const access = ({ address: { url, host, scheme } }: GitRequest) => ({
  repository: url,
  host,
  by: scheme === 'ssh' ? ('key' as const) : ('token' as const),
});

/** Messages of git and servers, and their meaning. The first match counts. */
const failures: readonly Failure[] = [
  {
    pattern: /Could not resolve host(?:name)?/i,
    means: ({ address }) => condition('GIT_UNREACHABLE', { host: address.hostname, why: 'not looked up' }),
  },
  {
    pattern: /Connection refused|Failed to connect|Couldn't connect/i,
    means: ({ address: { host } }) => condition('GIT_UNREACHABLE', { host, why: 'refused' }),
  },
  {
    pattern: /timed? ?out|TaskHandler too slow/i,
    means: ({ address: { host } }) => condition('GIT_UNREACHABLE', { host, why: 'silent' }),
  },
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|host key for .+ has changed/i,
    means: ({ address: { host } }) => condition('GIT_HOST_CHANGED', { host }),
  },
  {
    pattern: /Host key verification failed|No .+ host key is known/i,
    means: ({ address: { host } }) => condition('GIT_HOST_UNKNOWN', { host }),
  },
  // Ssh continues without the key, and the server then denies access.
  {
    pattern: /UNPROTECTED PRIVATE KEY FILE|bad permissions/i,
    means: ({ address: { host } }) => condition('GIT_KEY_UNUSABLE', { host, fault: 'readable' }),
  },
  {
    pattern: /^(?:Load key .+: (?!Permission denied)|no such identity: )/im,
    means: ({ address: { host } }) => condition('GIT_KEY_UNUSABLE', { host, fault: 'unusable' }),
  },
  {
    pattern: /Permission denied/i,
    means: (request) => condition('GIT_ACCESS_DENIED', { ...access(request), of: 'key' }),
  },
  {
    pattern: /could not read (?:Username|Password)|terminal prompts disabled/i,
    means: (request) => condition('GIT_CREDENTIALS_MISSING', access(request)),
  },
  {
    pattern: /Authentication failed|returned error: 40[13]/i,
    means: (request) => condition('GIT_ACCESS_DENIED', { ...access(request), of: 'credentials' }),
  },
  {
    pattern: /returned error: 3\d\d|unable to update url base/i,
    means: ({ address: { host } }) => condition('GIT_REDIRECTED', { host }),
  },
  {
    pattern: /returned error: (5\d\d)/,
    means: ({ address: { host } }, [, status]) => condition('GIT_SERVER_FAILED', { host, status: status! }),
  },
  { pattern: /couldn't find remote ref|Could not find remote branch/i, means: noBranch },
  {
    pattern: /not our ref|unadvertised object|no such remote ref/i,
    means: ({ commitId: commit, branch, address: { url: repository, host } }) =>
      condition('COMMIT_NOT_FOUND', { repository, host, branch, commit }),
  },
  {
    pattern: /repository .* not found|returned error: 404|does not appear to be a git repository|Repository not found/i,
    means: (request) => condition('REPOSITORY_NOT_FOUND', access(request)),
  },
  { pattern: /SSL|certificate/i, means: ({ address: { host } }) => condition('GIT_CERTIFICATE_INVALID', { host }) },
  {
    pattern: /fsck|invalid index-pack|unpack-objects|bad object/i,
    means: ({ address: { url } }) => condition('REPOSITORY_DAMAGED', { repository: url }),
  },
  {
    pattern: /hung up|early EOF|RPC failed/i,
    means: ({ address: { host } }) => condition('GIT_CONNECTION_BROKEN', { host }),
  },
];

/** Whether the server has no such commit, or doesn't serve it by its id. */
export const isUnknownCommit = (error: unknown): boolean =>
  error instanceof GitError && /not our ref|unadvertised object/.test(error.said.join('\n'));

/** The failure of the proxy between git and the server; undefined if there is no proxy, or if something else failed. */
function proxyFailure({ address: { scheme, url, hostname: host } }: GitRequest, said: string): Condition | undefined {
  if (scheme === 'ssh' || proxyFor(url) === undefined) return undefined;
  const status = /(?:CONNECT tunnel failed, response|Received HTTP code|returned error:(?= 407)) (\d{3})/i.exec(
    said,
  )?.[1];
  if (status !== undefined)
    return condition('GIT_UNREACHABLE', { host, said: `the platform's proxy does not connect to it (HTTP ${status})` });
  return /could not resolve|failed to connect|couldn't connect|connection refused|proxy connect aborted/i.test(said)
    ? condition('GIT_UNREACHABLE', { host, said: "the platform's proxy can't be reached" })
    : undefined;
}

/** Why git failed. Other errors are returned as they are. */
export function gitFailure(error: unknown, request: GitRequest): Error {
  if (!(error instanceof GitError)) return error instanceof Error ? error : new Error(String(error));
  const said = error.said.join('\n');
  const ofProxy = proxyFailure(request, said);
  if (ofProxy !== undefined) return new ConditionError(ofProxy, { cause: error });
  for (const { pattern, means } of failures) {
    const match = pattern.exec(said);
    if (match) return new ConditionError(means(request, match), { cause: error });
  }
  return new ConditionError(condition('FETCH_FAILED', { repository: request.address.url, said: error.message }), {
    cause: error,
  });
}
