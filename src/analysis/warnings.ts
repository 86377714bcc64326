import { type DataOf, dataOf, shortened } from '../contract/index.ts';
import { conditionsIn, dataIn } from './conditions.ts';
import type { LenientServiceStatus } from './deployment-progress.ts';

/** What warnings are read from. */
type Status = Pick<LenientServiceStatus, 'state' | 'running'>;

/**
 * What the platform says of what runs of a service and is not as it should be, in its order; empty if it says nothing.
 */
export function warningsIn(status: Status | null | undefined): readonly string[] {
  const warnings: unknown = status?.running?.warnings;
  return Array.isArray(warnings)
    ? warnings.filter((each): each is string => typeof each === 'string' && each !== '')
    : [];
}

/**
 * The most telling of what is said of a service: how many of its instances run, and a reason, rather than that none
 * does; undefined if there is nothing.
 */
function tellingWarning(status: Status | null | undefined): string | undefined {
  const conditions = conditionsIn(status);
  if (conditions === undefined) return warningsIn(status)[0];
  const missing = conditions.find(({ reason }) => reason === 'INSTANCES_MISSING');
  const isSome = missing !== undefined && (dataOf(missing, 'INSTANCES_MISSING')?.running ?? 0) > 0;
  const reason = conditions.find((each) => each !== missing);
  const told = isSome ? [missing, reason] : [reason ?? conditions[0]];
  return told.flatMap((each) => each?.message ?? []).join(' ') || undefined;
}

/** Most services of a list whose warnings are told in it, and most characters of each. */
const mostTold = 10;
const longestTold = 200;

const clipped = (text: string): string => shortened(text, longestTold);

/**
 * The most telling warning of each service of a list that has one, in few words: those are told that are unavailable,
 * then others. Of the rest it is only told that there is something.
 */
export function warningsOfServices<Service extends { readonly status?: Status | null }>(
  services: readonly Service[],
): ReadonlyMap<Service, string> {
  const warned = services.flatMap((service) => {
    const warning = tellingWarning(service.status);
    return warning === undefined ? [] : [{ service, warning }];
  });
  const isDown = ({ service }: (typeof warned)[number]): boolean => service.status?.state === 'UNAVAILABLE';
  const urgentFirst = warned.toSorted((one, other) => Number(isDown(other)) - Number(isDown(one)));
  return new Map(
    urgentFirst.map(({ service, warning }, index) => [
      service,
      index < mostTold ? clipped(warning) : 'see the warnings of its own status',
    ]),
  );
}

/** What is known of the data of a database whose node is lost. */
export type StrandedData = Pick<DataOf<'DATA_ON_NODE'>, 'backup'>;

/**
 * What is known of the data of a database whose node is lost; undefined if the platform says nothing like it. Others
 * that are missing, such as those for which there is no room, are not helped by a backup.
 */
export function strandedDataIn(status: Status | null | undefined): StrandedData | undefined {
  const isNodeLost = dataIn(status, 'WAITING_FOR_NODE') !== undefined || dataIn(status, 'NODE_GONE') !== undefined;
  return status?.state === 'UNAVAILABLE' && isNodeLost ? dataIn(status, 'DATA_ON_NODE') : undefined;
}
