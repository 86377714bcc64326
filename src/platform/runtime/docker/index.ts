/** Services on a Docker engine in swarm mode. */

export { dumpDatabase, isDump, restoreDump } from './databases/database-dump.ts';
export { untestedDatabases } from './databases/databases.ts';
export { createDockerRuntime } from './docker-runtime.ts';
export {
  createDockerClient,
  createManagersClient,
  DockerAddressError,
  dockerDiskUsage,
  DockerError,
  dockerInfo,
  hostOfImage,
  inspectDockerDistribution,
  inspectDockerImage,
  isDockerError,
  isLeaderless,
  isThisMachine,
  leaderlessText,
  listDockerContainers,
  listDockerNodes,
  parseDockerAddress,
  requireTlsFiles,
  type DockerAddress,
  type DockerClient,
  type DockerInfo,
  type DockerNode,
  type DockerRegistryCredentials,
} from './engine/index.ts';
export { anyPlatform, anyProxy, isLabelledForProxy, labelFilter, platformLabels, proxyNodeLabel } from './labels.ts';
export { forwarderName } from './names.ts';
export { onEveryNode, unseenText } from './nodes/every-node.ts';
export { drainNode, type DrainPlan, planDrain } from './nodes/drain-node.ts';
export { agentImage, type AgentOfCluster } from './agent/settings.ts';
export { missingImage, notAllowed } from './agent/program/allowed-requests.ts';
export { fastHeartbeat, heartbeatOf, missedAfter } from './nodes/failover.ts';
export { fits, misfitOf } from './nodes/fitting-nodes.ts';
export { nodeName, restText, takesInstances } from './nodes/node-facts.ts';
export { placementOf } from './nodes/placement.ts';
export type { PlacementSettings } from './nodes/placement-rules.ts';
export { listPlatformObjects } from './cleanup/made-objects.ts';
export { type NodeAccess, openNodeAccess, withoutAgents } from './nodes/node-access.ts';
export { hostPorts, proxySettings, servesSecurely, type ProxySettings } from './proxy/settings.ts';
export { findRegistry, readRegistryState, type RegistryState } from './registry/registry-state.ts';
export { nodePort, registryHost, registrySettings, type RegistrySettings } from './registry/settings.ts';
export type { TerraformSettings } from './terraform/settings.ts';
