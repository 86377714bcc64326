import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import {
  buildDockerImage,
  type DockerClient,
  inspectDockerImage,
} from '../../../src/platform/runtime/docker/api/index.ts';
import { postgresFolders } from '../postgres/installed.ts';

const images = join(import.meta.dirname, '../../images');

/** A tar archive of folders and files. @param parts arguments of tar, such as `-C`, a folder and names in it */
export function tarOf(...parts: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync('tar', ['--create', '--owner=0', '--group=0', ...parts], {
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`tar failed: ${stderr.toString('utf8')}`);
  return stdout;
}

const { programs: postgres, others: postgresOthers } = postgresFolders;

/** What images have of this machine beside busybox: programs, which bring their libraries along, and folders. */
const taken: Readonly<
  Record<
    string,
    {
      readonly programs: readonly string[];
      readonly others?: readonly string[];
      /** Programs for its first folder, whose libraries stay where they are. */ readonly atRoot?: readonly string[];
    }
  >
> = {
  postgres: {
    programs: [
      ...['postgres', 'initdb', 'pg_ctl', 'createdb', 'psql', 'pg_dump', 'pg_dumpall', 'pg_restore'].map(
        (name) => `${postgres}/bin/${name}`,
      ),
      `${postgres}/lib/plpgsql.so`,
      `${postgres}/lib/dict_snowball.so`,
      '/usr/bin/redis-cli',
    ],
    others: [postgresOthers],
  },
  proxy: { programs: ['/usr/bin/caddy'] },
  registry: { programs: ['/usr/bin/docker-registry'] },
  node: { programs: [], atRoot: [process.execPath] },
  // Debian's server is the same program by another name.
  redis: { programs: ['/usr/bin/redis-check-rdb'] },
};

/** A program and the libraries that it needs. @throws Error if it isn't there */
function withLibraries(program: string): readonly string[] {
  const { status, stdout, stderr } = spawnSync('ldd', [program], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ldd ${program} failed: ${stderr.trim()}`);
  return [program, ...[...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!)];
}

/**
 * The build context of an image in `test/images`: its files, Debian's static busybox, and what it has of this machine
 * at the same paths.
 */
export function testImageContext(name: string): Buffer {
  const { programs, others = [], atRoot = [] } = taken[name] ?? { programs: [] };
  const paths = new Set([
    ...programs.flatMap(withLibraries),
    ...others,
    ...atRoot.flatMap((program) => withLibraries(program).slice(1)),
  ]);
  return tarOf(
    '--dereference',
    '-C',
    join(images, name),
    '.',
    '-C',
    '/usr/bin',
    'busybox',
    ...atRoot.flatMap((program) => ['-C', dirname(program), basename(program)]),
    ...(paths.size > 0 ? ['-C', '/'] : []),
    ...[...paths].map((path) => path.slice(1)),
  );
}

/** What a program of this machine needs beside itself, as paths without the first slash. */
const librariesOf = (program: string): string[] => {
  const { status, stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ldd ${program} failed.`);
  return [...stdout.matchAll(/(?:^|\s)\/(\S+) \(0x/g)].map(([, path]) => path!);
};

/** The name of the image that `buildProxyImage` builds. */
export const proxyImage = 'infra-mcp-test/proxy:1';

/** Builds the image of the proxy that serves public ports, from Debian's Caddy. */
export async function buildProxyImage(docker: DockerClient): Promise<void> {
  const context = tarOf(
    '--dereference',
    '-C',
    join(images, 'proxy'),
    'Dockerfile',
    '-C',
    '/',
    'usr/bin/caddy',
    ...librariesOf('/usr/bin/caddy'),
  );
  // oxlint-disable-next-line no-unused-vars
  for await (const _ of buildDockerImage(docker, { context, tags: [proxyImage] })) continue;
}

/**
 * Builds an image of `test/images`.
 * @param tag default: the name of its folder.
 * @returns the id of the image: services that name it pull nothing
 */
export async function buildTestImage(
  docker: DockerClient,
  name: string,
  tag = `infra-mcp-test/${name}:1`,
): Promise<string> {
  // oxlint-disable-next-line no-unused-vars
  for await (const _ of buildDockerImage(docker, { context: testImageContext(name), tags: [tag] })) continue;
  return (await inspectDockerImage(docker, tag)).Id;
}
