import { isServiceKind } from '../../src/contract/index.ts';
import {
  canServe,
  laterFirst,
  needsHistory,
  readDeployment,
  servingOf,
  servingText,
  type HistoryItem,
  type LenientServiceStatus,
  type PastDeployment,
} from '../../src/analysis/index.ts';
import { isRecord, type JsonRecord, type ReadUse, type ToolContext } from '../../src/server/tool/index.ts';
import { readAspect, readsByKind } from './any-service.ts';

/** Most histories that are read to tell what serves. */
const mostHistories = 4;

/** A service whose version that serves is wanted. */
export interface Served {
  readonly kind: string;
  readonly id: string;
  readonly status?: LenientServiceStatus | null;
  readonly configuration?: JsonRecord;
}

/** What is read to tell what serves. */
export const readsOfServing: readonly ReadUse[] = readsByKind('deployments', 'which version serves');

const lastFirst = (one: Served, other: Served): number =>
  laterFirst(one.status?.last_deployment_date, other.status?.last_deployment_date);

async function historyOf(context: ToolContext, { kind, id }: Served): Promise<readonly PastDeployment[] | undefined> {
  const history = isServiceKind(kind) ? await readAspect(context, { kind, id }, 'deployments') : undefined;
  return Array.isArray(history?.['results'])
    ? (history['results'].filter(isRecord) as HistoryItem[]).map(readDeployment)
    : undefined;
}

/**
 * What serves of services, in words, by their ids. What runs as it is configured tells it by itself; of the others,
 * those that were deployed last are looked up in their histories.
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
 * What serves of one service, in words: its configuration is read, and its history where need be. Undefined for what
 * doesn't serve by nature.
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
