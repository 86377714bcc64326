import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CommitRefusal,
  fetchCommit,
  fetchHistory,
  type GitAddress,
  type GitRequest,
  inTemporaryDirectory,
  parseGitAddress,
} from '../../../../../src/platform/runtime/docker/git/index.ts';
import type { GitHosts } from '../../../../../src/platform/runtime/index.ts';
import { startGitServer, type GitServer } from '../../../../support/git-server.ts';

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server?.close());

const { signal } = new AbortController();
const megabyte = 1024 * 1024;

/** Runs git in a repository of the server. */
const git = (repository: string, args: readonly string[], input = ''): string =>
  execFileSync('git', args, {
    cwd: server.path(repository),
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  }).trim();

const asAda = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test'];

/** Fetches a commit as a platform does, the newest by default. @returns its id */
const fetchedBy = (
  repository: string,
  { tags, ...more }: Partial<GitRequest> & { readonly tags?: readonly string[] } = {},
  limit = megabyte,
): Promise<string> => {
  const hosts: GitHosts = { [server.host]: { isPrivate: true, ...(tags && { tags }) } };
  const request: GitRequest = {
    address: parseGitAddress(server.url(repository)) as GitAddress,
    branch: 'main',
    ...more,
  };
  return inTemporaryDirectory(
    join(tmpdir(), 'commit-reach-'),
    async (directory) => (await fetchCommit(hosts, request, directory, limit, signal)).commit.git_commit_id,
  );
};

const fetched = (
  repository: string,
  commitId: string,
  more: Parameters<typeof fetchedBy>[1] = {},
  limit?: number,
): Promise<string> => fetchedBy(repository, { commitId, ...more }, limit);

const refused = (reason: CommitRefusal['condition']['reason']) => ({ name: 'CommitRefusal', condition: { reason } });

/**
 * Makes a repository whose main has commits one after the other, each with a file that can't be packed small.
 * @returns their ids, the oldest first
 */
function manyCommits(repository: string, count: number, fileBytes = 0): readonly string[] {
  server.commit(repository, 'First', { Dockerfile: 'FROM scratch\n' });
  const stream = Array.from({ length: count }, (_, index) => {
    const content = Buffer.from(crypto.getRandomValues(new Uint8Array(fileBytes))).toString('hex');
    return `commit refs/heads/main\ncommitter Ada <ada@example.test> ${1_700_000_000 + index} +0000\ndata 1\n.\n${index === 0 ? 'from refs/heads/main^0\n' : ''}M 644 inline file\ndata ${content.length}\n${content}\n`;
  });
  git(repository, ['fast-import', '--quiet', '--force'], stream.join(''));
  return git(repository, ['rev-list', '--reverse', 'main']).split('\n');
}

describe('a commit that only a fork or a pull request has', () => {
  let [merged, proposed]: string[] = [];
  beforeAll(() => {
    merged = server.commit('shop', 'Merged', { Dockerfile: 'FROM scratch\n' });
    proposed = server.commit('shop', 'Proposed', { Dockerfile: 'FROM elsewhere\n' }, 'proposal');
    git('shop', ['update-ref', 'refs/pull/1/head', proposed]);
    git('shop', ['update-ref', '-d', 'refs/heads/proposal']);
  });

  test.each(['whole', 'beginning'] as const)('is refused by its id: %s', async (form) => {
    const id = form === 'whole' ? proposed! : proposed!.slice(0, 8);
    await expect(fetched('shop', id)).rejects.toMatchObject(
      refused(form === 'whole' ? 'COMMIT_NOT_IN_HISTORY' : 'COMMIT_NOT_AMONG_NEWEST'),
    );
    expect(await fetched('shop', merged!)).toBe(merged);
  });

  test('is refused whether the server knows it or not, with the branch and what to do', async () => {
    await expect(fetched('shop', proposed!)).rejects.toThrow(
      `The repository ${server.url('shop')} has no commit ${proposed!} in the history of the branch main. Commits of forks`,
    );
    await expect(fetched('shop', '1'.repeat(40))).rejects.toMatchObject(refused('COMMIT_NOT_IN_HISTORY'));
  });
});

test('a commit that was taken off the branch is refused', async () => {
  const kept = server.commit('rewritten', 'Kept', { Dockerfile: 'FROM scratch\n' });
  const gone = server.commit('rewritten', 'Gone', { other: 'yes' });
  expect(await fetched('rewritten', gone)).toBe(gone);
  git('rewritten', ['update-ref', 'refs/heads/main', kept]);
  await expect(fetched('rewritten', gone)).rejects.toMatchObject(refused('COMMIT_NOT_IN_HISTORY'));
});

describe('a name that only ends as an allowed one does', () => {
  let proposed = '';
  beforeAll(() => {
    server.commit('tailed', 'Merged', { Dockerfile: 'FROM scratch\n' });
    server.tag('tailed', 'v1.0');
    proposed = server.commit('tailed', 'Proposed', { Dockerfile: 'FROM elsewhere\n' }, 'proposal');
    git('tailed', ['update-ref', '-d', 'refs/heads/proposal']);
  });

  test.each([
    ['refs/tags/refs/heads/main', undefined],
    ['refs/tags/x/refs/heads/main', undefined],
    ['refs/heads/refs/heads/main', undefined],
    ['refs/tags/evil/refs/tags/v1.0', ['v1.0']],
    ['refs/tags/refs/tags/v1.0', ['v1.0', 'v*']],
    ['refs/tags/x/v1.0', ['v*', '*.1']],
  ])('leads to nothing: %s, with the tags %j', async (ref, tags) => {
    git('tailed', ['update-ref', ref, proposed]);
    try {
      const allowed = tags && { tags };
      await expect(fetched('tailed', proposed, allowed)).rejects.toMatchObject(refused('COMMIT_NOT_IN_HISTORY'));
      await expect(fetched('tailed', proposed.slice(0, 9), allowed)).rejects.toMatchObject(
        refused('COMMIT_NOT_AMONG_NEWEST'),
      );
    } finally {
      git('tailed', ['update-ref', '-d', ref]);
    }
  });

  test.each(['refs/tags/refs/heads/gone', 'refs/heads/refs/heads/gone', 'refs/refs/heads/gone'])(
    'does not stand for a branch that is gone: %s',
    async (ref) => {
      git('tailed', ['update-ref', ref, proposed]);
      try {
        for (const commit of [{ commitId: proposed }, { commitId: proposed.slice(0, 9) }, {}]) {
          // One server.
          await expect(fetchedBy('tailed', { ...commit, branch: 'gone' })).rejects.toMatchObject(
            refused('BRANCH_NOT_FOUND'),
          );
        }
        const request: GitRequest = { address: parseGitAddress(server.url('tailed')) as GitAddress, branch: 'gone' };
        const listed = inTemporaryDirectory(join(tmpdir(), 'commit-reach-'), (directory) =>
          fetchHistory({ [server.host]: { isPrivate: true } }, request, directory, 3, megabyte, signal),
        );
        await expect(listed).rejects.toMatchObject(refused('BRANCH_NOT_FOUND'));
      } finally {
        git('tailed', ['update-ref', '-d', ref]);
      }
    },
  );
});

test('what a tag is on besides commits is refused by its id', async () => {
  const commit = server.commit('odd', 'First', { Dockerfile: 'FROM scratch\n' });
  const [tree, file] = ['^{tree}', ':Dockerfile'].map((part) => git('odd', ['rev-parse', `${commit}${part}`]));
  git('odd', ['update-ref', 'refs/tags/tree', tree!]);
  git('odd', ['update-ref', 'refs/tags/file', file!]);
  for (const id of [tree!, file!]) {
    // One server.
    await expect(fetched('odd', id, { tags: ['tree', 'file'] })).rejects.toMatchObject(
      refused('COMMIT_NOT_IN_HISTORY'),
    );
  }
  expect(await fetched('odd', commit, { tags: ['*'] })).toBe(commit);
});

describe('a commit of a tag', () => {
  let [older, tagged, annotated]: string[] = [];
  beforeAll(() => {
    server.commit('released', 'First', { Dockerfile: 'FROM scratch\n' });
    older = server.commit('released', 'Older', { older: 'yes' }, 'release');
    tagged = server.commit('released', 'Released', { released: 'yes' }, 'release');
    server.tag('released', 'v1.0');
    annotated = server.commit('released', 'Also released', { more: 'yes' }, 'release');
    git('released', [...asAda, 'tag', '--annotate', '--message', 'It', 'nightly/1', annotated]);
    git('released', ['update-ref', '-d', 'refs/heads/release']);
  });

  test('is refused where nobody allowed the tag, and names those that are allowed', async () => {
    await expect(fetched('released', tagged!)).rejects.toMatchObject(refused('COMMIT_NOT_IN_HISTORY'));
    await expect(fetched('released', tagged!, { tags: ['stable-*', 'v2.0'] })).rejects.toThrow(
      /of the branch main or of a tag that is allowed \(stable-\*, v2\.0\)\./,
    );
  });

  test('is taken where the tag is allowed, with what led to it', async () => {
    expect(await fetched('released', tagged!, { tags: ['v1.0'] })).toBe(tagged);
    expect(await fetched('released', older!, { tags: ['v*', 'none'] })).toBe(older);
    expect(await fetched('released', tagged!.slice(0, 9), { tags: ['*.0'] })).toBe(tagged);
    await expect(fetched('released', annotated!, { tags: ['v1.0'] })).rejects.toMatchObject(
      refused('COMMIT_NOT_IN_HISTORY'),
    );
  });

  test('is known by its commit where the tag has a message of its own', async () => {
    expect(await fetched('released', annotated!, { tags: ['nightly/*'] })).toBe(annotated);
    await expect(
      fetched('released', git('released', ['rev-parse', 'nightly/1']), { tags: ['nightly/*'] }),
    ).rejects.toMatchObject(refused('COMMIT_NOT_IN_HISTORY'));
  });
});

describe.each([true, false])('a long history, and a server that can leave files out: %s', (canFilter) => {
  const repository = `long-${String(canFilter)}`;
  let ids: readonly string[] = [];
  beforeAll(() => {
    ids = manyCommits(repository, 260, 1000);
    git(repository, ['config', 'uploadpack.allowFilter', String(canFilter)]);
  });

  test('is searched to its beginning', async () => {
    expect(await fetched(repository, ids[1]!)).toBe(ids[1]);
    expect(await fetched(repository, ids[3]!.slice(0, 12))).toBe(ids[3]);
    await expect(fetched(repository, '2'.repeat(40))).rejects.toMatchObject(refused('COMMIT_NOT_IN_HISTORY'));
  });

  test('that is too large to be searched is told from a commit that is not in it', async () => {
    const found = fetched(repository, ids[0]!, {}, 200_000);
    if (canFilter) expect(await found).toBe(ids[0]);
    else await expect(found).rejects.toMatchObject(refused('HISTORY_TOO_LARGE'));
    // Near the end of the branch, less is needed.
    expect(await fetched(repository, ids.at(-1)!, {}, 200_000)).toBe(ids.at(-1));
  });
});

test('a commit that came in by a merge is found', async () => {
  const base = server.commit('merged', 'Base', { Dockerfile: 'FROM scratch\n' });
  const side = server.commit('merged', 'Side', { side: 'yes' }, 'side');
  const merge = git('merged', [...asAda, 'commit-tree', `${side}^{tree}`, '-p', base, '-p', side, '-m', 'Merge']);
  git('merged', ['update-ref', 'refs/heads/main', merge]);
  git('merged', ['update-ref', '-d', 'refs/heads/side']);
  expect(await fetched('merged', side)).toBe(side);
});
