import { addDays } from '../../clock.ts';
import type { ServiceToRun } from '../runtime.ts';
import type { Scene } from './script.ts';
import { instanceName } from './instances.ts';
import { chartOf, commitFactsOf, imageOf, patienceOf, programOf, readinessOf, releaseOf, repositoryOf, serviceOf } from './known.ts';
import { versionOf } from './version.ts';
import { type Nature, type Program, under, worldAge } from './world.ts';

/** What stands in the way of a phase: small, without values of secrets, so that it can be remembered with the phase. */
export type Trouble =
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

type Find = (scene: Scene, nature: Nature) => Trouble | undefined | Promise<Trouble | undefined>;

/** Whether the version of a service that runs is one of those that the world knows. */
const ranKnown = async ({ task }: Scene, { surroundings }: Nature, isKnown: (service: ServiceToRun) => boolean): Promise<boolean> => {
  const running = await surroundings.running(task.service.id);
  return running !== undefined && isKnown(serviceOf(running));
};

const unknownCommit: Find = (scene, { world }) => {
  const known = repositoryOf(scene.task.service, world);
  return known && known.commits.length > 0 && scene.commit && !commitFactsOf(scene, world) ? { kind: 'commit-unknown', commit: scene.commit.git_commit_id } : undefined;
};

const failingBuild: Find = (scene, { world }) => (commitFactsOf(scene, world)?.build ? { kind: 'build-fails' } : undefined);

const pull: Find = async (scene, nature) => {
  const { world, surroundings } = nature;
  const image = imageOf(scene.task.service);
  if (!image) return undefined;
  const known = under(world.images, image.name);
  if (!known && !(await ranKnown(scene, nature, (service) => Object.hasOwn(world.images, imageOf(service)!.name)))) return undefined;
  const host = image.registryId === undefined ? undefined : await surroundings.registryHost(image.registryId);
  const reference = `${host === undefined ? '' : `${host}/`}${image.name}:${image.tag}`;
  if (!known) return { kind: 'image-unknown', reference };
  if (image.registryId !== undefined && !known.registries.includes(image.registryId)) return { kind: 'pull-denied', reference };
  return Object.hasOwn(known.tags, image.tag) ? undefined : { kind: 'image-unknown', reference };
};

const fullDisk: Find = async ({ task }, { world, surroundings }) => {
  if (Object.keys(world.clusters).length === 0) return undefined;
  const { createdAt, clusterId } = await surroundings.environment(task.service.environmentId);
  const incident = world.clusters[clusterId]?.fullDisk;
  if (!incident) return undefined;
  const [from, to] = [incident.fromDaysAgo, incident.toDaysAgo].map((days) => addDays(createdAt, worldAge - days));
  return task.beganAt >= from! && task.beganAt < to! ? { kind: 'disk-full' } : undefined;
};

const missingVariables: Find = async (scene, { world, surroundings }) => {
  const { variables: needed = [] } = programOf(scene, world) ?? {};
  if (needed.length === 0) return undefined;
  const present = await surroundings.variables(scene.task.service);
  const names = needed.filter((name) => !present.has(name) || present.get(name) === '');
  return names.length > 0 ? { kind: 'variables-missing', names } : undefined;
};

const shortMemory: Find = (scene, { world }) => {
  const { service } = scene.task;
  const needed = programOf(scene, world)?.memory;
  const has = service.kind === 'application' || service.kind === 'container' ? service.spec.memory : Number.POSITIVE_INFINITY;
  return needed !== undefined && has < needed ? { kind: 'memory-short' } : undefined;
};

const unknownHost: Find = async (scene, { world, surroundings }) => {
  const reached = Object.entries(programOf(scene, world)?.reaches ?? {});
  if (reached.length === 0) return undefined;
  const present = await surroundings.variables(scene.task.service);
  const host = reached.map(([variable, hosts]) => ({ named: present.get(variable), hosts })).find(({ named, hosts }) => named != null && !hosts.includes(named));
  return host && { kind: 'host-unknown', host: host.named! };
};

const downDatabase: Find = async (scene, { world, surroundings }) => {
  const database = programOf(scene, world)?.database;
  if (database === undefined || (await surroundings.running({ environmentId: scene.task.service.environmentId, name: database.name }))) return undefined;
  return { kind: 'database-down', host: database.name, port: database.port };
};

const schemaBehind: Find = async (scene, { world, surroundings }) => {
  const needed = programOf(scene, world)?.schema;
  if (!needed) return undefined;
  const job = await surroundings.running({ environmentId: scene.task.service.environmentId, name: needed.job });
  const has = (job?.spec as { source?: { image?: { tag?: string } } } | undefined)?.source?.image?.tag ?? 'none';
  return has === needed.tag ? undefined : { kind: 'schema-behind', has };
};

/** The port a program listens on, by the variable that may name it. */
const listeningPort = async (scene: Scene, program: Program, { surroundings }: Nature): Promise<number | undefined> => {
  const { listens } = program;
  const named = listens?.variable === undefined ? undefined : (await surroundings.variables(scene.task.service)).get(listens.variable);
  return named != null && /^\d+$/.test(named) ? Number(named) : listens?.port;
};

const badProbe: Find = async (scene, nature) => {
  const program = programOf(scene, nature.world);
  const probe = readinessOf(scene.task.service);
  if (!program || !probe) return undefined;
  const listens = await listeningPort(scene, program, nature);
  const { http, tcp, grpc } = probe.type;
  const port = (http ?? tcp ?? grpc)?.port;
  if (listens !== undefined && port !== undefined && port !== listens) return { kind: 'port-missed', listens };
  const status = http && program.answers ? (under(program.answers, http.path) ?? 404) : 200;
  if (status >= 400) return { kind: 'probe-answered', status };
  const { warmUp } = program;
  return warmUp && http?.path === warmUp.path && warmUp.seconds > patienceOf(probe) ? { kind: 'warm-up-too-long' } : undefined;
};

const lockedState: Find = async ({ task }, { world, surroundings }) => {
  const state = repositoryOf(task.service, world)?.state;
  const holder = state && (await surroundings.running(state.holder));
  if (!holder || !state.tags.includes(String(holder.spec['tag']))) return undefined;
  const since = holder.since + state.stuckAfterHours * 3_600_000;
  if (task.beganAt < since) return undefined;
  const runner = serviceOf(holder);
  return { kind: 'state-locked', who: `runner@${instanceName(runner, versionOf(runner, undefined), holder.deploymentId)}`, since };
};

const lockedTable: Find = async ({ task }, { world, surroundings }) => {
  const migration = releaseOf(task.service, world)?.migration;
  if (!migration || migration.lockedRuns === 0) return undefined;
  return (await surroundings.failuresInARow(task.service.id)) < migration.lockedRuns ? { kind: 'table-locked' } : undefined;
};

const unknownChart: Find = async (scene, nature) => {
  const { service } = scene.task;
  if (service.kind !== 'helm' || chartOf(service, nature.world)) return undefined;
  return (await ranKnown(scene, nature, (each) => chartOf(each, nature.world) !== undefined)) ? { kind: 'chart-unknown' } : undefined;
};

const slowChart: Find = ({ task: { service } }, { world }) => {
  const chart = chartOf(service, world);
  return chart && service.kind === 'helm' && service.spec.timeout_sec < chart.readySeconds ? { kind: 'chart-too-slow' } : undefined;
};

// In the order in which they would be met.
const whatStops: Partial<Record<Scene['task']['phase']['step'], readonly Find[]>> = {
  GIT_CLONE: [unknownCommit],
  BUILD: [failingBuild],
  MIRROR_IMAGE: [pull],
  DEPLOYMENT: [fullDisk, pull, missingVariables, shortMemory, unknownHost, downDatabase, schemaBehind, badProbe, unknownChart, slowChart],
  RESTART: [fullDisk, missingVariables, shortMemory, unknownHost, downDatabase, schemaBehind, badProbe],
  EXECUTING: [fullDisk, pull, unknownCommit, lockedState, lockedTable],
};

const startsNothing = ({ task: { service, phase } }: Scene): boolean =>
  phase.work === 'start' && (service.kind === 'application' || service.kind === 'container') && service.spec.min_running_instances === 0;

/** What stands in the way of a scene's phase, as the world and its surroundings are now; undefined where nothing does. */
export async function findTrouble(scene: Scene, nature: Nature): Promise<Trouble | undefined> {
  if (startsNothing(scene)) return undefined;
  for (const find of whatStops[scene.task.phase.step] ?? []) {
    const trouble = await find(scene, nature);
    if (trouble) return trouble;
  }
  return undefined;
}
