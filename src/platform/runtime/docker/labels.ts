import type { ServiceToRun, Task } from '../index.ts';
import type { DockerFilters, DockerLabels } from './api/index.ts';
import { proxyName } from './names.ts';

/** The labels of every object that a platform creates on an engine. Objects without them are never touched. */
const label = {
  platform: 'io.infra-mcp.platform',
  environment: 'io.infra-mcp.environment',
  service: 'io.infra-mcp.service',
  deployment: 'io.infra-mcp.deployment',
  fence: 'io.infra-mcp.fence',
  stopped: 'io.infra-mcp.stopped',
  routes: 'io.infra-mcp.routes',
  proxy: 'io.infra-mcp.proxy',
  registry: 'io.infra-mcp.registry',
  made: 'io.infra-mcp.made',
  host: 'io.infra-mcp.host',
  readOnly: 'io.infra-mcp.read-only',
  cleaned: 'io.infra-mcp.cleaned',
  agent: 'io.infra-mcp.agent',
  agentUntil: 'io.infra-mcp.agent-until',
  leaving: 'io.infra-mcp.leaving',
  resumed: 'io.infra-mcp.resumed',
  run: 'io.infra-mcp.run',
  runOf: 'io.infra-mcp.run-of',
} as const;

/** The labels with which engines record the service and the task of a container. */
export const engineServiceLabel = 'com.docker.swarm.service.id';
export const engineTaskLabel = 'com.docker.swarm.task.id';

/** The label of every object that a platform created. */
export const platformLabels = (platformId: string): DockerLabels => ({ [label.platform]: platformId });

/** The labels of a platform's proxy. @param made identifies what it was created from */
export const proxyLabels = (platformId: string, made: string): DockerLabels => ({
  ...platformLabels(platformId),
  [label.proxy]: made,
});

/** The label that an operator gives to the nodes on which the proxy should run. */
export const proxyNodeLabel = `${label.proxy}=true`;

/** Whether the proxy should run on a node with these labels. */
export const isLabelledForProxy = (labels: DockerLabels | undefined): boolean => labels?.[label.proxy] === 'true';

/**
 * Finds the proxies of every platform. Their names count too: a container also has the labels of its image, which
 * anyone can choose.
 */
export const anyProxy: DockerFilters = { label: [label.proxy], name: [proxyName('')] };

/** Returns what a proxy was created from; undefined if it isn't labelled. */
export const labelledProxy = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.proxy];

/**
 * The parts of a cluster's own registry: the one that stores the images, the one that forwards to it on every node, and
 * the one that cleans it.
 */
export type RegistryPart = 'registry' | 'forwarder' | 'cleaner';

/** The labels of a part of a platform's registry. */
export const registryLabels = (platformId: string, part: RegistryPart): DockerLabels => ({
  ...platformLabels(platformId),
  [label.registry]: part,
});

/** Finds the parts of the registries of every platform. */
export const anyRegistry: DockerFilters = { label: [label.registry] };

/** Returns which part of a registry an object is; undefined if it is none. */
export const labelledRegistryPart = (labels: DockerLabels | null | undefined): string | undefined =>
  labels?.[label.registry];

/** The recorded facts of a part of a registry. */
export interface RegistryFacts {
  /** Identifies what it was created from. */
  readonly made: string;
  /** The first part of the names of its images. */
  readonly host: string;
  readonly isReadOnly: boolean;
  /** When it was last cleaned, or created, in milliseconds since the epoch. */
  readonly cleanedAt: number;
}

/** Adds the facts of a part of a registry to labels. */
export const withRegistryFacts = (
  labels: DockerLabels,
  { made, host, isReadOnly, cleanedAt }: RegistryFacts,
): DockerLabels => ({
  ...labels,
  [label.made]: made,
  [label.host]: host,
  [label.readOnly]: String(isReadOnly),
  [label.cleaned]: String(cleanedAt),
});

/** Reads the facts of a part of a registry from labels. */
export const registryFactsOf = (labels: DockerLabels | null | undefined): RegistryFacts => ({
  made: labels?.[label.made] ?? '',
  host: labels?.[label.host] ?? '',
  isReadOnly: labels?.[label.readOnly] === 'true',
  cleanedAt: Number(labels?.[label.cleaned] ?? 0),
});

/** The labels of objects of a platform's agents. @param made identifies what it was created from */
export const agentLabels = (platformId: string, made: string): DockerLabels => ({
  ...platformLabels(platformId),
  [label.agent]: made,
});

/** Finds the objects of a platform's agents. */
export const anyAgentOf = (platformId: string): DockerFilters => ({
  label: [...labelFilter(platformLabels(platformId)).label!, label.agent],
});

/** Returns what an object of the agents was created from; undefined if it isn't labelled. */
export const labelledAgent = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.agent];

/** Adds the expiry of the agents' certificate to labels. @param until milliseconds since the epoch */
export const withAgentUntil = (labels: DockerLabels, until: number): DockerLabels => ({
  ...labels,
  [label.agentUntil]: new Date(until).toISOString(),
});

/** Returns when the agents' certificate expires, in milliseconds since the epoch; 0 if it isn't known. */
export const agentUntil = (labels: DockerLabels | null | undefined): number =>
  Date.parse(labels?.[label.agentUntil] ?? '') || 0;

/** The labels of an environment's objects. */
export const environmentLabels = (platformId: string, environmentId: string): DockerLabels => ({
  ...platformLabels(platformId),
  [label.environment]: environmentId,
});

/** The labels of a service's objects. */
export const serviceLabels = (
  platformId: string,
  { id, environmentId }: Pick<ServiceToRun, 'id' | 'environmentId'>,
): DockerLabels => ({ ...environmentLabels(platformId, environmentId), [label.service]: id });

/** The labels of the objects that one deployment of a service created. */
export const deploymentLabels = (
  platformId: string,
  { service, deploymentId }: Pick<Task, 'service' | 'deploymentId'>,
): DockerLabels => ({ ...serviceLabels(platformId, service), [label.deployment]: deploymentId });

/**
 * The labels of objects of a one-time run for a service, which is none of its instances.
 * @param runId unique to the run
 */
export const runLabels = (
  platformId: string,
  service: Pick<ServiceToRun, 'id' | 'environmentId'>,
  runId: string,
): DockerLabels => ({
  ...environmentLabels(platformId, service.environmentId),
  ...runOfLabels(service),
  [label.run]: runId,
});

/** The labels that all such runs of one service share. */
export const runOfLabels = ({ id }: Pick<ServiceToRun, 'id'>): DockerLabels => ({ [label.runOf]: id });

/** Finds the objects of any platform. */
export const anyPlatform: DockerFilters = { label: [label.platform] };

/** Returns the platform that created an object; undefined if none did. */
export const labelledPlatform = (labels: DockerLabels | null | undefined): string | undefined =>
  labels?.[label.platform];

/** Finds the objects that have all of these labels. */
export const labelFilter = (labels: DockerLabels): DockerFilters => ({
  label: Object.entries(labels).map(([name, value]) => `${name}=${value}`),
});

/** Whether this platform created an object. */
export const isMadeHere = (labels: DockerLabels | null | undefined, platformId: string): boolean =>
  labels?.[label.platform] === platformId;

/** Whether any platform created an object. */
export const isPlatforms = (labels: DockerLabels | null | undefined): boolean => labels?.[label.platform] !== undefined;

/** Returns the deployment that created an object; undefined if it isn't labelled. */
export const labelledDeployment = (labels: DockerLabels | null | undefined): string | undefined =>
  labels?.[label.deployment];

/** Returns the service that an object was created for; undefined if it isn't labelled. */
export const labelledService = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.service];

/** Returns the environment that an object belongs to; undefined if it isn't labelled. */
export const labelledEnvironment = (labels: DockerLabels | null | undefined): string | undefined =>
  labels?.[label.environment];

/** Adds the fencing token of a service's last change to labels. */
export const withFencingToken = (labels: DockerLabels | undefined, token: number): DockerLabels => ({
  ...labels,
  [label.fence]: String(token),
});

/** Returns the fencing token of a service's last change; 0 if none is recorded. */
export const fencingTokenOf = (labels: DockerLabels | null | undefined): number => Number(labels?.[label.fence] ?? 0);

/** Whether a service was stopped on request. */
export const isStopped = (labels: DockerLabels | null | undefined): boolean => labels?.[label.stopped] === 'true';

/** Adds to labels whether a service is stopped. */
export const withStopped = (labels: DockerLabels, stopped: boolean): DockerLabels => ({
  ...labels,
  [label.stopped]: String(stopped),
});

/** Adds the node that a service is leaving, because it is being drained, to labels. @param nodeId undefined for none */
export function withLeaving(labels: DockerLabels = {}, nodeId: string | undefined): DockerLabels {
  const { [label.leaving]: _, ...others } = labels;
  return nodeId === undefined ? others : { ...others, [label.leaving]: nodeId };
}

/** Returns the node that a service is leaving; undefined if there is none. */
export const leavingOf = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.leaving];

/** Finds the services that are leaving a node. */
export const leavingFilter = (nodeId: string): DockerFilters => ({ label: [`${label.leaving}=${nodeId}`] });

/**
 * Adds the public addresses of a service to labels.
 * @param routes as text; undefined if there are none
 */
export const withRoutes = (labels: DockerLabels, routes: string | undefined): DockerLabels => ({
  ...labels,
  ...(routes !== undefined && { [label.routes]: routes }),
});

/** Returns the text of these addresses; undefined for a service without public addresses. */
export const routesLabel = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.routes];

/**
 * Adds the lost instance after which the update of a service was started again to labels.
 * @param taskId of that instance
 */
export const withResumed = (labels: DockerLabels | undefined, taskId: string): DockerLabels => ({
  ...labels,
  [label.resumed]: taskId,
});

/** Returns the lost instance after which the update of a service was started again; undefined if it wasn't. */
export const resumedAfter = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.resumed];
