import {
  createDockerConfig,
  createDockerContainer,
  createDockerNetwork,
  createDockerSecret,
  createDockerService,
  createDockerVolume,
  type DockerClient,
  listDockerConfigs,
  listDockerContainers,
  listDockerImages,
  listDockerNetworks,
  listDockerSecrets,
  listDockerServices,
  listDockerVolumes,
  startDockerContainer,
  tagDockerImage,
} from '../../../src/platform/runtime/docker/api/index.ts';
import { systemRandom } from '../../../src/platform/common/index.ts';

/**
 * Everything on an engine, by kind, name and version: a change of anything shows. Containers of services are left out.
 */
export async function everythingOn(docker: DockerClient): Promise<string[]> {
  const [services, secrets, configs, networks, volumes, containers, images] = await Promise.all([
    listDockerServices(docker),
    listDockerSecrets(docker),
    listDockerConfigs(docker),
    listDockerNetworks(docker),
    listDockerVolumes(docker),
    listDockerContainers(docker),
    listDockerImages(docker),
  ]);
  return [
    ...services.map(({ Spec, Version }) => `service ${Spec.Name} ${Version.Index}`),
    ...secrets.map(({ Spec, Version }) => `secret ${Spec.Name} ${Version.Index}`),
    ...configs.map(({ Spec, Version }) => `config ${Spec.Name} ${Version.Index}`),
    ...networks.map(({ Id, Name }) => `network ${Name} ${Id}`),
    ...volumes.map(({ Name, CreatedAt }) => `volume ${Name} ${CreatedAt}`),
    ...containers
      .filter(({ Labels }) => !('com.docker.swarm.task.id' in Labels))
      .map(({ Id, State }) => `container ${Id} ${State}`),
    ...images.flatMap(({ RepoTags }) => (RepoTags ?? []).map((tag) => `image ${tag}`)),
  ].toSorted();
}

/**
 * Makes one of everything that an engine can have, once as a stranger does, with names like ours and no label, and once
 * as another platform does, for an environment and a service that no record of ours knows.
 * @param image of a program that runs until it is ended, as `command`
 */
export async function makeForeignObjects(
  docker: DockerClient,
  image: string,
  command: readonly string[],
): Promise<void> {
  const content = Buffer.from('not ours');
  for (const isPlatforms of [false, true]) {
    const [service, environment] = [systemRandom.uuid(), systemRandom.uuid()];
    const name = `infra-${service}`;
    const labels: Record<string, string> = isPlatforms
      ? {
          'io.infra-mcp.platform': systemRandom.uuid(),
          'io.infra-mcp.environment': environment,
          'io.infra-mcp.service': service,
        }
      : {};
    await Promise.all([
      createDockerSecret(docker, { name, labels, content }),
      createDockerConfig(docker, { name, labels, content }),
      createDockerVolume(docker, name, labels),
      createDockerNetwork(docker, { Name: `infra-${environment}`, Driver: 'overlay', Labels: labels }),
      createDockerService(docker, {
        Name: name,
        Labels: labels,
        TaskTemplate: { ContainerSpec: { Image: image, Command: command, Init: true, Labels: labels } },
        Mode: { Replicated: { Replicas: 1 } },
      }),
      createDockerContainer(docker, `${name}-container`, {
        Image: image,
        Entrypoint: command,
        Labels: labels,
        HostConfig: { Init: true },
      }).then((id) => startDockerContainer(docker, id)),
      tagDockerImage(docker, image, `${name}:1`),
    ]);
  }
}
