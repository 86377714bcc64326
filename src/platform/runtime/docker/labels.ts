import type { ServiceToRun, Task } from '../index.ts';
import type { DockerFilters, DockerLabels } from './api/index.ts';
import { proxyName } from './names.ts';

/** The labels of everything that a platform makes on an engine. What doesn't have them is never touched. */
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

/** The labels by which engines note the service and the task of a container. */
export const engineServiceLabel = 'com.docker.swarm.service.id';
export const engineTaskLabel = 'com.docker.swarm.task.id';

/** The label of everything that a platform made. */
export const platformLabels = (platformId: string): DockerLabels => ({ [label.platform]: platformId });

/** The labels of the proxy of a platform. @param made tells from what it was made */
export const proxyLabels = (platformId: string, made: string): DockerLabels => ({
  ...platformLabels(platformId),
  [label.proxy]: made,
});

/** The label that an operator gives to the nodes on which the proxy is to run. */
export const proxyNodeLabel = `${label.proxy}=true`;

/** Whether the proxy is to run on a node with these labels. */
export const isLabelledForProxy = (labels: DockerLabels | undefined): boolean => labels?.[label.proxy] === 'true';

/**
 * Finds the proxies of every platform. Their names count too: a container has the labels of its image as well, which
 * anybody chooses.
 */
export const anyProxy: DockerFilters = { label: [label.proxy], name: [proxyName('')] };

/** From what a proxy was made; undefined if it isn't labelled. */
export const labelledProxy = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.proxy];

/**
 * The parts of a cluster's own registry: what keeps the images, what forwards to it on every node, and what cleans it.
 */
export type RegistryPart = 'registry' | 'forwarder' | 'cleaner';

/** The labels of a part of a platform's registry. */
export const registryLabels = (platformId: string, part: RegistryPart): DockerLabels => ({
  ...platformLabels(platformId),
  [label.registry]: part,
});

/** Finds the parts of the registries of every platform. */
export const anyRegistry: DockerFilters = { label: [label.registry] };

/** Which part of a registry something is; undefined if it is none. */
export const labelledRegistryPart = (labels: DockerLabels | null | undefined): string | undefined =>
  labels?.[label.registry];

/** What a part of a registry tells about itself. */
export interface RegistryFacts {
  /** Tells from what it was made. */
  readonly made: string;
  /** The first part of the names of its images. */
  readonly host: string;
  readonly isReadOnly: boolean;
  /** When it was cleaned last, or made, in milliseconds since the epoch. */
  readonly cleanedAt: number;
}

/** Labels with what a part of a registry tells about itself. */
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

/** What a part of a registry tells about itself. */
export const registryFactsOf = (labels: DockerLabels | null | undefined): RegistryFacts => ({
  made: labels?.[label.made] ?? '',
  host: labels?.[label.host] ?? '',
  isReadOnly: labels?.[label.readOnly] === 'true',
  cleanedAt: Number(labels?.[label.cleaned] ?? 0),
});

/** The labels of what belongs to the agents of a platform. @param made tells from what it was made */
export const agentLabels = (platformId: string, made: string): DockerLabels => ({
  ...platformLabels(platformId),
  [label.agent]: made,
});

/** Finds what belongs to the agents of a platform. */
export const anyAgentOf = (platformId: string): DockerFilters => ({
  label: [...labelFilter(platformLabels(platformId)).label!, label.agent],
});

/** From what something of the agents was made; undefined if it isn't labelled. */
export const labelledAgent = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.agent];

/** Labels that tell until when the certificate of the agents is good. @param until milliseconds since the epoch */
export const withAgentUntil = (labels: DockerLabels, until: number): DockerLabels => ({
  ...labels,
  [label.agentUntil]: new Date(until).toISOString(),
});

/** Until when the certificate of the agents is good, in milliseconds since the epoch; 0 if it isn't known. */
export const agentUntil = (labels: DockerLabels | null | undefined): number =>
  Date.parse(labels?.[label.agentUntil] ?? '') || 0;

/** The labels of what belongs to an environment. */
export const environmentLabels = (platformId: string, environmentId: string): DockerLabels => ({
  ...platformLabels(platformId),
  [label.environment]: environmentId,
});

/** The labels of what belongs to a service. */
export const serviceLabels = (
  platformId: string,
  { id, environmentId }: Pick<ServiceToRun, 'id' | 'environmentId'>,
): DockerLabels => ({ ...environmentLabels(platformId, environmentId), [label.service]: id });

/** The labels of what one deployment of a service made. */
export const deploymentLabels = (
  platformId: string,
  { service, deploymentId }: Pick<Task, 'service' | 'deploymentId'>,
): DockerLabels => ({ ...serviceLabels(platformId, service), [label.deployment]: deploymentId });

/** The labels of what runs once for a service. It is none of its instances. @param runId tells it from others */
export const runLabels = (
  platformId: string,
  service: Pick<ServiceToRun, 'id' | 'environmentId'>,
  runId: string,
): DockerLabels => ({
  ...environmentLabels(platformId, service.environmentId),
  ...runOfLabels(service),
  [label.run]: runId,
});

/** What all of these have in common of one service. */
export const runOfLabels = ({ id }: Pick<ServiceToRun, 'id'>): DockerLabels => ({ [label.runOf]: id });

/** Finds what any platform made. */
export const anyPlatform: DockerFilters = { label: [label.platform] };

/** The platform that made something; undefined if none did. */
export const labelledPlatform = (labels: DockerLabels | null | undefined): string | undefined =>
  labels?.[label.platform];

/** Finds what has all of these labels. */
export const labelFilter = (labels: DockerLabels): DockerFilters => ({
  label: Object.entries(labels).map(([name, value]) => `${name}=${value}`),
});

/** Whether something was made by this platform. */
export const isMadeHere = (labels: DockerLabels | null | undefined, platformId: string): boolean =>
  labels?.[label.platform] === platformId;

/** Whether something was made by any platform. */
export const isPlatforms = (labels: DockerLabels | null | undefined): boolean => labels?.[label.platform] !== undefined;

/** The deployment that made something; undefined if it isn't labelled. */
export const labelledDeployment = (labels: DockerLabels | null | undefined): string | undefined =>
  labels?.[label.deployment];

/** The service that something was made for; undefined if it isn't labelled. */
export const labelledService = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.service];

/** The environment that something belongs to; undefined if it isn't labelled. */
export const labelledEnvironment = (labels: DockerLabels | null | undefined): string | undefined =>
  labels?.[label.environment];

/** Labels that tell by which fencing token a service was changed last. */
export const withFence = (labels: DockerLabels | undefined, token: number): DockerLabels => ({
  ...labels,
  [label.fence]: String(token),
});

/** The fencing token by which a service was changed last; 0 if none is noted. */
export const fenceOf = (labels: DockerLabels | null | undefined): number => Number(labels?.[label.fence] ?? 0);

/** Whether a service was stopped on request. */
export const isStopped = (labels: DockerLabels | null | undefined): boolean => labels?.[label.stopped] === 'true';

/** Labels that mark a service as stopped, or not. */
export const withStopped = (labels: DockerLabels, stopped: boolean): DockerLabels => ({
  ...labels,
  [label.stopped]: String(stopped),
});

/** Labels that tell which node a service is leaving, because that is being drained. @param nodeId undefined for none */
export function withLeaving(labels: DockerLabels = {}, nodeId: string | undefined): DockerLabels {
  const { [label.leaving]: _, ...others } = labels;
  return nodeId === undefined ? others : { ...others, [label.leaving]: nodeId };
}

/** The node that a service is leaving; undefined if there is none. */
export const leavingOf = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.leaving];

/** Finds the services that are leaving a node. */
export const leavingFilter = (nodeId: string): DockerFilters => ({ label: [`${label.leaving}=${nodeId}`] });

/**
 * Labels that tell by which addresses a service is reached from outside.
 * @param routes as text; undefined if there are none
 */
export const withRoutes = (labels: DockerLabels, routes: string | undefined): DockerLabels => ({
  ...labels,
  ...(routes !== undefined && { [label.routes]: routes }),
});

/** What such labels tell; undefined for a service that isn't reached from outside. */
export const routesLabel = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.routes];

/**
 * Labels that tell after the loss of which instance the update of a service was begun anew.
 * @param taskId of that instance
 */
export const withResumed = (labels: DockerLabels | undefined, taskId: string): DockerLabels => ({
  ...labels,
  [label.resumed]: taskId,
});

/** The instance after whose loss the update of a service was begun anew; undefined if it wasn't. */
export const resumedAfter = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.resumed];
