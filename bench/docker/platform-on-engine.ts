import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type DockerClient, pushDockerImage } from '../../src/platform/runtime/docker/api/index.ts';
import { terminalOutcome } from '../../src/contract/index.ts';
import { startTestEngine, type TestEngine } from '../../test/support/docker/docker-engine.ts';
import { startTestRegistry } from '../../test/support/docker/docker-registry.ts';
import { buildTestImage } from '../../test/support/docker/test-images.ts';
import { connectDirect, type DirectClient } from '../clients/direct-client.ts';
import type { BundledProgram } from '../program.ts';
import { type PlatformProcess, startPlatformProcess } from '../server-processes.ts';

type Row = Readonly<Record<string, unknown>>;

/** What a platform runs containers on. */
export interface EngineParts {
  readonly docker: DockerClient;
  /** The cluster in the clusters file. */
  readonly cluster: Row;
  /** The image that the services have, with its registry. */
  readonly image: string;
}

/** The bundled platform in a process of its own. */
export interface PlatformOnNodes {
  readonly docker: DockerClient;
  readonly platform: PlatformProcess;
  readonly direct: DirectClient;
  /** An empty environment on the engine. */
  readonly environmentId: string;
  /** The image that the services have, with its registry. */
  readonly image: string;
  /** Creates a container of that image, which waits until it is told to end. @returns its id */
  readonly createContainer: (name: string) => Promise<string>;
  readonly end: () => Promise<void>;
}

/** The same on an engine and a registry that were started for it. */
export interface PlatformOnEngine extends PlatformOnNodes {
  readonly engine: TestEngine;
}

/** What the containers run: it ends at once when it is told to. */
export const waitingProgram = ['sleep', '1000000'] as const;

/** The limits of the containers: thousandths of a CPU, and MiB. */
export const containerLimits = { cpu: 100, memory: 16 } as const;

const rowsOf = (list: Row): readonly Row[] => list['results'] as Row[];

/** Starts a platform with one empty environment. */
export async function startPlatformOn(
  program: BundledProgram,
  { docker, cluster, image }: EngineParts,
): Promise<PlatformOnNodes> {
  const [registryHost] = image.split('/');
  const directory = await program.directory('platform');
  const clustersFile = join(directory, 'clusters.yaml');
  // JSON is YAML too.
  await writeFile(
    clustersFile,
    JSON.stringify({ clusters: { local: cluster }, registries: { bench: { url: `http://${registryHost}` } } }),
  );
  const platform = await startPlatformProcess(program, directory, 1, {
    INFRA_RUNTIME: 'docker',
    INFRA_CLUSTERS_FILE: clustersFile,
  });
  const direct = connectDirect(platform.url, platform.token, 8);
  const { organization_id } = platform.ids;
  const [first] = rowsOf(await direct.call('list_clusters', { organization_id }));
  const registryRow = rowsOf(await direct.call('list_container_registries', { organization_id })).find(
    ({ name }) => name === 'bench',
  );
  const { id: project_id } = await direct.call('create_project', { organization_id, name: 'bench' });
  const { id: environment_id } = await direct.call('create_environment', {
    project_id,
    cluster_id: first!['id'],
    name: 'bench',
    mode: 'STAGING',
  });
  const [entrypoint, ...args] = waitingProgram;
  return {
    docker,
    platform,
    direct,
    environmentId: String(environment_id),
    image,
    createContainer: async (name) =>
      String(
        (
          await direct.call('create_container', {
            environment_id,
            name,
            registry_id: registryRow!['id'],
            image_name: 'shell',
            tag: '1',
            ...containerLimits,
            entrypoint,
            arguments: args,
            healthchecks: {},
          })
        )['id'],
      ),
    end: async () => {
      await direct.close();
      await platform.close();
    },
  };
}

/** Starts an engine, a registry and a platform. */
export async function startPlatformOnEngine(program: BundledProgram): Promise<PlatformOnEngine> {
  const engine = await startTestEngine();
  const { docker } = engine;
  const registry = await startTestRegistry();
  const image = `${registry.host}/shell:1`;
  await buildTestImage(docker, 'shell', image);
  for await (const message of pushDockerImage(docker, image)) void message;
  const platform = await startPlatformOn(program, { docker, image, cluster: { engine: engine.address } });
  return {
    ...platform,
    engine,
    end: async () => {
      await platform.end();
      await registry.end();
      await engine.end();
    },
  };
}

/** How often to ask whether something has come about, in milliseconds. */
const pollMilliseconds = 20;

/** How long anything may take, in milliseconds: more than a hundred services need on a busy machine. */
export const longestWait = 600_000;

/** Waits until something is there. @throws Error if that takes too long */
export async function until<Value>(find: () => Promise<Value | undefined>): Promise<Value> {
  for (const end = Date.now() + longestWait; ;) {
    if (Date.now() > end) throw new Error(`Waited ${longestWait / 60_000} minutes in vain.`);
    // Each attempt follows the one before.
    const found = await find();
    if (found !== undefined) return found;
    await pause(pollMilliseconds);
  }
}

/** Waits until a container is deployed, as the API tells. @throws Error if its deployment failed */
export const untilDeployed = ({ direct }: Pick<PlatformOnNodes, 'direct'>, container_id: string): Promise<true> =>
  until(async () => {
    const { state, service_deployment_status: status } = await direct.call('get_container_status', { container_id });
    if (state === 'DEPLOYED' && status === 'UP_TO_DATE') return true;
    if (terminalOutcome('DEPLOY', String(state)) === 'bad')
      throw new Error(`The container ${container_id} is ${String(state)}.`);
    return undefined;
  });
