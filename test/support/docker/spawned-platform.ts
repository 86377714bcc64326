import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Json, rowsOf } from '../test-platform.ts';
import type { TestEngine } from './docker-engine.ts';
import type { TestRegistry } from './docker-registry.ts';

const root = join(import.meta.dirname, '../../..');
const token = 'token-of-the-crash-test';

/** A platform in a process of its own, which can be killed and started again on the same directory. */
export interface SpawnedPlatform {
  /** Has the platform's records. */
  readonly dataDir: string;
  /** Its clusters file, in JSON. It is read at each start. */
  readonly clustersFile: string;
  /** Starts the platform as operators do. */
  readonly start: () => Promise<void>;
  /** The id of its process. */
  readonly pid: () => number;
  /** Ends it at once, with whatever it was doing. */
  readonly kill: () => Promise<void>;
  /** Sends a request. @throws Error with the answer, if it is refused */
  readonly call: (method: string, path: string, body?: Json) => Promise<Json>;
  /** The rows of a list. */
  rows(path: string): Promise<Json[]>;
  /** Creates an environment on the engine. @param name default: staging. @returns its id, and that of the registry */
  createEnvironment(name?: string): Promise<{ readonly environmentId: string; readonly registryId: string }>;
  end(): Promise<void>;
}

/** The engine that a platform uses, and a registry that services may name. */
interface SpawnedOn {
  readonly engine: Pick<TestEngine, 'address'>;
  readonly registry: Pick<TestRegistry, 'host'>;
}

/**
 * Prepares a platform on the engine and the registry of a test. It isn't started.
 * @param more further members of its clusters file
 * @param env further variables of its environment
 */
export async function prepareSpawnedPlatform(
  { engine, registry }: SpawnedOn,
  more: Json = {},
  env: Readonly<Record<string, string>> = {},
): Promise<SpawnedPlatform> {
  const directory = await mkdtemp(join(tmpdir(), 'killed-platform-'));
  const dataDir = join(directory, 'data');
  const clustersFile = join(directory, 'clusters.yaml');
  await writeFile(
    clustersFile,
    JSON.stringify({
      clusters: { local: { engine: engine.address } },
      registries: { tests: { url: `http://${registry.host}` } },
      ...more,
    }),
  );
  let program: ChildProcess | undefined;
  let url = '';

  const kill = async (): Promise<void> => {
    if (!program || program.exitCode !== null || program.signalCode !== null) return;
    const ended = once(program, 'exit');
    program.kill('SIGKILL');
    await ended;
  };

  const call: SpawnedPlatform['call'] = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Token ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} (${response.status}): ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Json;
  };
  const rows: SpawnedPlatform['rows'] = async (path) => rowsOf(await call('GET', path));

  return {
    dataDir,
    clustersFile,
    pid: () => program!.pid!,
    kill,
    call,
    rows,
    start: async () => {
      const child = spawn(
        process.execPath,
        [
          '--import',
          'tsx',
          join(root, 'src/main.ts'),
          'platform',
          '--runtime',
          'docker',
          '--clusters-file',
          clustersFile,
          '--data-dir',
          dataDir,
        ],
        {
          cwd: root,
          stdio: ['ignore', 'pipe', 'inherit'],
          // Tests ask for states more often than callers may.
          env: { ...process.env, INFRA_PLATFORM_TOKEN: token, INFRA_RATE_LIMIT: '1000000', ...env },
        },
      );
      program = child;
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      url = (JSON.parse(line) as { url: string }).url;
    },
    createEnvironment: async (name = 'staging') => {
      const [organization] = await rows('/organization');
      const path = `/organization/${String(organization!['id'])}`;
      const [cluster] = await rows(`${path}/cluster`);
      const tests = (await rows(`${path}/containerRegistry`)).find((one) => one['name'] === 'tests');
      const { id: project } =
        (await rows(`${path}/project`)).find((each) => each['name'] === 'shop') ??
        (await call('POST', `${path}/project`, { name: 'shop' }));
      const { id } = await call('POST', `/project/${String(project)}/environment`, {
        name,
        mode: 'STAGING',
        cluster: cluster!['id'],
      });
      return { environmentId: String(id), registryId: String(tests!['id']) };
    },
    end: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
