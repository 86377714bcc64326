import { defaultPageSizes, maximumEventPageSize, operations } from '../../src/contract/index.ts';
import {
  groupedByDeployment,
  isWanted,
  placesNamed,
  type EventGroup,
  type EventPlace,
  type LenientEvent,
  type PlaceKind,
  type WantedEvents,
} from '../../src/analysis/index.ts';
import {
  isPlatformFailure,
  isRecord,
  naming,
  recordsIn,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';

/** Maximum number of pages that one call reads. */
const mostPages = 5;

/** The same if only some events are visible, so that hidden events don't displace them. */
const mostNarrowedPages = 20;

/** What a call asks events of, as events may name it. */
export interface Sought {
  readonly kind: PlaceKind;
  /** A name, a path or an id. */
  readonly reference: string;
  /** The id to which it resolves; undefined if nothing has that name: then events tell what had it. */
  readonly id?: string;
}

export interface FoundEvents {
  /** Each a row: the events of one deployment, or one other event. */
  readonly groups: readonly EventGroup[];
  readonly looked: number;
  /** What the events call like what is sought, the newest first: what it resolves to, and others. */
  readonly places: readonly EventPlace[];
  /** Whether there may be older matching events. */
  readonly hasMore: boolean;
  readonly since?: string;
  readonly isCut: boolean;
  /** Whether more events were found than are shown. */
  readonly isFull: boolean;
  /** Whether only some events are visible: then the answer says nothing that depends on the others. */
  readonly isNarrowed: boolean;
  /** The time of the first event that the platform has, if the search reached it. */
  readonly first?: string;
  /** The time from which on all that fit are shown; undefined if that isn't known. */
  readonly wholeSince?: string;
}

const tokenIn = (link: unknown): string | undefined =>
  typeof link === 'string' ? /(?:^|[?&])continueToken=([^&]+)/.exec(link)?.[1] : undefined;

async function page(context: ToolContext, organization_id: string, query: JsonRecord): Promise<JsonRecord> {
  try {
    return await context.read(operations.list_events, { organization_id, page_size: maximumEventPageSize, ...query });
  } catch (error) {
    if (!isPlatformFailure(error) || error.kind !== 'not_offered') throw error;
    return context.refuse(
      'this platform keeps no events',
      naming`Who deployed, and when, is in the history: ${'list_deployments'}.`,
    );
  }
}

/** The argument for events of what events name: of a service of any kind it is `service`. */
export const argumentOf = (kind: PlaceKind): 'project' | 'environment' | 'service' =>
  kind === 'project' || kind === 'environment' ? kind : 'service';

/** The events that fit: of a name that nothing has any more, those of what had it last. */
function fitting(
  events: readonly LenientEvent[],
  wanted: WantedEvents,
  sought: Sought | undefined,
  [newest]: readonly EventPlace[],
): readonly LenientEvent[] {
  if (!sought || sought.id !== undefined) return events.filter((event) => isWanted(wanted, event));
  if (!newest) return [];
  const { who, kind, from, to } = wanted;
  const itsOwn = { who, kind, from, to, [argumentOf(newest.kind)]: newest.id };
  return events.filter((event) => isWanted(itsOwn, event));
}

/** Reads pages of events, newest first, until there are enough matches. */
export async function searchEvents(
  context: ToolContext,
  organization_id: string,
  wanted: WantedEvents,
  sought?: Sought,
): Promise<FoundEvents> {
  const window = {
    ...(wanted.from !== undefined && { from_timestamp: new Date(wanted.from).toISOString() }),
    ...(wanted.to !== undefined && { to_timestamp: new Date(wanted.to).toISOString() }),
  };
  // A name counts in the places that are given with it.
  const { project, environment } = wanted;
  const around = sought?.id === undefined ? { project, environment } : {};
  const all: LenientEvent[] = [];
  let [token, turned]: [string | undefined, number] = [undefined, 0];
  for (;;) {
    // Each page has the token of the next one.
    const answer = await page(context, organization_id, {
      ...window,
      ...(token !== undefined && { continue_token: decodeURIComponent(token) }),
    });
    const rows = recordsIn(answer['events']) as LenientEvent[];
    all.push(...rows);
    const places = sought
      ? placesNamed(
          all.filter((event) => isWanted(around, event)),
          sought.kind,
          sought.reference,
        )
      : [];
    const groups = groupedByDeployment(fitting(all, wanted, sought, places));
    turned += 1;
    const next = tokenIn(isRecord(answer['links']) ? answer['links']['next'] : undefined);
    const isPast =
      wanted.from !== undefined && rows.some(({ timestamp }) => Date.parse(timestamp ?? '') < wanted.from!);
    const isNarrowed = answer['is_narrowed'] === true;
    // A page without visible events is empty here, but isn't the last one.
    const isDone = next === undefined || next === token || (rows.length === 0 && !isNarrowed) || isPast;
    if (
      isDone ||
      groups.length > defaultPageSizes.shownEvents ||
      turned === (isNarrowed ? mostNarrowedPages : mostPages)
    ) {
      const since = typeof answer['events_since'] === 'string' ? answer['events_since'] : undefined;
      const isFull = groups.length > defaultPageSizes.shownEvents;
      const first =
        next === undefined && wanted.from === undefined && !isNarrowed
          ? (rows.at(-1)?.timestamp ?? undefined)
          : undefined;
      const shown = groups.slice(0, defaultPageSizes.shownEvents);
      const reached = isFull ? shown.at(-1)?.events[0] : isDone ? undefined : rows.at(-1);
      return {
        groups: shown,
        places,
        ...(!isNarrowed && typeof reached?.timestamp === 'string' && { wholeSince: reached.timestamp }),
        looked: all.length,
        hasMore: isFull || isNarrowed || !isDone,
        isFull,
        isNarrowed,
        since,
        first,
        isCut: answer['organization_max_limit_reached'] === true,
      };
    }
    token = next;
  }
}
