import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeployedCommit } from '../../../common/index.ts';
import { allowedAddresses, type GitRequest } from './git-address.ts';
import { gitEnvironmentFor, localGitEnvironment } from './git-environment.ts';
import { gitFailure } from './git-failure.ts';
import type { GitHosts } from '../../index.ts';
import { type GitRun, runGit, streamGit } from './git-program.ts';

/**
 * The platform's bare repository that fetches from one server. It has no working copy: no hook, filter or link of it
 * takes effect.
 */
export interface SourceRepository {
  /**
   * Fetches a commit or ref, without anything else that it refers to.
   * @param what a full commit id, or a branch or tag as a full ref starting with `refs/`
   * @param options of `git fetch`
   * @returns the id of the commit; undefined if that id is a tree or file on the server, or if the server only has a
   *   ref with the same ending
   */
  fetch(what: string, options: readonly string[], signal: AbortSignal): Promise<string | undefined>;
  /** A commit and those before it, as far as they were fetched; newest first. */
  history(commitId: string, limit: number, signal: AbortSignal): Promise<readonly DeployedCommit[]>;
  /** The name of a tag on a commit; empty if it has none, or the server doesn't answer. */
  tagOf(commitId: string, signal: AbortSignal): Promise<string>;
  /** The kind of object at a path of a commit: `tree` or `blob`; undefined if there is none. */
  kindAt(commitId: string, path: string, signal: AbortSignal): Promise<string | undefined>;
  /** The content of a file. */
  fileAt(commitId: string, path: string, signal: AbortSignal): Promise<string>;
  /** A folder of a commit as a tar archive. @param within a folder of the archive to put it into */
  archive(commitId: string, path: string, signal: AbortSignal, within?: string): AsyncIterable<Buffer>;
}

const separator = '\0';
const commitFormat = ['%H', '%cI', '%an', '%s'].join('%x00');

const readCommit = (line: string): DeployedCommit => {
  const [id = '', date = '', author = '', message = ''] = line.split(separator);
  return { git_commit_id: id, created_at: new Date(date).toISOString(), author_name: author, tag: '', message };
};

/** Git commands in an empty repository of the platform. */
export interface GitCommands {
  readonly directory: string;
  /** A command to run that contacts no server. */
  readonly local: (args: readonly string[], signal: AbortSignal) => GitRun;
  /** Runs a command that contacts the server of the request, and no other. @returns its output */
  readonly ask: (args: readonly string[], signal: AbortSignal) => Promise<string>;
}

/** The options of every fetch: nothing is fetched that was not requested. */
export const fetchOptions = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-recurse-submodules',
  '--no-write-commit-graph',
] as const;

/** Git's names for refs in its record of a fetch, by the prefix of the ref. */
const kindsOfRef = { 'refs/heads/': 'branch', 'refs/tags/': 'tag' } as const;

/**
 * Whether git's record of a fetch is for the requested ref. If the server lacks a ref, git uses another one with the
 * same ending, such as the tag `refs/heads/main` for a branch.
 * @param record content of FETCH_HEAD: `<id>\t\tbranch 'main' of <address>`
 */
function isRecordOf(record: string, what: string): boolean {
  const [prefix, kind] = Object.entries(kindsOfRef).find(([beginning]) => what.startsWith(beginning)) ?? [];
  return (
    prefix === undefined || record.split('\t')[2]?.startsWith(`${kind} '${what.slice(prefix.length)}' of `) === true
  );
}

/** Creates the functions of the repository in which commands run. */
function repositoryOf({ directory, local, ask }: GitCommands, request: GitRequest): SourceRepository {
  return {
    fetch: async (what, options, signal) => {
      await ask([...fetchOptions, ...options, '--end-of-options', request.address.url, what], signal);
      if (!isRecordOf(await readFile(join(directory, 'FETCH_HEAD'), 'utf8'), what)) return undefined;
      const commit = await runGit(local(['rev-parse', '--verify', '--quiet', 'FETCH_HEAD^{commit}'], signal)).catch(
        () => undefined,
      );
      signal.throwIfAborted();
      return commit?.trim();
    },
    history: async (commitId, limit, signal) =>
      (await runGit(local(['log', `--max-count=${limit}`, `--format=${commitFormat}`, commitId], signal)))
        .split('\n')
        .filter((line) => line !== '')
        .map(readCommit),
    tagOf: async (commitId, signal) => {
      const listed = await ask(
        ['ls-remote', '--tags', '--quiet', '--end-of-options', request.address.url],
        signal,
      ).catch(() => '');
      signal.throwIfAborted();
      return (
        listed
          .split('\n')
          .flatMap((line) =>
            line.startsWith(commitId) ? [line.replace(/^\w+\s+refs\/tags\//, '').replace(/\^\{\}$/, '')] : [],
          )
          .at(-1) ?? ''
      );
    },
    kindAt: async (commitId, path, signal) => {
      const kind = await runGit(local(['cat-file', '-t', `${commitId}:${path}`], signal)).catch(() => undefined);
      signal.throwIfAborted();
      return kind?.trim();
    },
    fileAt: (commitId, path, signal) => runGit(local(['cat-file', 'blob', `${commitId}:${path}`], signal)),
    archive: (commitId, path, signal, within) =>
      streamGit(
        local(
          ['archive', '--format=tar', ...(within === undefined ? [] : [`--prefix=${within}/`]), `${commitId}:${path}`],
          signal,
        ),
      ),
  };
}

/**
 * Creates an empty repository for commands of git.
 * @param within a folder of the platform; the repository is created as a new folder in it
 * @throws Error that says why if the server must not be contacted
 */
export async function createCommands(
  hosts: GitHosts,
  request: GitRequest,
  within: string,
  signal: AbortSignal,
): Promise<GitCommands> {
  const directory = await mkdtemp(join(within, 'repository-'));
  const addresses = await allowedAddresses(hosts, request.address);
  await runGit({
    args: ['init', '--bare', '--quiet', '--template=', '.'],
    directory,
    environment: localGitEnvironment(),
    signal,
  });
  await mkdir(join(directory, 'info'), { recursive: true });
  // Attributes in a repository can exclude files from archives, or change them there.
  await writeFile(join(directory, 'info/attributes'), '* -export-ignore -export-subst\n');
  return {
    directory,
    local: (args, running) => ({
      args: ['--git-dir=.', ...args],
      directory,
      environment: localGitEnvironment(),
      signal: running,
    }),
    ask: async (args, running) =>
      runGit({
        args: ['--git-dir=.', ...args],
        directory,
        environment: await gitEnvironmentFor(hosts, request.address, addresses, within),
        signal: running,
      }),
  };
}

/** Creates an empty repository. See `createCommands`. */
export const createRepository = async (
  hosts: GitHosts,
  request: GitRequest,
  within: string,
  signal: AbortSignal,
): Promise<SourceRepository> => repositoryOf(await createCommands(hosts, request, within, signal), request);

/** Works in a temporary folder that is removed afterwards. @param prefix its path and the start of its name */
export async function inTemporaryDirectory<Result>(
  prefix: string,
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(prefix);
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Runs a function, and translates git's failures. */
export async function inWords<Result>(request: GitRequest, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw gitFailure(error, request);
  }
}
