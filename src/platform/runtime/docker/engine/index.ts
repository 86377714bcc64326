/** The client of one Docker engine. */

export { DockerAddressError, isThisMachine, parseDockerAddress, type DockerAddress } from './address.ts';
export { newestDockerApi, oldestDockerApi } from './api-version.ts';
export { createDockerClient, type DockerCall, type DockerClient } from './client.ts';
export { copyToDockerContainer, createDockerContainer, inspectDockerContainer, listDockerContainers, removeDockerContainer, startDockerContainer, stopDockerContainer, waitForDockerContainer, type DockerContainer, type DockerContainerCreation } from './containers.ts';
export { DockerError, isDockerError } from './errors.ts';
export { execInDockerContainer } from './exec.ts';
export { buildDockerImage, inspectDockerImage, listDockerImages, pruneDockerImages, pullDockerImage, pushDockerImage, removeDockerImage, splitImageName, tagDockerImage, type DockerBuild, type DockerImage, type DockerImageSummary } from './images.ts';
export { dockerFrames, type DockerFrame } from './log-frames.ts';
export { dockerLogLines, type DockerLogLine } from './log-lines.ts';
export { readDockerContainerLogs, readDockerServiceLogs, readDockerTaskLogs } from './logs.ts';
export { connectToDockerNetwork, createDockerNetwork, deleteDockerNetwork, disconnectFromDockerNetwork, inspectDockerNetwork, listDockerNetworks } from './networks.ts';
export { type DockerFilters } from './paths.ts';
export { inspectDockerDistribution, type DockerRegistryCredentials } from './registry.ts';
export { createDockerConfig, createDockerSecret, deleteDockerConfig, deleteDockerSecret, listDockerConfigs, listDockerSecrets, type DockerFileSpec } from './secrets.ts';
export type { DockerContainerSpec, DockerHealthcheck, DockerLabels, DockerMount, DockerServiceSpec } from './service-spec.ts';
export { createDockerService, deleteDockerService, inspectDockerService, listDockerServices, updateDockerService, type DockerService } from './services.ts';
export { type DockerProgress } from './streams.ts';
export { dockerDiskUsage, dockerInfo, inspectDockerNode, inspectDockerSwarm, listDockerNodes, type DockerInfo, type DockerNode } from './system.ts';
export { listDockerTasks, type DockerTask } from './tasks.ts';
export { createDockerVolume, deleteDockerVolume, inspectDockerVolume, listDockerVolumes } from './volumes.ts';
