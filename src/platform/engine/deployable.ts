import { type Db, inBatches } from '../store/index.ts';
import { comparableSpec, orderedJson } from './comparable-spec.ts';
import type { EngineContext } from './context.ts';
import { receivedVariables, type ReceivedVariable } from './resolved-variables.ts';

/**
 * What of a service decides what a deployment of it runs, as keyed digests: it tells whether something differs, and
 * never what it is. Descriptions of variables aren't part of it, because no deployment has them.
 */
export interface Deployable {
  /** Of its name and configuration, which a deployment reads once, as it begins. */
  readonly configuration: string;
  /** Of its domains, which a deployment reads again in each step; the same for all where domains are simulated. */
  readonly domains: string;
  /** Of the variables and secrets that it receives, which a deployment reads again in each step. */
  readonly variables: string;
  /** Of each variable that the platform provides, by key. A service isn't out of date because a database came or went. */
  readonly builtIn: Readonly<Record<string, string>>;
}

export type DeployableContext = Pick<EngineContext, 'runtimes' | 'openSecret' | 'keyedDigest'>;

const servicesWithPlace = async (trx: Db, ids: readonly string[]) =>
  (
    await Promise.all(
      inBatches(ids).map((some) =>
        trx
          .selectFrom('service')
          .innerJoin('environment', 'environment.id', 'service.environment_id')
          .innerJoin('cluster', 'cluster.id', 'environment.cluster_id')
          .select([
            'service.id',
            'service.name',
            'service.kind',
            'service.spec',
            'service.environment_id as environmentId',
            'environment.project_id as projectId',
            'cluster.runtime',
          ])
          .where('service.id', 'in', some)
          .execute(),
      ),
    )
  ).flat();

const domainsOf = async (trx: Db, ids: readonly string[]) =>
  Map.groupBy(
    (
      await Promise.all(
        inBatches(ids).map((some) =>
          trx
            .selectFrom('custom_domain')
            .select(['service_id', 'domain', 'generate_certificate'])
            .where('service_id', 'in', some)
            .execute(),
        ),
      )
    ).flat(),
    ({ service_id: id }) => id,
  );

const variableParts = ({ key, value, isSecret, mountPath }: ReceivedVariable) => [key, value, isSecret, mountPath];

/**
 * What a deployment of each service would run now, by service id.
 * @param given the name and configuration of services, instead of those that are stored
 */
export async function deployablesOf(
  { runtimes, openSecret, keyedDigest }: DeployableContext,
  trx: Db,
  serviceIds: readonly string[],
  given: Readonly<Record<string, { readonly name: string; readonly spec: string }>> = {},
): Promise<ReadonlyMap<string, Deployable>> {
  const services = await servicesWithPlace(trx, serviceIds);
  // Databases read no variables.
  const readers = services.filter(({ kind }) => kind !== 'database');
  const variables = await receivedVariables(trx, readers, openSecret);
  const domains = await domainsOf(trx, serviceIds);
  return new Map(
    services.map(({ id, runtime, ...stored }) => {
      const { name, spec } = given[id] ?? stored;
      // With its id, digests don't tell that two services have the same value.
      const digest = (what: string, content: unknown): string => keyedDigest(orderedJson([id, what, content]));
      const hasDomains = runtimes.named(runtime).domainTarget !== undefined;
      const own = hasDomains ? (domains.get(id) ?? []) : [];
      const received = variables.get(id) ?? [];
      return [
        id,
        {
          configuration: digest('configuration', [
            name,
            comparableSpec(JSON.parse(spec) as Record<string, unknown>, openSecret),
          ]),
          domains: digest(
            'domains',
            own.map((each) => `${each.domain.toLowerCase()} ${String(each.generate_certificate)}`).toSorted(),
          ),
          variables: digest('variables', received.filter(({ isBuiltIn }) => !isBuiltIn).map(variableParts)),
          builtIn: Object.fromEntries(
            received
              .filter(({ isBuiltIn }) => isBuiltIn)
              .map((variable) => [variable.key, digest('built in', variableParts(variable))]),
          ),
        },
      ];
    }),
  );
}

const read = (stored: string | null): Deployable | undefined =>
  stored === null ? undefined : (JSON.parse(stored) as Deployable);

/** Whether what a deployment reads again in each step is the same. */
const sameWhileItRuns = (one: Deployable, other: Deployable): boolean =>
  one.domains === other.domains &&
  one.variables === other.variables &&
  Object.entries(one.builtIn).every(([key, digest]) => (other.builtIn[key] ?? digest) === digest);

/** Whether what was deployed is what would be deployed now; false if either isn't known. */
export const isAsDeployed = (stored: string | null, now: Deployable | undefined): boolean => {
  const deployed = read(stored);
  return (
    deployed !== undefined &&
    now !== undefined &&
    deployed.configuration === now.configuration &&
    sameWhileItRuns(deployed, now)
  );
};

/** Whether a deployment that is under way may have read something else than it had as it began. */
export const mayDiffer = (stored: string | null, now: Deployable | undefined): boolean => {
  const begun = read(stored);
  return begun === undefined || now === undefined || !sameWhileItRuns(begun, now);
};
