import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Condition } from '../../../src/contract/index.ts';
import { fetchSource } from '../../../src/platform/runtime/docker/builds/fetch-source.ts';
import {
  fetchCommit,
  fetchHistory,
  type GitAddress,
  GitError,
  gitFailure,
  type GitRequest,
  inTemporaryDirectory,
  parseGitAddress,
} from '../../../src/platform/runtime/docker/git/index.ts';
import { conditionBehind, type GitHosts, type Task } from '../../../src/platform/runtime/index.ts';
import { type GitServer, startGitServer } from '../../support/git-server.ts';
import { conditionOf, contextWith, node, service, signal } from './fake-swarm.ts';
import { type MadeCondition, read, shown } from './made-condition.ts';

const request: GitRequest = {
  address: parseGitAddress('https://git.example.test/acme/shop.git') as GitAddress,
  branch: 'main',
  commitId: '4f1c9d2ab0',
};

/** What it means that git and the server say this. */
const said = (...lines: readonly string[]): Condition | undefined =>
  conditionBehind(gitFailure(new GitError(lines), request));

/** The repository of a server that lives as long as the test, with a commit of so many bytes. */
async function withServer(
  bytes = 0,
): Promise<{ readonly server: GitServer; readonly hosts: GitHosts; readonly id: string }> {
  const server = await startGitServer();
  onTestFinished(() => server.close());
  const id = server.commit('shop', 'First', { Dockerfile: 'FROM scratch\n', file: randomBytes(bytes) });
  return { server, hosts: { [server.host]: { isPrivate: true } }, id };
}

/** Why a commit of that repository is not taken. @param limit in bytes */
async function refused(commitId: string | undefined, limit = 2 ** 20, bytes = 0): Promise<Condition | undefined> {
  const { server, hosts } = await withServer(bytes);
  // The history is sent with its files, and so is large.
  execFileSync('git', ['config', 'uploadpack.allowFilter', 'false'], { cwd: server.path('shop') });
  const asked = { address: parseGitAddress(server.url('shop')) as GitAddress, branch: 'main' };
  return conditionOf(
    inTemporaryDirectory(join(tmpdir(), 'conditions-'), (directory) =>
      fetchCommit(hosts, { ...asked, ...(commitId !== undefined && { commitId }) }, directory, limit, signal),
    ),
  );
}

/** Why the source of a service can't be built from that repository. */
async function unbuildable(path: object, dockerfile: string): Promise<Condition | undefined> {
  const { server, hosts } = await withServer();
  const git = { git_repository: { url: server.url('shop'), ...path }, dockerfile_path: dockerfile };
  const context = await contextWith(
    { '/info': { Swarm: { NodeID: 'a' } }, '/nodes': [node('a', 'ready')] },
    { builds: { git: hosts, sourceBytes: 2 ** 20 } },
  );
  const task = { deploymentId: 'd', service: { ...service, kind: 'application', spec: git } } as unknown as Task;
  return conditionOf(fetchSource(context, task, () => undefined, signal));
}

/** Why source can't be fetched. */
export const ofGit: readonly MadeCondition[] = [
  read('GIT_UNREACHABLE', 'log', 'git_unreachable', () => said('fatal: unable to access: Connection refused')),
  read('GIT_SERVER_FAILED', 'log', 'git_unreachable', () => said('fatal: The requested URL returned error: 502')),
  read('GIT_CONNECTION_BROKEN', 'log', 'git_unreachable', () => said('fatal: early EOF')),
  read('GIT_HOST_NOT_ALLOWED', 'log', 'git_unreachable', () =>
    conditionOf(
      inTemporaryDirectory(join(tmpdir(), 'conditions-'), (directory) => {
        const address = parseGitAddress('https://127.0.0.1/shop.git') as GitAddress;
        return fetchCommit({}, { address, branch: 'main' }, directory, 1000, signal);
      }),
    ),
  ),
  read('GIT_ACCESS_DENIED', 'log', 'git_clone_denied', () => said('remote: Authentication failed')),
  read('GIT_CREDENTIALS_MISSING', 'log', 'git_clone_denied', () =>
    said('fatal: could not read Username: terminal prompts disabled'),
  ),
  read('REPOSITORY_NOT_FOUND', 'log', 'git_clone_denied', () => said('remote: Repository not found.')),
  read('GIT_HOST_UNKNOWN', 'log', 'git_clone_denied', () => said('Host key verification failed.')),
  read('GIT_HOST_CHANGED', 'log', 'git_clone_denied', () => said('REMOTE HOST IDENTIFICATION HAS CHANGED')),
  read('GIT_KEY_UNUSABLE', 'log', 'git_clone_denied', () => said('UNPROTECTED PRIVATE KEY FILE')),
  read('BRANCH_NOT_FOUND', 'log', 'git_branch_not_found', () =>
    said("fatal: couldn't find remote ref refs/heads/main"),
  ),
  read('COMMIT_NOT_FOUND', 'log', 'git_branch_not_found', () => said('upload-pack: not our ref')),
  read('COMMIT_NOT_IN_HISTORY', 'log', 'git_branch_not_found', () => refused('1'.repeat(40))),
  read('COMMIT_NOT_AMONG_NEWEST', 'log', 'git_branch_not_found', () => refused('11111111')),
  read('HISTORY_TOO_LARGE', 'log', 'git_branch_not_found', () => refused('1'.repeat(40), 1, 200_000)),
  shown('COMMIT_AMBIGUOUS', 'log', async () => {
    const { server, hosts } = await withServer();
    const ids = [''];
    // Until two commits begin with the same character.
    while (new Set(ids.map((id) => id[0])).size === ids.length)
      ids.push(server.commit('shop', 'x', { x: `${ids.length}` }));
    const address = parseGitAddress(server.url('shop')) as GitAddress;
    const commitId = ids.at(-1)![0]!;
    return conditionOf(
      inTemporaryDirectory(join(tmpdir(), 'conditions-'), (directory) =>
        fetchCommit(hosts, { address, branch: 'main', commitId }, directory, 2 ** 20, signal),
      ),
    );
  }),
  shown('COMMIT_TOO_LARGE', 'log', () => refused(undefined, 1000, 200_000)),
  shown('COMMITS_TOO_LARGE', 'log', async () => {
    const { server, hosts } = await withServer(200_000);
    execFileSync('git', ['config', 'uploadpack.allowFilter', 'false'], { cwd: server.path('shop') });
    const asked = { address: parseGitAddress(server.url('shop')) as GitAddress, branch: 'main' };
    return conditionOf(
      inTemporaryDirectory(join(tmpdir(), 'conditions-'), (directory) =>
        fetchHistory(hosts, asked, directory, 3, 1000, signal),
      ),
    );
  }),
  shown('GIT_REDIRECTED', 'log', () => said('fatal: unable to update url base from redirection')),
  shown('GIT_CERTIFICATE_INVALID', 'log', () => said('SSL certificate problem: self-signed certificate')),
  shown('REPOSITORY_DAMAGED', 'log', () => said('fatal: fsck error in packed object')),
  shown('FETCH_FAILED', 'log', () => said('fatal: something else')),
  read('FOLDER_NOT_FOUND', 'log', 'docker_build_failed', () => unbuildable({ root_path: '/api' }, 'Dockerfile')),
  read('DOCKERFILE_NOT_FOUND', 'log', 'docker_build_failed', () => unbuildable({}, 'docker/Dockerfile')),
];
