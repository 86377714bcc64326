/** Services on a Docker engine in swarm mode. */

export { dumpDatabase, isDump, restoreDatabase } from './database-dump.ts';
export { untestedDatabases } from './databases.ts';
export { createDockerRuntime } from './docker-runtime.ts';
export {
  createDockerClient, DockerAddressError, dockerDiskUsage, DockerError, dockerInfo, inspectDockerDistribution, inspectDockerImage, isDockerError, isThisMachine, listDockerContainers, listDockerNodes, parseDockerAddress, type DockerAddress, type DockerClient,
  type DockerInfo, type DockerNode, type DockerRegistryCredentials,
} from './engine/index.ts';
export { anyProxy, labelFilter, platformLabels } from './labels.ts';
export { listPlatformObjects } from './made-objects.ts';
export { hostPorts, proxySettings, type ProxySettings } from './proxy/settings.ts';
