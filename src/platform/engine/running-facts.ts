import {
  condition,
  type Condition,
  type DeploymentState,
  readCondition,
  type ServiceKind,
} from '../../contract/index.ts';
import { isUnknown } from '../runtime/index.ts';
import { compiled, type Db, type Reads, type ServiceTable } from '../store/index.ts';
import { iso } from './context.ts';
import type { ServiceFigures } from './measurements/figures.ts';

/** The last observation of a service after its deployment. */
export interface RunningFacts {
  /** How many instances it should have, and has; absent if it wasn't observed since its deployment. */
  readonly seen?: { readonly wanted: number; readonly running: number };
  /** How often an instance exited by itself since the deployment. */
  readonly restarts: number;
  /** The last of these exits; `at` in milliseconds since the epoch. */
  readonly lastEnd?: { readonly at: number; readonly why: Condition };
  /**
   * A problem: instances are missing that didn't exit by themselves, or the running ones share a node unnecessarily.
   */
  readonly problem?: Condition;
  /** Changes made outside the platform. */
  readonly changes: readonly Condition[];
  /**
   * Its resource usage, and when that was last measured in milliseconds since the epoch; absent before the first
   * measurement.
   */
  readonly used?: { readonly figures: ServiceFigures; readonly at: number };
  /** Its cluster is unreachable, since a time in milliseconds since the epoch. */
  readonly unreachable?: { readonly since: number; readonly reason: string };
}

/** The state and kind of a service, which determine what should run. */
interface Deployed {
  readonly kind: ServiceKind;
  readonly deployed_state: DeploymentState;
}

/** Services with their observations. An observation of an earlier deployment doesn't count. */
export const servicesWithObservation = (db: Reads) =>
  db
    .selectFrom('service')
    .innerJoin('environment', 'environment.id', 'service.environment_id')
    .leftJoin('running_service as seen', (join) =>
      join.onRef('seen.service_id', '=', 'service.id').onRef('seen.deployment_id', '=', 'service.last_deployment_id'),
    )
    .leftJoin('service_measurement as measured', 'measured.service_id', 'service.id')
    .leftJoin('unreachable_cluster as lost', 'lost.cluster_id', 'environment.cluster_id')
    .select([
      'service.id',
      'service.kind',
      'service.deployed_state',
      'service.deployment_status',
      'seen.wanted',
      'seen.running',
      'seen.restarts',
      'seen.last_end_ms',
      'seen.last_end_why',
      'seen.obstacle',
      'seen.changes',
      'measured.at_ms',
      'measured.figures',
      'lost.since_ms',
      'lost.reason',
    ]);

type ObservedService = Awaited<ReturnType<ReturnType<typeof servicesWithObservation>['execute']>>[number];

/** Parses the stored changes made outside the platform. */
export const changesIn = (stored: string | null | undefined): Condition[] =>
  (JSON.parse(stored ?? '[]') as string[]).map(readCondition);

const factsOf = (row: ObservedService): RunningFacts | undefined => {
  const {
    wanted,
    running,
    restarts,
    last_end_ms: at,
    last_end_why: why,
    obstacle,
    changes,
    at_ms: measuredAt,
    figures,
    since_ms: since,
    reason,
  } = row;
  if (wanted === null && since === null) return undefined;
  return {
    ...(wanted !== null && running !== null && { seen: { wanted, running } }),
    restarts: restarts ?? 0,
    changes: changesIn(changes),
    ...(at !== null && why !== null && { lastEnd: { at, why: readCondition(why) } }),
    ...(obstacle !== null && { problem: readCondition(obstacle) }),
    ...(measuredAt !== null &&
      figures !== null && { used: { at: measuredAt, figures: JSON.parse(figures) as ServiceFigures } }),
    ...(since !== null && reason !== null && { unreachable: { since, reason } }),
  };
};

const observedServices = compiled((db, { ids }: { readonly ids: readonly string[] }) =>
  servicesWithObservation(db)
    .where('service.id', 'in', ids)
    .where((eb) => eb.or([eb('seen.service_id', 'is not', null), eb('lost.cluster_id', 'is not', null)])),
);

const servicesOfEnvironment = compiled((db, { id }: { readonly id: string }) =>
  servicesWithObservation(db).where('service.environment_id', '=', id),
);

/** The observations of services, by service id. Services that aren't observed are left out. */
export async function runningFacts(db: Db, serviceIds: readonly string[]): Promise<ReadonlyMap<string, RunningFacts>> {
  const rows = await observedServices(db, { ids: serviceIds });
  return new Map(
    rows.flatMap((row) => {
      const facts = factsOf(row);
      return facts ? [[row.id, facts] as const] : [];
    }),
  );
}

/** The states in which instances should run. */
export const runningStates: readonly DeploymentState[] = ['DEPLOYED', 'RESTARTED'];

/** The kinds whose instances run all the time. */
export const keptRunning: readonly ServiceKind[] = ['application', 'container', 'database', 'helm'];

/** Whether instances of a service should run all the time, according to its state. */
export const shouldRun = ({ kind, deployed_state: state }: Deployed): boolean =>
  runningStates.includes(state) && keptRunning.includes(kind);

/** The condition of an unreachable cluster. @param since milliseconds since the epoch */
export const unreachable = ({ since, reason }: NonNullable<RunningFacts['unreachable']>): Condition =>
  condition('CLUSTER_UNREACHABLE', { since: iso(since), said: reason });

/** Whether no instance of a service runs that should have some, as far as is known. */
const isDownBy = ({ seen }: RunningFacts): boolean => seen !== undefined && seen.wanted > 0 && seen.running === 0;

/**
 * The state of a service in responses: UNAVAILABLE for a deployed one of which no instance runs, or whose cluster is
 * unreachable. The state of a deployment under way or a failed one takes precedence.
 */
export function shownState(
  { kind, deployed_state: state }: Deployed,
  facts: RunningFacts | undefined,
): DeploymentState {
  if (!facts || !runningStates.includes(state)) return state;
  return isDownBy(facts) || (facts.unreachable && shouldRun({ kind, deployed_state: state })) ? 'UNAVAILABLE' : state;
}

/** The state of a service in responses, from its row with the observation. */
export const shownStateOf = (row: ObservedService): DeploymentState => shownState(row, factsOf(row));

/** The states of an environment's services in responses. */
export const shownStates = async (db: Db, environmentId: string): Promise<DeploymentState[]> =>
  (await servicesOfEnvironment(db, { id: environmentId })).map(shownStateOf);

export type Freshness = ServiceTable['deployment_status'];

/**
 * Whether the running version is up to date with the configuration. A change made outside the platform makes it out of
 * date.
 */
export const freshnessOf = (
  { deployment_status: recorded }: { readonly deployment_status: Freshness },
  facts: RunningFacts | undefined,
): Freshness => (facts && facts.changes.length > 0 ? 'OUT_OF_DATE' : recorded);

/** The same for every service of an environment. */
export const shownFreshness = async (db: Db, environmentId: string): Promise<Freshness[]> =>
  (await servicesOfEnvironment(db, { id: environmentId })).map((row) => freshnessOf(row, factsOf(row)));

/** The conditions of a running service that users should know. */
export function conditionsOf({
  seen,
  lastEnd,
  problem,
  changes,
  unreachable: lost,
  restarts,
}: RunningFacts): Condition[] {
  const isMissing = seen && seen.running < seen.wanted;
  return [
    ...(lost ? [unreachable(lost)] : []),
    ...changes,
    ...(isMissing ? [condition('INSTANCES_MISSING', { ...seen, isKnown: !isUnknown(problem) })] : []),
    ...(problem === undefined ? [] : [problem]),
    ...(lastEnd && restarts > 0
      ? [condition('CRASHED', { times: restarts, at: iso(lastEnd.at), cause: lastEnd.why })]
      : []),
  ];
}
