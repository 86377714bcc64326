import type { ServiceToRun, Task } from '../index.ts';
import type { DockerFilters, DockerLabels } from './engine/index.ts';

/** The labels of everything that a platform makes on an engine. What doesn't have them is never touched. */
const label = {
  platform: 'io.infra-mcp.platform', environment: 'io.infra-mcp.environment', service: 'io.infra-mcp.service', deployment: 'io.infra-mcp.deployment',
  fence: 'io.infra-mcp.fence', stopped: 'io.infra-mcp.stopped', routes: 'io.infra-mcp.routes', proxy: 'io.infra-mcp.proxy',
} as const;

/** The label of everything that a platform made. */
export const platformLabels = (platformId: string): DockerLabels => ({ [label.platform]: platformId });

/** The labels of the proxy of a platform. @param made tells from what it was made */
export const proxyLabels = (platformId: string, made: string): DockerLabels => ({ ...platformLabels(platformId), [label.proxy]: made });

/** Finds the proxies of every platform. */
export const anyProxy: DockerFilters = { label: [label.proxy] };

/** From what a proxy was made; undefined if it isn't labelled. */
export const labelledProxy = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.proxy];

/** The labels of what belongs to an environment. */
export const environmentLabels = (platformId: string, environmentId: string): DockerLabels => ({ ...platformLabels(platformId), [label.environment]: environmentId });

/** The labels of what belongs to a service. */
export const serviceLabels = (platformId: string, { id, environmentId }: Pick<ServiceToRun, 'id' | 'environmentId'>): DockerLabels =>
  ({ ...environmentLabels(platformId, environmentId), [label.service]: id });

/** What a service's containers have in common, whichever platform made them. */
export const serviceOnlyLabels = (id: string): DockerLabels => ({ [label.service]: id });

/** The labels of what one deployment of a service made. */
export const deploymentLabels = (platformId: string, { service, deploymentId }: Pick<Task, 'service' | 'deploymentId'>): DockerLabels =>
  ({ ...serviceLabels(platformId, service), [label.deployment]: deploymentId });

/** Finds what any platform made. */
export const anyPlatform: DockerFilters = { label: [label.platform] };

/** The platform that made something; undefined if none did. */
export const labelledPlatform = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.platform];

/** Finds what has all of these labels. */
export const labelFilter = (labels: DockerLabels): DockerFilters => ({ label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) });

/** Whether something was made by this platform. */
export const isMadeHere = (labels: DockerLabels | null | undefined, platformId: string): boolean => labels?.[label.platform] === platformId;

/** Whether something was made by any platform. */
export const isPlatforms = (labels: DockerLabels | null | undefined): boolean => labels?.[label.platform] !== undefined;

/** The deployment that made something; undefined if it isn't labelled. */
export const labelledDeployment = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.deployment];

/** The service that something was made for; undefined if it isn't labelled. */
export const labelledService = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.service];

/** The environment that something belongs to; undefined if it isn't labelled. */
export const labelledEnvironment = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.environment];

/** Labels that tell by which fencing token a service was changed last. */
export const withFence = (labels: DockerLabels | undefined, token: number): DockerLabels => ({ ...labels, [label.fence]: String(token) });

/** The fencing token by which a service was changed last; 0 if none is noted. */
export const fenceOf = (labels: DockerLabels | null | undefined): number => Number(labels?.[label.fence] ?? 0);

/** Whether a service was stopped on request. */
export const isStopped = (labels: DockerLabels | null | undefined): boolean => labels?.[label.stopped] === 'true';

/** Labels that mark a service as stopped, or not. */
export const withStopped = (labels: DockerLabels, stopped: boolean): DockerLabels => ({ ...labels, [label.stopped]: String(stopped) });

/** Labels that tell by which addresses a service is reached from outside. @param routes as text; undefined if there are none */
export const withRoutes = (labels: DockerLabels, routes: string | undefined): DockerLabels => ({ ...labels, ...(routes !== undefined && { [label.routes]: routes }) });

/** What such labels tell; undefined for a service that isn't reached from outside. */
export const routesLabel = (labels: DockerLabels | null | undefined): string | undefined => labels?.[label.routes];
