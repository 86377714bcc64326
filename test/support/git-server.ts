import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A git server on loopback, with repositories that tests write. */
export interface GitServer {
  /** Host and port. */
  readonly host: string;
  /** The address of a repository, there or not. */
  url(repository: string): string;
  /** Where a repository is on this machine. */
  path(repository: string): string;
  /**
   * Adds a commit to a branch. The repository and the branch come about with their first.
   * @param files their contents; null removes one
   * @returns the id of the commit
   */
  commit(
    repository: string,
    message: string,
    files: Readonly<Record<string, string | Buffer | null>>,
    branch?: string,
  ): string;
  /** Puts a tag on the newest commit. */
  tag(repository: string, name: string): void;
  /** The Authorization headers that came, without repetitions. */
  readonly authorizations: ReadonlySet<string>;
  /** Serves only who has this password from now on; undefined for everybody. */
  require(password: string | undefined): void;
  /** Answers nothing from now on, until it is told to go on. Requests wait. @returns resolves when one waits */
  hold(): Promise<void>;
  goOn(): void;
  close(): Promise<void>;
}

const author = {
  GIT_AUTHOR_NAME: 'Ada Example',
  GIT_AUTHOR_EMAIL: 'ada@example.test',
  GIT_COMMITTER_NAME: 'Ada Example',
  GIT_COMMITTER_EMAIL: 'ada@example.test',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

const git = (directory: string, ...args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: directory, ...author },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

/** Lets git's own program for servers answer a request. */
async function answer(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      ...author,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  const output = Buffer.concat(chunks);
  const end = output.indexOf('\r\n\r\n');
  const headers = output
    .subarray(0, end)
    .toString('utf8')
    .split('\r\n')
    .map((line) => line.split(': ') as [string, string]);
  const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200';
  response.writeHead(
    Number(status.slice(0, 3)),
    Object.fromEntries(headers.filter(([name]) => name.toLowerCase() !== 'status')),
  );
  response.end(output.subarray(end + 4));
}

/** Starts a git server. It needs the program git, and nothing else. */
export async function startGitServer(): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'git-server-'));
  const authorizations = new Set<string>();
  let password: string | undefined;
  let held: PromiseWithResolvers<void> | undefined;
  let waits: PromiseWithResolvers<void> | undefined;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization } = request.headers;
    if (authorization !== undefined) authorizations.add(authorization);
    if (held) {
      waits?.resolve();
      await held.promise;
    }
    if (
      password !== undefined &&
      Buffer.from(authorization?.split(' ')[1] ?? '', 'base64')
        .toString('utf8')
        .split(':')[1] !== password
    ) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="tests"' }).end();
      return;
    }
    if (request.url!.startsWith('/moved/'))
      response.writeHead(302, { location: request.url!.replace('/moved/', '/') }).end();
    else await answer(root, request, response);
  };
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  const goOn = (): void => {
    held?.resolve();
    held = undefined;
  };

  const work = (repository: string): string => {
    const directory = join(root, repository);
    try {
      git(directory, 'rev-parse', '--git-dir');
    } catch {
      mkdirSync(directory, { recursive: true });
      git(directory, 'init', '--quiet', '--initial-branch=main');
    }
    return directory;
  };

  return {
    host,
    authorizations,
    url: (repository) => `http://${host}/${repository}/.git`,
    path: (repository) => join(root, repository, '.git'),
    commit: (repository, message, files, branch = 'main') => {
      const directory = work(repository);
      if (git(directory, 'branch', '--show-current') !== branch) git(directory, 'checkout', '--quiet', '-B', branch);
      for (const [name, content] of Object.entries(files)) {
        const path = join(directory, name);
        mkdirSync(dirname(path), { recursive: true });
        if (content === null) rmSync(path);
        else writeFileSync(path, content, { mode: 0o755 });
      }
      git(directory, 'add', '--all');
      git(directory, 'commit', '--quiet', '--allow-empty', '--message', message);
      return git(directory, 'rev-parse', 'HEAD');
    },
    tag: (repository, name) => void git(work(repository), 'tag', name),
    require: (required) => {
      password = required;
    },
    hold: () => {
      held = Promise.withResolvers();
      waits = Promise.withResolvers();
      return waits.promise;
    },
    goOn,
    close: async () => {
      goOn();
      server.closeAllConnections();
      server.close();
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
