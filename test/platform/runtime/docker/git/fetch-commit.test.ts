import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { GitServers } from '../../../../../src/cli/wiring/git-servers.ts';
import {
  fetchCommit,
  fetchHistory,
  type GitRequest,
  inTemporaryDirectory,
  inWords,
  parseGitAddress,
  type FetchedCommit,
  type GitAddress,
} from '../../../../../src/platform/runtime/docker/git/index.ts';
import type { GitHosts } from '../../../../../src/platform/runtime/index.ts';
import { startGitServer, type GitServer } from '../../../../support/git-server.ts';

let server: GitServer;
const ids: string[] = [];
beforeAll(async () => {
  server = await startGitServer();
  for (const number of [1, 2, 3]) {
    ids.push(
      server.commit('shop', `Change ${number}`, {
        'web/Dockerfile': 'FROM scratch\n',
        'web/version': String(number),
        'hidden.txt': 'kept',
        '.gitattributes': 'hidden.txt export-ignore\nweb/version export-subst\n',
      }),
    );
  }
  server.tag('shop', 'v3');
});
afterAll(() => server?.close());
afterEach(() => server.require(undefined));

const { signal } = new AbortController();
const hosts = (more: GitHosts[string] = {}): GitHosts => ({ [server.host]: { isPrivate: true, ...more } });
const requestOf = (url: string, more: Partial<GitRequest> = {}): GitRequest => ({
  address: parseGitAddress(url) as GitAddress,
  branch: 'main',
  ...more,
});
const megabyte = 1024 * 1024;

/** Fetches a commit, and looks at it before it goes. */
const fetched = async <Result>(
  request: GitRequest,
  read: (found: FetchedCommit) => Promise<Result> | Result,
  known = hosts(),
  limit = megabyte,
): Promise<Result> =>
  inTemporaryDirectory(join(tmpdir(), 'fetch-commit-'), (directory) =>
    inWords(request, async () => read(await fetchCommit(known, request, directory, limit, signal))),
  );

const idOf = ({ commit }: FetchedCommit): string => commit.git_commit_id;

test('the newest commit of a branch comes, with its author, message and tag', async () => {
  const commit = await fetched(requestOf(server.url('shop')), (found) => found.commit);
  expect(commit).toEqual({
    git_commit_id: ids[2],
    author_name: 'Ada Example',
    message: 'Change 3',
    tag: 'v3',
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

test('a requested commit comes by its whole id, or by the beginning of it', async () => {
  expect(await fetched(requestOf(server.url('shop'), { commitId: ids[0]! }), idOf)).toBe(ids[0]);
  expect(await fetched(requestOf(server.url('shop'), { commitId: ids[1]!.slice(0, 8) }), idOf)).toBe(ids[1]);
});

test('a server that is known by its name is asked at the address that was looked up', async () => {
  const host = server.host.replace('127.0.0.1', 'localhost');
  expect(await fetched(requestOf(`http://${host}/shop/.git`), idOf, { [host]: { isPrivate: true } })).toBe(ids[2]);
});

test('a folder is archived as it is: attributes of the repository leave nothing out and change nothing', async () => {
  const entries = await fetched(requestOf(server.url('shop')), async ({ repository, commit }) => {
    const chunks: Buffer[] = [];
    for await (const chunk of repository.archive(commit.git_commit_id, '', signal)) chunks.push(chunk);
    return execFileSync('tar', ['--list', '--file=-'], { input: Buffer.concat(chunks), encoding: 'utf8' }).split('\n');
  });
  expect(entries).toEqual(expect.arrayContaining(['hidden.txt', 'web/Dockerfile', 'web/version']));
});

test('the newest commits of a branch are listed without being fetched one by one', async () => {
  const request = requestOf(server.url('shop'));
  const listed = await inTemporaryDirectory(join(tmpdir(), 'fetch-commit-'), (directory) =>
    fetchHistory(hosts(), request, directory, 2, megabyte, signal),
  );
  expect(listed.map(({ git_commit_id: id }) => id)).toEqual([ids[2], ids[1]]);
});

test('a token is sent to its server, and shows in no argument', async () => {
  server.require('secret-token');
  await expect(fetched(requestOf(server.url('shop')), idOf)).rejects.toThrow(/asks for credentials/);
  await expect(fetched(requestOf(server.url('shop')), idOf, hosts({ token: 'wrong' }))).rejects.toThrow(
    /refuses the credentials|asks for credentials/,
  );
  expect(await fetched(requestOf(server.url('shop')), idOf, hosts({ token: 'secret-token', username: 'reader' }))).toBe(
    ids[2],
  );
  expect([...server.authorizations]).toContain(`Basic ${Buffer.from('reader:secret-token').toString('base64')}`);

  const waits = server.hold();
  const running = fetched(requestOf(server.url('shop')), idOf, hosts({ token: 'secret-token' }));
  await waits;
  const lines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return execFileSync('cat', [`/proc/${pid}/cmdline`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      } catch {
        return '';
      }
    });
  expect(lines.filter((line) => line.includes(server.host))).not.toEqual([]);
  expect(lines.join('\n')).not.toContain(Buffer.from('git:secret-token').toString('base64'));
  server.goOn();
  await running;
});

test.each([
  [
    'a repository that is not there',
    (): GitRequest => requestOf(server.url('nothing')),
    /does not exist, or may not be read/,
  ],
  [
    'a branch that is not there',
    (): GitRequest => requestOf(server.url('shop'), { branch: 'release' }),
    /has no branch release\./,
  ],
  [
    'a commit that is not there',
    (): GitRequest => requestOf(server.url('shop'), { commitId: '1234567890123456789012345678901234567890' }),
    /has no commit 1234567890/,
  ],
  [
    'the beginning of no commit',
    (): GitRequest => requestOf(server.url('shop'), { commitId: '1234567' }),
    /has no commit 1234567, at least not among the last 5000/,
  ],
  [
    'a server that redirects',
    (): GitRequest => requestOf(`http://${server.host}/moved/shop/.git`),
    /redirects to another address/,
  ],
  [
    'a name that does not exist',
    (): GitRequest => requestOf('https://git.invalid/shop.git'),
    /git\.invalid can't be reached: the host name/,
  ],
] as const)('%s fails with its cause in words', async (_, request, words) => {
  await expect(fetched(request(), idOf)).rejects.toThrow(words);
});

test('a port that nobody listens on is told from a server that does not answer', async () => {
  const gone = createServer().listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const { port } = gone.address() as { port: number };
  gone.close();
  await once(gone, 'close');
  await expect(
    fetched(requestOf(`http://127.0.0.1:${port}/shop.git`), idOf, { [`127.0.0.1:${port}`]: { isPrivate: true } }),
  ).rejects.toThrow(/nothing listens there/);
});

test.each([
  'https://127.0.0.1/shop.git',
  'https://[::1]/shop.git',
  'https://169.254.169.254/latest',
  'https://localhost/shop.git',
  'ssh://git@10.1.2.3/shop.git',
  'git@192.168.1.1:shop.git',
])('%s is refused: it is private, and nobody allowed it', async (url) => {
  await expect(fetched(requestOf(url), idOf)).rejects.toThrow(/is a private address/);
});

test('plain http is refused, except from a server that may be private', async () => {
  await expect(fetched(requestOf('http://203.0.113.5/shop.git'), idOf)).rejects.toThrow(/plain http/);
});

test.each(['http://203.0.113.5/shop.git', 'https://127.0.0.1:3000/shop.git'])(
  'the refusal of %s has the lines with which the clusters file allows it',
  async (url) => {
    const { message } = (await fetched(requestOf(url), idOf).catch((error: unknown) => error)) as Error;
    const { git } = parse(/git: \{.*\}(?=\.)/.exec(message)![0]) as { git: unknown };
    expect(GitServers.parse(git)).toEqual({ [new URL(url).host]: { private: true } });
  },
);

test('a repository that is too large is not taken, and nothing of it stays', async () => {
  server.commit('large', 'Large', {
    noise: Buffer.from(Array.from({ length: 600_000 }, (__, index) => (index * 7919 + ((index * index) % 251)) % 256)),
    more: Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))),
  });
  await expect(fetched(requestOf(server.url('large')), idOf, hosts(), 20_000)).rejects.toThrow(
    /too large: one commit of it takes more than 20 KB/,
  );
});

test('a fetch that is not wanted any more ends at once, with the programs that it started', async () => {
  const abort = new AbortController();
  const waits = server.hold();
  const request = requestOf(server.url('shop'));
  const running = inTemporaryDirectory(join(tmpdir(), 'fetch-commit-'), (directory) =>
    fetchCommit(hosts(), request, directory, megabyte, abort.signal),
  );
  await waits;
  abort.abort(new Error('not wanted'));
  await expect(running).rejects.toThrow('not wanted');
  server.goOn();
});
