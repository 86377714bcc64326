import type { ServiceToRun } from '../index.ts';
import { branchOf } from './commits.ts';
import type { PhaseContext } from './phase-context.ts';
import {
  type CommitFacts,
  type DeployedService,
  type SimulatedProbe,
  type Program,
  type Release,
  type SimulationFacts,
  ownValue,
} from './simulation-context.ts';

/** The image that a service is deployed from, if any. */
export const imageOf = (
  service: ServiceToRun,
): { readonly name: string; readonly tag: string; readonly registryId?: string } | undefined => {
  switch (service.kind) {
    case 'container':
      return { name: service.spec.image_name, tag: service.spec.tag, registryId: service.spec.registry_id };
    case 'job': {
      const { image } = service.spec.source;
      return image && { name: image.image_name, tag: image.tag };
    }
    default:
      return undefined;
  }
};

/** The facts about the release that a service is deployed from. */
export const releaseOf = (service: ServiceToRun, { images }: SimulationFacts): Release | undefined => {
  const image = imageOf(service);
  const imageFacts = image && ownValue(images, image.name);
  return imageFacts && ownValue(imageFacts.tags, image.tag);
};

/** The facts about the repository that a service is built from. */
export const repositoryOf = (service: ServiceToRun, { repositories }: SimulationFacts) =>
  ownValue(repositories, branchOf(service)?.url ?? '');

/** The facts about the commit that a phase deploys. */
export const commitFactsOf = (
  { task, commit }: Pick<PhaseContext, 'task' | 'commit'>,
  facts: SimulationFacts,
): CommitFacts | undefined => repositoryOf(task.service, facts)?.commits.find(({ id }) => id === commit?.git_commit_id);

/** The facts about the program that a phase runs. */
export const programOf = (context: PhaseContext, facts: SimulationFacts): Program | undefined =>
  releaseOf(context.task.service, facts)?.program ?? commitFactsOf(context, facts)?.program;

/** The facts about the chart version that a service installs. */
export const chartOf = (service: ServiceToRun, { charts }: SimulationFacts) => {
  const chart = service.kind === 'helm' ? service.spec.source.repository : undefined;
  const versions = chart && ownValue(charts, chart.chart_name);
  return versions && ownValue(versions, chart.chart_version);
};

/** Converts a running service to the form that the runtime received. */
export const serviceToRunOf = ({ id, kind, name, environmentId, spec }: DeployedService): ServiceToRun =>
  ({ id, kind, name, environmentId, spec }) as unknown as ServiceToRun;

/** The readiness probe of an application or container. */
export const readinessProbeOf = (service: ServiceToRun): SimulatedProbe | undefined =>
  service.kind === 'application' || service.kind === 'container'
    ? service.spec.healthchecks?.readiness_probe
    : undefined;

/** How long a probe tries before an instance counts as not ready, in seconds. */
export const readinessTimeoutOf = (probe: SimulatedProbe): number =>
  probe.initial_delay_seconds + probe.failure_threshold * probe.period_seconds;
