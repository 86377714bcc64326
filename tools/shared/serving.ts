import { isServiceKind } from '../../src/contract/index.ts';
import {
  canServe,
  configuredVersion,
  instancesIn,
  lastVersionOf,
  laterFirst,
  needsHistory,
  needsHistoryOfRuns,
  readDeployment,
  servingOf,
  servingText,
  type HistoryItem,
  type LenientServiceStatus,
  type PastDeployment,
  type Serving,
} from '../../src/analysis/index.ts';
import { isRecord, type JsonRecord, type ReadUse, type ToolContext } from '../../src/server/tool/index.ts';
import { eachWithin, type Allowance } from './allowance.ts';
import { readAspect, readsByKind } from './any-service.ts';
import { ifPossible } from './if-possible.ts';
import { unlessFailing } from './places.ts';

/** Maximum number of histories that are read to determine serving versions. */
const mostHistories = 4;

/** A service whose serving version is requested. */
export interface Served {
  readonly kind: string;
  readonly id: string;
  readonly status?: LenientServiceStatus | null;
  readonly configuration?: JsonRecord;
}

/** The reads for serving versions. */
export const readsOfServing: readonly ReadUse[] = readsByKind('deployments', 'which version serves');

const lastFirst = (one: Served, other: Served): number =>
  laterFirst(one.status?.last_deployment_date, other.status?.last_deployment_date);

/** The newest deployments of a service; undefined if they can't be read. @throws ApiError if the platform fails */
export async function historyOf(
  context: ToolContext,
  { kind, id }: Served,
): Promise<readonly PastDeployment[] | undefined> {
  const history = isServiceKind(kind) ? await readAspect(context, { kind, id }, 'deployments') : undefined;
  return Array.isArray(history?.['results'])
    ? (history['results'].filter(isRecord) as HistoryItem[]).map(readDeployment)
    : undefined;
}

/**
 * The serving versions of services, as text, by their ids. A service that runs as configured needs no history; of the
 * others, the most recently deployed are looked up in their histories.
 */
export async function servingById(
  context: ToolContext,
  services: readonly Served[],
): Promise<ReadonlyMap<string, string>> {
  const unclear = services.filter(needsHistory).toSorted(lastFirst).slice(0, mostHistories);
  const histories = new Map(
    await Promise.all(unclear.map(async (service) => [service.id, await historyOf(context, service)] as const)),
  );
  return new Map(
    services.flatMap((service) => {
      const text = servingText(servingOf({ ...service, history: histories.get(service.id) }));
      return text === undefined ? [] : [[service.id, text] as const];
    }),
  );
}

/**
 * The serving versions of many services by their ids, as far as the allowance goes: services that run as configured
 * need no request, each of the others one.
 * @throws ApiError if the platform fails as a whole
 */
export async function servingWithin(
  context: ToolContext,
  services: readonly Served[],
  allowance: Allowance,
): Promise<ReadonlyMap<string, Serving | undefined>> {
  const histories = new Map(
    await eachWithin(
      services.filter(needsHistory),
      allowance,
      async (service) => [service.id, await unlessFailing(historyOf(context, service))] as const,
    ),
  );
  return new Map(
    services.map((service) => [service.id, servingOf({ ...service, history: histories.get(service.id) })] as const),
  );
}

const notKnown = 'not known';

/** How many instances run, where the status doesn't tell it because the platform doesn't observe them. */
function instancesOf({ configuration, status }: Served): JsonRecord {
  if (typeof status?.running?.instances === 'number') return {};
  const configured = instancesIn(configuration);
  return { running_instances: configured === undefined ? notKnown : `${notKnown}; configured: ${configured}` };
}

/** A serving version as text, without the number of instances, which is told by itself. */
const servesText = (serving: Serving | undefined): string =>
  servingText(
    serving && {
      ...serving,
      instances: undefined,
      ...(serving.is === 'serving' && serving.version === undefined && { version: `version ${notKnown}` }),
    },
  ) ?? notKnown;

/**
 * The version of a service that serves, or was last deployed if it runs to completion, beside the configured one where
 * that differs; and how many instances there are, where its status doesn't tell. Reads its history if necessary.
 */
export async function versionFacts(context: ToolContext, service: Served): Promise<JsonRecord> {
  const isTold = typeof service.status?.state === 'string';
  const history =
    isTold && (needsHistory(service) || needsHistoryOfRuns(service))
      ? await ifPossible(context, 'Which version serves', () => historyOf(context, service))
      : undefined;
  const known = { ...service, history };
  if (!canServe(service.kind)) return { deployed: lastVersionOf(known) ?? notKnown };
  const serving = servingOf(known);
  const configured = configuredVersion(service);
  const isOther = serving?.version !== undefined && configured !== undefined && serving.version !== configured;
  return {
    serves: servesText(serving),
    ...(isOther && { configured_version: configured }),
    ...(serving?.is !== 'nothing' && instancesOf(service)),
  };
}

/**
 * The serving version of one service, as text: its configuration is read and, if necessary, its history. Undefined for
 * kinds that don't serve.
 */
export async function servingNow(
  context: ToolContext,
  { kind, id }: Served,
  status: LenientServiceStatus,
): Promise<string | undefined> {
  if (!isServiceKind(kind) || !canServe(kind)) return undefined;
  const configuration = await readAspect(context, { kind, id }, 'configuration');
  return (await servingById(context, [{ kind, id, status, configuration }])).get(id);
}
