import { type DataOf, dataOf, shortened } from '../contract/index.ts';
import { conditionsIn, dataIn } from './conditions.ts';
import type { LenientServiceStatus } from './deployment-progress.ts';

/** The part of a status that contains warnings. */
type Status = Pick<LenientServiceStatus, 'state' | 'running'>;

/** The platform's warnings about a running service, in the platform's order; empty if there are none. */
export function warningsIn(status: Status | null | undefined): readonly string[] {
  const warnings: unknown = status?.running?.warnings;
  return Array.isArray(warnings)
    ? warnings.filter((each): each is string => typeof each === 'string' && each !== '')
    : [];
}

/**
 * The most informative warning of a service: how many of its instances run, and a reason, rather than that none runs;
 * undefined if there is none.
 */
function mostInformativeWarning(status: Status | null | undefined): string | undefined {
  const conditions = conditionsIn(status);
  if (conditions === undefined) return warningsIn(status)[0];
  const missing = conditions.find(({ reason }) => reason === 'INSTANCES_MISSING');
  const isSome = missing !== undefined && (dataOf(missing, 'INSTANCES_MISSING')?.running ?? 0) > 0;
  const reason = conditions.find((each) => each !== missing);
  const told = isSome ? [missing, reason] : [reason ?? conditions[0]];
  return told.flatMap((each) => each?.message ?? []).join(' ') || undefined;
}

/** Maximum number of services in a list whose warnings are shown, and maximum characters of each warning. */
const mostTold = 10;
const longestTold = 200;

const clipped = (text: string): string => shortened(text, longestTold);

/**
 * The most informative warning of each service in a list that has one, shortened: first those of unavailable services,
 * then others. For the rest it only says that there is a warning.
 */
export function warningsOfServices<Service extends { readonly status?: Status | null }>(
  services: readonly Service[],
): ReadonlyMap<Service, string> {
  const warned = services.flatMap((service) => {
    const warning = mostInformativeWarning(service.status);
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

/** Facts about the data of a database whose node is lost. */
export type StrandedData = Pick<DataOf<'DATA_ON_NODE'>, 'backup'>;

/**
 * Facts about the data of a database whose node is lost; undefined if the platform reports no such loss. A backup
 * doesn't help databases that are unavailable for other reasons, such as a lack of room.
 */
export function strandedDataIn(status: Status | null | undefined): StrandedData | undefined {
  const isNodeLost = dataIn(status, 'WAITING_FOR_NODE') !== undefined || dataIn(status, 'NODE_GONE') !== undefined;
  return status?.state === 'UNAVAILABLE' && isNodeLost ? dataIn(status, 'DATA_ON_NODE') : undefined;
}
