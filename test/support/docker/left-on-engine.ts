import {
  type DockerClient,
  listDockerConfigs,
  listDockerContainers,
  listDockerImages,
  listDockerNetworks,
  listDockerSecrets,
  listDockerServices,
  listDockerVolumes,
} from '../../../src/platform/runtime/docker/api/index.ts';

/**
 * Everything on an engine that a platform made, by its kind and name.
 * @param label that it has; default: that of all, those of the cluster itself included
 */
export async function leftOnEngine(docker: DockerClient, label = 'io.infra-mcp.platform'): Promise<string[]> {
  const filters = { label: [label] };
  const [services, secrets, configs, networks, volumes, containers, images] = await Promise.all([
    listDockerServices(docker, filters),
    listDockerSecrets(docker, filters),
    listDockerConfigs(docker, filters),
    listDockerNetworks(docker, filters),
    listDockerVolumes(docker, filters),
    listDockerContainers(docker, filters),
    listDockerImages(docker, filters),
  ]);
  return [
    ...services.map(({ Spec }) => `service ${Spec.Name}`),
    ...secrets.map(({ Spec }) => `secret ${Spec.Name}`),
    ...configs.map(({ Spec }) => `config ${Spec.Name}`),
    ...networks.map(({ Name: name }) => `network ${name}`),
    ...volumes.map(({ Name: name }) => `volume ${name}`),
    ...containers.map(({ Id: id }) => `container ${id}`),
    ...images.map(({ Id: id }) => `image ${id}`),
  ];
}

/** What an engine has of the services of an environment, without its network and volumes. */
export async function runningIn(docker: DockerClient, environmentId: string): Promise<unknown[]> {
  const filters = { label: [`io.infra-mcp.environment=${environmentId}`] };
  const found = await Promise.all([
    listDockerServices(docker, filters),
    listDockerContainers(docker, filters),
    listDockerSecrets(docker, filters),
    listDockerConfigs(docker, filters),
  ]);
  return found.flat();
}

/** The secrets and configs of a platform that no service uses. */
export async function unusedFiles(docker: DockerClient): Promise<string[]> {
  const filters = { label: ['io.infra-mcp.platform'] };
  const [services, secrets, configs] = await Promise.all([
    listDockerServices(docker, filters),
    listDockerSecrets(docker, filters),
    listDockerConfigs(docker, filters),
  ]);
  const used = new Set(
    services.flatMap(
      ({
        Spec: {
          TaskTemplate: {
            ContainerSpec: { Secrets = [], Configs = [] },
          },
        },
      }) => [...Secrets.map(({ SecretID: id }) => id), ...Configs.map(({ ConfigID: id }) => id)],
    ),
  );
  return [...secrets, ...configs].filter(({ ID: id }) => !used.has(id)).map(({ Spec }) => Spec.Name);
}

/**
 * What builds have left, which has no label: containers of their steps, and images without a name or with one that only
 * steps have.
 */
export async function leftOfBuilds(docker: DockerClient): Promise<string[]> {
  const [containers, unnamed, images] = await Promise.all([
    listDockerContainers(docker),
    listDockerImages(docker, { dangling: ['true'] }),
    listDockerImages(docker),
  ]);
  const ofBuilds = containers.filter(({ Labels }) => Labels['com.docker.swarm.task'] === undefined);
  return [
    ...ofBuilds.map(({ Id: id, Status }) => `container ${id} (${Status})`),
    ...unnamed
      .filter(({ RepoDigests: digests }) => digests === null || digests.length === 0)
      .map(({ Id: id }) => `image ${id}`),
    ...images
      .flatMap(({ RepoTags: names }) => names ?? [])
      .filter((name) => name.startsWith('infra-mcp-') && !name.startsWith('infra-mcp-test/')),
  ];
}
