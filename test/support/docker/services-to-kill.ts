import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildDockerImage,
  pushDockerImage,
  removeDockerImage,
} from '../../../src/platform/runtime/docker/api/index.ts';
import type { GitServer } from '../git-server.ts';
import type { Json } from '../test-platform.ts';
import { shellSource } from './applications.ts';
import { type DockerPlatform, scriptContainer } from './docker-platform.ts';
import { scriptJob } from './script-job.ts';
import type { SpawnedPlatform } from './spawned-platform.ts';
import { tarOf } from './test-images.ts';

type Kind = 'container' | 'application' | 'database' | 'job';

/** A service that is deployed while the platform or the engine is killed. */
export interface ServiceToKill {
  readonly kind: Kind;
  readonly id: string;
  readonly environmentId: string;
  /** Gives the next deployment something to fetch, build or pull. */
  readonly renew: () => Promise<void>;
}

/** What is done to a service. */
export type ActionToKill = 'deploy' | 'restart' | 'stop';

const serves = 'exec httpd -f -p 8080 -h /bin';
const ports = [{ internal_port: 8080 }];
/** How much an image has that is pulled again, in bytes: enough for its pull to be interrupted. */
const layerBytes = 16 * 1024 * 1024;

/** The path of a service in the API. */
export const pathOf = ({ kind, id }: Pick<ServiceToKill, 'kind' | 'id'>): string => `/${kind}/${id}`;

/** Asks for something to be done to a service. */
export const requestFor = (
  { kind, id, environmentId }: ServiceToKill,
  action: ActionToKill,
): [path: string, body: Json] =>
  action === 'restart'
    ? [`/environment/${environmentId}/service/restart-service`, { [`${kind}_ids`]: [id] }]
    : [`/${kind}/${id}/${action}`, {}];

/** Pushes an image with a layer that the engine doesn't have. */
async function pushLarge({ engine, registry }: DockerPlatform, tag: string): Promise<void> {
  const directory = tmpdir();
  await writeFile(join(directory, 'layer'), randomBytes(layerBytes));
  await writeFile(join(directory, 'Dockerfile'), `FROM ${registry.host}/shell:1\nCOPY layer /layer\n`);
  const name = `${registry.host}/large:${tag}`;
  // oxlint-disable-next-line no-unused-vars
  for await (const _ of buildDockerImage(engine.docker, {
    context: tarOf('-C', directory, 'Dockerfile', 'layer'),
    tags: [name],
  }))
    continue;
  // oxlint-disable-next-line no-unused-vars
  for await (const _ of pushDockerImage(engine.docker, name)) continue;
  await removeDockerImage(engine.docker, name, { force: true });
}

const nothing = async (): Promise<void> => undefined;

/**
 * Creates services of every kind, two in each environment: the deployments of an environment wait for each other. Needs
 * the images `shell:1` and `redis:7.0`.
 */
export async function createServicesToKill(
  docker: DockerPlatform,
  program: SpawnedPlatform,
  git: GitServer,
): Promise<readonly ServiceToKill[]> {
  const create = async (
    kind: Kind,
    environmentId: string,
    name: string,
    body: Json,
    renew = nothing,
  ): Promise<ServiceToKill> => ({
    kind,
    environmentId,
    renew,
    id: String((await program.call('POST', `/environment/${environmentId}/${kind}`, { name, ...body }))['id']),
  });

  const container = async (environment: string, registryId: string): Promise<ServiceToKill> => {
    const service = await create('container', environment, 'web', scriptContainer(registryId, serves, { ports }));
    await program.call('POST', `${pathOf(service)}/secret`, { key: 'PASSWORD', value: 'a secret of the crash test' });
    return service;
  };
  const pulled = async (environment: string, registryId: string): Promise<ServiceToKill> => {
    let version = 0;
    const body = (): Json => ({
      name: 'large',
      ...scriptContainer(registryId, serves, { image_name: 'large', tag: String(version), ports }),
    });
    await pushLarge(docker, '0');
    const service: ServiceToKill = await create('container', environment, 'large', body(), async () => {
      await pushLarge(docker, String((version += 1)));
      await program.call('PUT', pathOf(service), body());
    });
    return service;
  };
  const application = async (environment: string): Promise<ServiceToKill> => {
    const name = `app-${environment.slice(0, 8)}`;
    let version = 0;
    const commit = (): unknown =>
      git.commit(
        name,
        `Version ${(version += 1)}`,
        shellSource(serves, `RUN echo "building ${version}"; sleep 1\nRUN echo "almost"; sleep 1`),
      );
    commit();
    return create(
      'application',
      environment,
      name,
      { git_repository: { url: git.url(name) }, cpu: 100, memory: 64, healthchecks: {}, ports },
      async () => void commit(),
    );
  };
  const database = (environment: string) =>
    create('database', environment, 'cache', {
      type: 'REDIS',
      version: '7.0',
      mode: 'CONTAINER',
      cpu: 250,
      memory: 64,
      storage: 1,
    });
  const job = (environment: string, registryId: string) =>
    create('job', environment, 'migration', scriptJob(registryId, 'echo "run of $HOSTNAME"; sleep 2'));

  const services: ServiceToKill[] = [];
  for (const [index, beside] of [pulled, application, database, job, application].entries()) {
    const { environmentId, registryId } = await program.createEnvironment(`environment-${index}`);
    services.push(await container(environmentId, registryId), await beside(environmentId, registryId));
  }
  return services;
}
