import { settledStates } from '../../engine/index.ts';
import type { PlatformState, SimulationContext } from '../../runtime/simulated/index.ts';
import type { Db } from '../../store/index.ts';
import { scenarioFacts } from './scenarios.ts';

const running = ['DEPLOYED', 'RESTARTED'] as const;
const stopped = ['STOPPED', 'DELETED'] as const;
const failed = settledStates.filter((state) => state.endsWith('_ERROR'));

/** From the widest scope to the narrowest. A narrower scope overrides a wider one. */
const precedence = ['BUILT_IN', 'PROJECT', 'ENVIRONMENT'];
const rank = (scope: string): number => (precedence.includes(scope) ? precedence.indexOf(scope) : precedence.length);

/** The state of a platform, read from its store. */
const platformStateOf = (db: Db): PlatformState => ({
  environment: async (id) => {
    const { created_at, cluster_id } = await db
      .selectFrom('environment')
      .select(['created_at', 'cluster_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return { createdAt: Date.parse(created_at), clusterId: cluster_id };
  },
  variables: async ({ id, environmentId }) => {
    const { project_id } = await db
      .selectFrom('environment')
      .select('project_id')
      .where('id', '=', environmentId)
      .executeTakeFirstOrThrow();
    const rows = await db
      .selectFrom('variable')
      .select(['key', 'value', 'scope'])
      .where((where) =>
        where.or([
          where('service_id', '=', id),
          where('environment_id', '=', environmentId),
          where('project_id', '=', project_id),
        ]),
      )
      .execute();
    return new Map(
      rows.toSorted((one, other) => rank(one.scope) - rank(other.scope)).map(({ key, value }) => [key, value]),
    );
  },
  runningService: async (service) => {
    const found = await db
      .selectFrom('service')
      .select(['id', 'kind', 'name', 'environment_id', 'deployed_spec', 'last_deployment_id', 'last_deployment_at'])
      .$if(typeof service === 'string', (query) => query.where('id', '=', service as string))
      .$if(typeof service !== 'string', (query) => {
        const { environmentId, name } = service as Exclude<typeof service, string>;
        return query.where('environment_id', '=', environmentId).where('name', '=', name);
      })
      .executeTakeFirst();
    if (found === undefined) return undefined;
    // A failed or canceled deployment leaves the previous version running.
    const last = await db
      .selectFrom('deployment_service')
      .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
      .select(['deployment.id', 'deployment_service.state', 'deployment_service.ended_at'])
      .where('deployment_service.service_id', '=', found.id)
      .where('deployment_service.state', 'in', [...running, ...stopped])
      .where('deployment_service.ended_at', 'is not', null)
      .orderBy('deployment.seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (stopped.some((state) => state === last?.state) || found.deployed_spec === null) return undefined;
    const { id, kind, name, environment_id, last_deployment_id, last_deployment_at } = found;
    return {
      id,
      kind,
      name,
      environmentId: environment_id,
      spec: JSON.parse(found.deployed_spec),
      // If retention has removed the last good deployment, use the newest instead.
      deploymentId: last?.id ?? last_deployment_id!,
      since: Date.parse(last?.ended_at ?? last_deployment_at!),
    };
  },
  consecutiveFailures: async (serviceId) => {
    const ends = await db
      .selectFrom('deployment_service')
      .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
      .select('deployment_service.state')
      .where('deployment_service.service_id', '=', serviceId)
      .where('deployment_service.state', 'in', [...running, ...failed])
      .where('deployment_service.ended_at', 'is not', null)
      .orderBy('deployment.seq', 'desc')
      .execute();
    const good = ends.findIndex(({ state }) => running.some((each) => each === state));
    return good < 0 ? ends.length : good;
  },
  registryHost: async (id) => {
    const registry = await db.selectFrom('registry').select('url').where('id', '=', id).executeTakeFirst();
    return new URL(registry?.url ?? 'https://registry.invalid').host;
  },
});

/** The simulation context of a store: the facts of all scenarios and the platform's state. */
export const simulationContextOf = (db: Db): SimulationContext => ({
  facts: scenarioFacts,
  platform: platformStateOf(db),
});
