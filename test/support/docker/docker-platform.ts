import type { Condition } from '../../../src/contract/index.ts';
import { createDockerRuntime } from '../../../src/platform/runtime/docker/docker-runtime.ts';
import { pushDockerImage, tagDockerImage } from '../../../src/platform/runtime/docker/api/index.ts';
import type { RealClusters } from '../../../src/platform/index.ts';
import { conditionsIn } from '../conditions.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../test-platform.ts';
import { startTestEngine, type TestEngine } from './docker-engine.ts';
import { startTestRegistry, type TestRegistry } from './docker-registry.ts';
import { buildProxyImage, buildTestImage, proxyImage } from './test-images.ts';
import { seenAtLast } from '../eventually.ts';

/** A platform whose only cluster is an engine that the test started, with a registry and an environment. */
export interface DockerPlatform {
  readonly engine: TestEngine;
  readonly registry: TestRegistry;
  readonly platform: TestPlatform;
  readonly environmentId: string;
  /** Adds another environment. @returns its id */
  environment(name: string): Promise<string>;
  /** Builds an image of `test/images` and pushes it to the registry. */
  publish(image: string, tag: string): Promise<void>;
  /** Creates a container of the image `shell:1` that runs a script. @returns its id */
  container(name: string, script: string, more?: Json): Promise<string>;
  /**
   * Deploys, restarts, stops or deletes a service, and waits for the end.
   * @param kind default: a container
   * @returns its status; a deleted one has none
   */
  act(action: 'deploy' | 'restart' | 'stop' | 'delete', id: string, kind?: 'container' | 'database'): Promise<Json>;
  /** Changes members of a container's configuration. */
  change(id: string, members: Json): Promise<void>;
  /** The address of the registry in the platform. */
  readonly registryId: string;
  /** The messages of the newest log lines of a service. @param kind default: a container */
  messages(id: string, kind?: 'container' | 'database'): Promise<string[]>;
  /** The conditions that were told with these lines. */
  conditions(id: string, kind?: 'container' | 'database'): Promise<readonly Condition[]>;
  /** Ends the platform and starts another one on its records. */
  restartPlatform(): Promise<void>;
  end(): Promise<void>;
}

const isSettled = (state: unknown): boolean =>
  typeof state === 'string' && /^(?:READY|DEPLOYED|RUNNING|RESTARTED|STOPPED|CANCELED|.*_ERROR)$/.test(state);

/**
 * A script that needs 48 MB at once, a moment after its start: engines lose what the kernel told them about a container
 * that ends immediately, and an instance that lives for two seconds counts as running. With a tenth of a CPU it would
 * live longer.
 */
export const exceedsMemory = 'sleep 0.5; exec dd if=/dev/zero of=/dev/null bs=48M count=1';

/** What a service has that runs `exceedsMemory`. */
export const littleMemory = { memory: 16, cpu: 1000 } as const;

/** The configuration of a container that runs a script in busybox. */
export const scriptContainer = (registryId: string, script: string, more: Json = {}): Json => ({
  registry_id: registryId,
  image_name: 'shell',
  tag: '1',
  cpu: 100,
  memory: 64,
  entrypoint: '/bin/sh',
  arguments: ['-c', script],
  healthchecks: {},
  ...more,
});

/** Options of a test's platform, and of its runtime. */
interface DockerPlatformOptions extends Partial<Parameters<typeof createDockerRuntime>[0]> {
  /** The cluster that rules name is `local`. */
  readonly alerts?: RealClusters['alerts'];
  readonly prometheus?: RealClusters['prometheus'];
  /** What the platform knows beside the registry of the tests. */
  readonly registries?: RealClusters['registries'];
}

/**
 * Starts an engine, a registry, and a platform on them. Only in the docker suite. Without `proxy`, services with public
 * ports can't be run.
 */
export async function startDockerPlatform({
  proxy,
  registries = [],
  alerts,
  prometheus,
  ...runtime
}: DockerPlatformOptions = {}): Promise<DockerPlatform> {
  const engine = await startTestEngine();
  if (proxy) await buildProxyImage(engine.docker);
  const registry = await startTestRegistry();
  const databaseImages = {
    postgresql: `${registry.host}/postgres`,
    redis: `${registry.host}/redis`,
    'redis:0.0': `${registry.host}/shell:1`,
  };
  let platform = await startTestPlatform({
    timeScale: 1,
    realClusters: {
      alerts,
      prometheus,
      clusters: [
        {
          name: 'local',
          description: 'An engine of the tests.',
          version: 'docker',
          createRuntime: (parts) =>
            createDockerRuntime({
              docker: engine.docker,
              databaseImages,
              ...(proxy && { proxy: { image: proxyImage, ...proxy } }),
              ...parts,
              ...runtime,
            }),
        },
      ],
      registries: [{ name: 'tests', kind: 'GENERIC_CR', url: `http://${registry.host}` }, ...registries],
    },
  });
  const { organizationId } = platform;
  const [cluster] = (await platform.must('list_clusters', { organization_id: organizationId }))['results'] as Json[];
  const registryRow = (
    (await platform.must('list_container_registries', { organization_id: organizationId }))['results'] as Json[]
  ).find(({ name }) => name === 'tests');
  const project = await platform.must('create_project', { organization_id: organizationId, name: 'shop' });
  const environment = async (name: string): Promise<string> => {
    const { id } = await platform.must('create_environment', {
      project_id: project['id'],
      name,
      mode: 'STAGING',
      cluster_id: cluster!['id'],
    });
    return String(id);
  };
  const environmentId = await environment('staging');

  const publish = async (image: string, tag: string): Promise<void> => {
    const id = await buildTestImage(engine.docker, image);
    const name = `${registry.host}/${image}:${tag}`;
    await tagDockerImage(engine.docker, id, name);
    // oxlint-disable-next-line no-unused-vars
    for await (const _ of pushDockerImage(engine.docker, name)) continue;
  };

  const request = (
    action: Parameters<DockerPlatform['act']>[0],
    id: string,
    kind: 'container' | 'database',
  ): Promise<Json> => {
    if (action === 'restart')
      return platform.must('restart_services', { environment_id: environmentId, [`${kind}_ids`]: [id] });
    return platform.must(`${action}_${kind}`, { [`${kind}_id`]: id });
  };

  const lines = async (id: string, kind = 'container'): Promise<Json[]> =>
    rowsOf(await platform.must(`get_${kind}_logs` as 'get_container_logs', { [`${kind}_id`]: id }));

  const registryId = String(registryRow!['id']);

  return {
    engine,
    registry,
    registryId,
    environmentId,
    environment,
    publish,
    get platform() {
      return platform;
    },
    restartPlatform: async () => {
      platform = await platform.restart();
    },
    container: async (name, script, more = {}) => {
      const created = await platform.must('create_container', {
        environment_id: environmentId,
        name,
        ...scriptContainer(registryId, script, more),
      });
      return String(created['id']);
    },
    change: async (id, members) => {
      const { name, ...present } = await platform.must('get_container', { container_id: id });
      const kept = Object.fromEntries(
        [
          'registry_id',
          'image_name',
          'tag',
          'cpu',
          'memory',
          'entrypoint',
          'arguments',
          'healthchecks',
          'min_running_instances',
          'max_running_instances',
          'storage',
          'ports',
        ].map((key) => [key, present[key]]),
      );
      await platform.must('update_container', { container_id: id, name, ...kept, ...members });
    },
    act: async (action, id, kind = 'container') => {
      await request(action, id, kind);
      const { status: code, body } = await seenAtLast(
        () => platform.call(`get_${kind}_status`, { [`${kind}_id`]: id }),
        ({ status, body: { state } }) =>
          status === 404 || (action === 'delete' ? state === 'DELETE_ERROR' : isSettled(state)),
        200,
      );
      return code === 404 ? {} : body;
    },
    messages: async (id, kind) => (await lines(id, kind)).map(({ message }) => String(message)),
    conditions: async (id, kind) => conditionsIn(await lines(id, kind)),
    end: async () => {
      await platform.close();
      await registry.end();
      await engine.end();
    },
  };
}
