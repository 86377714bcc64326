import { addDays } from '../../common/index.ts';
import type { RuntimeOperation, ServiceToRun } from '../index.ts';
import type { PhaseContext } from './phase-context.ts';
import { instanceName, instanceVersion } from './instances.ts';
import {
  chartOf,
  commitFactsOf,
  imageOf,
  readinessTimeoutOf,
  programOf,
  readinessProbeOf,
  releaseOf,
  repositoryOf,
  serviceToRunOf,
} from './fact-lookup.ts';
import { type SimulationContext, type Program, ownValue, referenceAgeDays } from './simulation-context.ts';

/** Why a phase fails. Stored in the cursor of the phase, so it is small and contains no secrets. */
export type FailureCause =
  | { readonly kind: 'commit-unknown'; readonly commit: string }
  | { readonly kind: 'build-fails' }
  | { readonly kind: 'image-unknown' | 'pull-denied'; readonly reference: string }
  | { readonly kind: 'disk-full' }
  | { readonly kind: 'variables-missing'; readonly names: readonly string[] }
  | { readonly kind: 'memory-short' }
  | { readonly kind: 'host-unknown'; readonly host: string }
  | { readonly kind: 'database-down'; readonly host: string; readonly port: number }
  | { readonly kind: 'schema-behind'; readonly has: string }
  | { readonly kind: 'port-missed'; readonly listens: number }
  | { readonly kind: 'probe-answered'; readonly status: number }
  | { readonly kind: 'warm-up-too-long' }
  | { readonly kind: 'state-locked'; readonly who: string; readonly since: number }
  | { readonly kind: 'table-locked' }
  | { readonly kind: 'chart-unknown' }
  | { readonly kind: 'chart-too-slow' };

type FindCause = (
  context: PhaseContext,
  simulation: SimulationContext,
) => FailureCause | undefined | Promise<FailureCause | undefined>;

/** Whether the running version of a service is known to the facts. */
const ranKnownVersion = async (
  { task }: PhaseContext,
  { platform }: SimulationContext,
  isKnown: (service: ServiceToRun) => boolean,
): Promise<boolean> => {
  const running = await platform.runningService(task.service.id);
  return running !== undefined && isKnown(serviceToRunOf(running));
};

const missingCommit: FindCause = (context, { facts }) => {
  const known = repositoryOf(context.task.service, facts);
  return known && known.commits.length > 0 && context.commit && !commitFactsOf(context, facts)
    ? { kind: 'commit-unknown', commit: context.commit.git_commit_id }
    : undefined;
};

const failedBuild: FindCause = (context, { facts }) =>
  commitFactsOf(context, facts)?.buildFailure ? { kind: 'build-fails' } : undefined;

const failedPull: FindCause = async (context, simulation) => {
  const { facts, platform } = simulation;
  const image = imageOf(context.task.service);
  if (!image) return undefined;
  const known = ownValue(facts.images, image.name);
  if (
    !known &&
    !(await ranKnownVersion(context, simulation, (service) => Object.hasOwn(facts.images, imageOf(service)!.name)))
  )
    return undefined;
  const host = image.registryId === undefined ? undefined : await platform.registryHost(image.registryId);
  const reference = `${host === undefined ? '' : `${host}/`}${image.name}:${image.tag}`;
  if (!known) return { kind: 'image-unknown', reference };
  if (image.registryId !== undefined && !known.registries.includes(image.registryId))
    return { kind: 'pull-denied', reference };
  return Object.hasOwn(known.tags, image.tag) ? undefined : { kind: 'image-unknown', reference };
};

const fullDisk: FindCause = async ({ task }, { facts, platform }) => {
  if (Object.keys(facts.clusters).length === 0) return undefined;
  const { createdAt, clusterId } = await platform.environment(task.service.environmentId);
  const incident = facts.clusters[clusterId]?.fullDisk;
  if (!incident) return undefined;
  const [from, to] = [incident.fromDaysAgo, incident.toDaysAgo].map((days) =>
    addDays(createdAt, referenceAgeDays - days),
  );
  return task.beganAt >= from! && task.beganAt < to! ? { kind: 'disk-full' } : undefined;
};

const missingVariables: FindCause = async (context, { facts, platform }) => {
  const { variables: needed = [] } = programOf(context, facts) ?? {};
  if (needed.length === 0) return undefined;
  const present = await platform.variables(context.task.service);
  const names = needed.filter((name) => !present.has(name) || present.get(name) === '');
  return names.length > 0 ? { kind: 'variables-missing', names } : undefined;
};

const shortMemory: FindCause = (context, { facts }) => {
  const { service } = context.task;
  const needed = programOf(context, facts)?.memory;
  const has =
    service.kind === 'application' || service.kind === 'container' ? service.spec.memory : Number.POSITIVE_INFINITY;
  return needed !== undefined && has < needed ? { kind: 'memory-short' } : undefined;
};

const unknownHost: FindCause = async (context, { facts, platform }) => {
  const reached = Object.entries(programOf(context, facts)?.reaches ?? {});
  if (reached.length === 0) return undefined;
  const present = await platform.variables(context.task.service);
  const host = reached
    .map(([variable, hosts]) => ({ named: present.get(variable), hosts }))
    .find(({ named, hosts }) => named != null && !hosts.includes(named));
  return host && { kind: 'host-unknown', host: host.named! };
};

const downDatabase: FindCause = async (context, { facts, platform }) => {
  const database = programOf(context, facts)?.database;
  if (
    database === undefined ||
    (await platform.runningService({ environmentId: context.task.service.environmentId, name: database.name }))
  )
    return undefined;
  return { kind: 'database-down', host: database.name, port: database.port };
};

const schemaBehind: FindCause = async (context, { facts, platform }) => {
  const needed = programOf(context, facts)?.schema;
  if (!needed) return undefined;
  const job = await platform.runningService({ environmentId: context.task.service.environmentId, name: needed.job });
  const has = (job?.spec as { source?: { image?: { tag?: string } } } | undefined)?.source?.image?.tag ?? 'none';
  return has === needed.tag ? undefined : { kind: 'schema-behind', has };
};

/** The port that a program listens on, which a variable can set. */
const listeningPort = async (
  context: PhaseContext,
  program: Program,
  { platform }: SimulationContext,
): Promise<number | undefined> => {
  const { listens } = program;
  const named =
    listens?.variable === undefined
      ? undefined
      : (await platform.variables(context.task.service)).get(listens.variable);
  return named != null && /^\d+$/.test(named) ? Number(named) : listens?.port;
};

const badProbe: FindCause = async (context, simulation) => {
  const program = programOf(context, simulation.facts);
  const probe = readinessProbeOf(context.task.service);
  if (!program || !probe) return undefined;
  const listens = await listeningPort(context, program, simulation);
  const { http, tcp, grpc } = probe.type;
  const port = (http ?? tcp ?? grpc)?.port;
  if (listens !== undefined && port !== undefined && port !== listens) return { kind: 'port-missed', listens };
  const status = http && program.answers ? (ownValue(program.answers, http.path) ?? 404) : 200;
  if (status >= 400) return { kind: 'probe-answered', status };
  const { warmUp } = program;
  return warmUp && http?.path === warmUp.path && warmUp.seconds > readinessTimeoutOf(probe)
    ? { kind: 'warm-up-too-long' }
    : undefined;
};

const lockedState: FindCause = async ({ task }, { facts, platform }) => {
  const state = repositoryOf(task.service, facts)?.state;
  const holder = state && (await platform.runningService(state.holder));
  if (!holder || !state.tags.includes(String(holder.spec['tag']))) return undefined;
  const since = holder.since + state.stuckAfterHours * 3_600_000;
  if (task.beganAt < since) return undefined;
  const runner = serviceToRunOf(holder);
  return {
    kind: 'state-locked',
    who: `runner@${instanceName(runner, instanceVersion(runner, undefined), holder.deploymentId)}`,
    since,
  };
};

const lockedTable: FindCause = async ({ task }, { facts, platform }) => {
  const migration = releaseOf(task.service, facts)?.migration;
  if (!migration || migration.lockedRuns === 0) return undefined;
  return (await platform.consecutiveFailures(task.service.id)) < migration.lockedRuns
    ? { kind: 'table-locked' }
    : undefined;
};

const unknownChart: FindCause = async (context, simulation) => {
  const { service } = context.task;
  if (service.kind !== 'helm' || chartOf(service, simulation.facts)) return undefined;
  return (await ranKnownVersion(context, simulation, (each) => chartOf(each, simulation.facts) !== undefined))
    ? { kind: 'chart-unknown' }
    : undefined;
};

const slowChart: FindCause = ({ task: { service } }, { facts }) => {
  const chart = chartOf(service, facts);
  return chart && service.kind === 'helm' && service.spec.timeout_sec < chart.readySeconds
    ? { kind: 'chart-too-slow' }
    : undefined;
};

// In the order in which a real deployment would encounter them.
const causeChecks: Partial<Record<PhaseContext['task']['phase']['step'], readonly FindCause[]>> = {
  GIT_CLONE: [missingCommit],
  BUILD: [failedBuild],
  MIRROR_IMAGE: [failedPull],
  DEPLOYMENT: [
    fullDisk,
    failedPull,
    missingVariables,
    shortMemory,
    unknownHost,
    downDatabase,
    schemaBehind,
    badProbe,
    unknownChart,
    slowChart,
  ],
  RESTART: [fullDisk, missingVariables, shortMemory, unknownHost, downDatabase, schemaBehind, badProbe],
  EXECUTING: [fullDisk, failedPull, missingCommit, lockedState, lockedTable],
};

const startsInstances: readonly RuntimeOperation[] = ['rollOut', 'route', 'run', 'restart'];

const startsNothing = ({ task: { service, phase } }: PhaseContext): boolean =>
  startsInstances.includes(phase.operation) &&
  (service.kind === 'application' || service.kind === 'container') &&
  service.spec.min_running_instances === 0;

/** Finds why a phase fails, given the facts and the platform's current state; undefined if it succeeds. */
export async function findFailureCause(
  context: PhaseContext,
  simulation: SimulationContext,
): Promise<FailureCause | undefined> {
  if (startsNothing(context)) return undefined;
  for (const find of causeChecks[context.task.phase.step] ?? []) {
    const cause = await find(context, simulation);
    if (cause) return cause;
  }
  return undefined;
}
