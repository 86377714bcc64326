/** The client of one Docker engine, or of the managers of one swarm. */

export { requireTlsFiles } from './connection.ts';
export { DockerAddressError, isThisMachine, parseDockerAddress, type DockerAddress } from './address.ts';
export { newestDockerApi, oldestDockerApi } from './api-version.ts';
export { createDockerClient, type DockerCall, type DockerClient } from './client.ts';
export {
  attachToDockerContainer,
  copyFromDockerContainer,
  copyToDockerContainer,
  createDockerContainer,
  dockerContainerStats,
  inspectDockerContainer,
  listDockerContainers,
  removeDockerContainer,
  removeEndedDockerContainer,
  startDockerContainer,
  stopDockerContainer,
  waitForDockerContainer,
  type DockerContainer,
  type DockerContainerCreation,
  type DockerContainerStats,
} from './containers.ts';
export { DockerError, ignoring, isDockerAway, isDockerError, isLeaderless, leaderlessText } from './errors.ts';
export { execInDockerContainer } from './exec.ts';
export {
  buildDockerImage,
  hostOfImage,
  inspectDockerImage,
  listDockerImages,
  pruneDockerImages,
  pullDockerImage,
  pushDockerImage,
  removeDockerImage,
  splitImageName,
  tagDockerImage,
  type DockerBuild,
  type DockerImage,
  type DockerImageSummary,
} from './images.ts';
export { dockerFrames, type DockerFrame } from './log-frames.ts';
export {
  dockerLogLines,
  type DockerLogLine,
  type DockerLogSelection,
  readDockerContainerLogs,
  readDockerServiceLogs,
  readDockerTaskLogs,
} from './logs.ts';
export { createManagersClient, type SwarmMemory } from './managers.ts';
export {
  connectToDockerNetwork,
  createDockerNetwork,
  deleteDockerNetwork,
  disconnectFromDockerNetwork,
  inspectDockerNetwork,
  listDockerNetworks,
} from './networks.ts';
export { type DockerFilters } from './paths.ts';
export { inspectDockerDistribution, type DockerRegistryCredentials } from './registry.ts';
export {
  createDockerConfig,
  createDockerSecret,
  createOrFind,
  deleteDockerConfig,
  deleteDockerSecret,
  listDockerConfigs,
  listDockerSecrets,
  type DockerFileSpec,
} from './secrets.ts';
export {
  replicasOf,
  type DockerContainerSpec,
  type DockerHealthcheck,
  type DockerLabels,
  type DockerMount,
  type DockerServiceSpec,
} from './service-spec.ts';
export {
  createDockerService,
  deleteDockerService,
  inspectDockerService,
  listDockerServices,
  updateDockerService,
  type DockerService,
} from './services.ts';
export { type DockerProgress } from './streams.ts';
export {
  addressOfNode,
  dockerDiskUsage,
  dockerInfo,
  inspectDockerNode,
  inspectDockerSwarm,
  listDockerNodes,
  updateDockerNode,
  updateDockerSwarm,
  type DockerInfo,
  type DockerNode,
} from './system.ts';
export { listDockerTasks, type DockerTask } from './tasks.ts';
export { createDockerVolume, deleteDockerVolume, inspectDockerVolume, listDockerVolumes } from './volumes.ts';
