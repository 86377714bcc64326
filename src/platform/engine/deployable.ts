import { type Db, inBatches } from '../store/index.ts';
import { comparableSpec, orderedJson } from './comparable-spec.ts';
import type { EngineContext } from './context.ts';
import { receivedVariables, type ReceivedVariable } from './resolved-variables.ts';

/**
 * The inputs that decide what a deployment of a service runs, as keyed digests: they show whether an input differs, but
 * not its value. Descriptions of variables are left out, because no deployment uses them.
 */
export interface Deployable {
  /** Its name and configuration, which a deployment reads once, when it starts. */
  readonly configuration: string;
  /** Its domains, which a deployment reads again in each step; equal for all services where domains are simulated. */
  readonly domains: string;
  /** The variables and secrets that it receives, which a deployment reads again in each step. */
  readonly variables: string;
  /**
   * Each variable that the platform provides, by key: adding or deleting a database doesn't make a service out of date.
   */
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

/** The result of a function, which is called when it is asked for first. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

const variableParts = ({ key, value, isSecret, mountPath }: ReceivedVariable) => [key, value, isSecret, mountPath];

/**
 * The inputs of a deployment of each service at present, by service id. Each digest is made when it is read: where a
 * variable of many services changes, the first one tells most of them apart from what is deployed.
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
      // The id keeps digests from revealing that two services have the same value.
      const digest = (what: string, content: unknown): string => keyedDigest(orderedJson([id, what, content]));
      const hasDomains = runtimes.named(runtime).domainTarget !== undefined;
      const own = hasDomains ? (domains.get(id) ?? []) : [];
      const received = variables.get(id) ?? [];
      const configuration = once(() =>
        digest('configuration', [name, comparableSpec(JSON.parse(spec) as Record<string, unknown>, openSecret)]),
      );
      const domainsDigest = once(() =>
        digest(
          'domains',
          own.map((each) => `${each.domain.toLowerCase()} ${String(each.generate_certificate)}`).toSorted(),
        ),
      );
      const variablesDigest = once(() =>
        keyedDigest(
          // Lists of plain values: there is no order of members to settle.
          JSON.stringify([id, 'variables', received.filter(({ isBuiltIn }) => !isBuiltIn).map(variableParts)]),
        ),
      );
      const builtIn = once(() =>
        Object.fromEntries(
          received
            .filter(({ isBuiltIn }) => isBuiltIn)
            .map((variable) => [variable.key, digest('built in', variableParts(variable))]),
        ),
      );
      return [
        id,
        {
          get configuration() {
            return configuration();
          },
          get domains() {
            return domainsDigest();
          },
          get variables() {
            return variablesDigest();
          },
          get builtIn() {
            return builtIn();
          },
        },
      ];
    }),
  );
}

const read = (stored: string | null): Deployable | undefined =>
  stored === null ? undefined : (JSON.parse(stored) as Deployable);

/** Whether the inputs that a deployment reads again in each step are the same. */
const sameWhileItRuns = (one: Deployable, other: Deployable): boolean =>
  one.variables === other.variables &&
  one.domains === other.domains &&
  Object.entries(one.builtIn).every(([key, digest]) => (other.builtIn[key] ?? digest) === digest);

/** Whether a deployment now would have the inputs of the last one; false if either isn't known. */
export const isAsDeployed = (stored: string | null, now: Deployable | undefined): boolean => {
  const deployed = read(stored);
  return (
    deployed !== undefined &&
    now !== undefined &&
    sameWhileItRuns(deployed, now) &&
    deployed.configuration === now.configuration
  );
};

/** Whether a deployment under way may have read other inputs than those at its start. */
export const mayDiffer = (stored: string | null, now: Deployable | undefined): boolean => {
  const begun = read(stored);
  return begun === undefined || now === undefined || !sameWhileItRuns(begun, now);
};
