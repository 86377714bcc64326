import type { Selectable } from 'kysely';
import { refused } from '../common/index.ts';
import type { Db, ServiceTable } from '../store/index.ts';
import type { ClusterLimits, EngineContext } from './context.ts';
import { runningStates } from './running-facts.ts';

type Share = Required<{ readonly [Name in keyof ClusterLimits]: number }>;

/** A service that is about to be created, changed or copied; the id is absent for a new one. */
export interface ServiceToHold {
  readonly id?: string;
  readonly name: string;
  readonly spec: object;
}

const units: Readonly<Record<keyof Share, string>> = {
  cpu: 'm of CPU',
  memory: ' MB of memory',
  services: ' services',
};
const names = Object.keys(units) as readonly (keyof Share)[];

const nothing: Share = { cpu: 0, memory: 0, services: 0 };

/** The resources that a service holds with all of its instances. */
function shareOf(spec: object): Share {
  const {
    cpu = 0,
    memory = 0,
    min_running_instances: least = 1,
    max_running_instances: most = 1,
  } = spec as { cpu?: number; memory?: number; min_running_instances?: number; max_running_instances?: number };
  const instances = Math.max(1, least, most);
  return { cpu: cpu * instances, memory: memory * instances, services: 1 };
}

const sumOf = (shares: readonly Share[]): Share =>
  shares.reduce(
    (sum, share) => ({
      cpu: sum.cpu + share.cpu,
      memory: sum.memory + share.memory,
      services: sum.services + share.services,
    }),
    nothing,
  );

/**
 * The limits of an environment's cluster, and the services of all environments on it; undefined for a cluster without
 * limits.
 */
async function limitedCluster(
  { clusterLimits = {} }: Pick<EngineContext, 'clusterLimits'>,
  db: Db,
  environmentId: string,
) {
  const cluster = await db
    .selectFrom('environment')
    .innerJoin('cluster', 'cluster.id', 'environment.cluster_id')
    .select(['cluster.id', 'cluster.name', 'cluster.runtime'])
    .where('environment.id', '=', environmentId)
    .executeTakeFirst();
  const limits = cluster && clusterLimits[cluster.runtime];
  if (!limits) return undefined;
  // Not the cluster itself: requests take a shared lock on it.
  await db.lock(`room/${cluster.id}`);
  const services = await db
    .selectFrom('service')
    .innerJoin('environment', 'environment.id', 'service.environment_id')
    .select(['service.id', 'service.spec'])
    .where('environment.cluster_id', '=', cluster.id)
    .execute();
  return { name: cluster.name, limits, services };
}

const advice =
  'Make services of this cluster smaller, delete some, or ask the operator of the platform to raise "limits" in its clusters file.';

/**
 * The limits that are exceeded, as text.
 * @param counts whether a limit counts: a service that holds no more than before exceeds none
 */
const exceeded = (limits: ClusterLimits, total: Share, counts: (name: keyof Share) => boolean): string =>
  names
    .filter((name) => total[name] > (limits[name] ?? Number.POSITIVE_INFINITY) && counts(name))
    .map((name) => `${total[name]}${units[name]}, and may hold ${limits[name]}${units[name]}`)
    .join('; ');

/**
 * Requires that a cluster has room for services that are created, changed or copied. Every service counts with all of
 * its instances, whether it runs or not: every configured service must be able to run.
 * @throws ApiProblem 400 with the figures and advice
 */
export async function requireRoom(
  context: Pick<EngineContext, 'clusterLimits'>,
  db: Db,
  environmentId: string,
  changed: readonly ServiceToHold[],
): Promise<void> {
  const cluster = await limitedCluster(context, db, environmentId);
  if (!cluster) return;
  const before = sumOf(cluster.services.map(({ spec }) => shareOf(JSON.parse(spec) as object)));
  const others = cluster.services.filter(({ id }) => !changed.some((each) => each.id === id));
  const after = sumOf([
    ...others.map(({ spec }) => shareOf(JSON.parse(spec) as object)),
    ...changed.map(({ spec }) => shareOf(spec)),
  ]);
  const problem = exceeded(cluster.limits, after, (name) => after[name] > before[name]);
  if (problem !== '')
    throw refused(
      `There is no room for ${changed.map(({ name }) => name).join(', ')} on the cluster ${cluster.name}: with it, all services would hold ${problem}. ${advice}`,
    );
}

/**
 * Requires that a cluster has room to deploy services: the limits may be lower than when these were configured. A
 * service that holds no more than its running version can always be deployed.
 * @throws ApiProblem 400 with the figures and advice
 */
export async function requireRoomToDeploy(
  context: Pick<EngineContext, 'clusterLimits'>,
  db: Db,
  environmentId: string,
  deployed: readonly Selectable<ServiceTable>[],
): Promise<void> {
  const cluster = await limitedCluster(context, db, environmentId);
  if (!cluster) return;
  const total = sumOf(cluster.services.map(({ spec }) => shareOf(JSON.parse(spec) as object)));
  for (const { name: service, spec, deployed_spec: running, deployed_state: state } of deployed) {
    const [wanted, held] = [
      shareOf(JSON.parse(spec) as object),
      running !== null && runningStates.includes(state) ? shareOf(JSON.parse(running) as object) : nothing,
    ];
    const problem = exceeded(cluster.limits, total, (name) => wanted[name] > held[name]);
    if (problem !== '')
      throw refused(
        `${service} can't be deployed: all services of the cluster ${cluster.name} hold ${problem}. ${advice}`,
      );
  }
}
