import * as z from 'zod';
import {
  defaultPageSizes,
  maximumEventPageSize,
  maximumPageSize,
  operations,
  reference,
} from '../../src/contract/index.ts';
import {
  groupedByDeployment,
  isWanted,
  readDeployment,
  tellGroup,
  type EventGroup,
  type LenientEvent,
  type WantedEvents,
} from '../../src/analysis/index.ts';
import {
  anyService,
  composeTool,
  isPlatformFailure,
  isRecord,
  recordsIn,
  isSecretName,
  naming,
  pick,
  pruneRecord,
  table,
  type JsonRecord,
  type NextCall,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readAspect, readsByKind, subjectAt } from '../shared/any-service.ts';
import { ifPossible } from '../shared/if-possible.ts';
import { windowOf } from '../shared/time-bounds.ts';

const keepsNoOlder = 'The platform keeps no older ones.';
const mayBeMore = 'There may be older ones that fit.';
const mayBeMoreBefore = 'There may be older ones: until looks further back.';

const columns = ['at', 'who', 'via', 'what', 'where', 'changes'];

/** Maximum number of pages that one call reads. */
const mostPages = 5;

/** The same if only some events are visible, so that hidden events don't displace them. */
const mostNarrowedPages = 20;

interface Found {
  /** Each a row: the events of one deployment, or one other event. */
  readonly groups: readonly EventGroup[];
  readonly looked: number;
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

/** Reads pages of events, newest first, until there are enough matches. */
async function search(context: ToolContext, organization_id: string, wanted: WantedEvents): Promise<Found> {
  const window = {
    ...(wanted.from !== undefined && { from_timestamp: new Date(wanted.from).toISOString() }),
    ...(wanted.to !== undefined && { to_timestamp: new Date(wanted.to).toISOString() }),
  };
  const events: LenientEvent[] = [];
  let [token, looked, turned]: [string | undefined, number, number] = [undefined, 0, 0];
  for (;;) {
    // Each page has the token of the next one.
    const answer = await page(context, organization_id, {
      ...window,
      ...(token !== undefined && { continue_token: decodeURIComponent(token) }),
    });
    const rows = recordsIn(answer['events']) as LenientEvent[];
    events.push(...rows.filter((event) => isWanted(wanted, event)));
    const groups = groupedByDeployment(events);
    looked += rows.length;
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
        ...(!isNarrowed && typeof reached?.timestamp === 'string' && { wholeSince: reached.timestamp }),
        looked,
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

/** The ids to which the arguments resolve, with the environment and project of a service. */
function placesOf({ resolved }: ToolContext): Pick<WantedEvents, 'service' | 'environment' | 'project'> {
  const { service, environment, project } = resolved;
  if (service) return { service: service.id, environment: service.environment?.id, project: service.project?.id };
  return { ...(environment ? { environment: environment.id } : project && { project: project.id }) };
}

const isDeployment = (kind: string | undefined): boolean => kind === undefined || /deploy/i.test(kind);

/**
 * Whether the history of the requested service or environment has deployments from before a time; undefined if that
 * isn't known.
 */
async function hasOlderDeployments(context: ToolContext, since: string): Promise<boolean | undefined> {
  const subject = subjectAt(context, 'service') ?? subjectAt(context, 'environment');
  const history =
    subject &&
    (await ifPossible(context, 'Whether there are older deployments', () =>
      readAspect(context, subject, 'deployments', { page: 1, page_size: maximumPageSize }),
    ));
  return (
    history &&
    recordsIn(history['results']).some((item) => Date.parse(readDeployment(item).startedAt ?? '') < Date.parse(since))
  );
}

const next = (view: JsonRecord, args: JsonRecord): readonly NextCall[] => {
  const rows = recordsIn(view['results']);
  const last = rows.at(-1)?.['at'];
  return [
    ...(view['more'] === mayBeMore && typeof last === 'string'
      ? [{ tool: 'list_events', arguments: { ...args, until: last }, why: 'older ones' }]
      : []),
    ...(view['deployments_before'] === undefined
      ? []
      : [
          {
            tool: 'list_deployments',
            arguments: pick(args, args['service'] === undefined ? ['environment'] : ['service']),
            why: 'the deployments from before there were events',
          },
        ]),
  ];
};

/** How far back the events go, in one sentence; none if that isn't known. */
function reachText({ kept_since: since, deployments_before: before, older }: JsonRecord): readonly string[] {
  const begin = since ?? before;
  if (typeof begin !== 'string') return typeof older === 'string' ? [older] : [];
  const which = before === undefined ? 'earlier ones' : 'earlier ones, deployments too,';
  return [
    `Every change since ${begin} has its event; ${which} ${older === undefined ? 'may have none' : 'are not kept'}.`,
  ];
}

export const listEvents = composeTool({
  name: 'list_events',
  toolset: 'organization',
  title: 'Who changed something: history of changes',
  description:
    'Audit trail, activity log, change history: who changed, created, deleted, removed, stopped or touched ' +
    'something, when; old, new values.',
  input: {
    service: anyService().optional(),
    environment: reference('environment').optional(),
    project: reference('project').optional(),
    who: z.string().min(1).optional().describe('Part of a name.'),
    kind: z.string().min(1).optional().describe('variable, deploy, lock'),
    since: z.string().optional().describe('Time, or ago: PT15M.'),
    until: z.string().optional().describe('As since.'),
  },
  hidden: ['project'],
  operations: [operations.list_events],
  reads: [
    { operation: operations.get_organization, without: 'it does not know what to list', isNeeded: true },
    ...readsByKind(
      'deployments',
      'that there are deployments from before events were recorded',
      operations.list_environment_deployments,
    ),
  ],
  output: z.object({
    results: z.array(
      z.object({
        at: z.string(),
        who: z.string(),
        via: z.string(),
        what: z.string(),
        where: z.string(),
        changes: z.string(),
      }),
    ),
    looked_through: z.int(),
    kept_since: z.string(),
    deployments_before: z.string(),
    more: z.string(),
  }),
  answer: async ({ who, kind, since, until }, context) => {
    const organization = await context.read(operations.get_organization, {});
    if (!organization.id)
      return context.refuse(
        'the platform does not say the id of the organization, and events are listed by it',
        naming`Who deployed, and when, is in the history: ${'list_deployments'}.`,
      );
    const wanted = { who, kind, ...windowOf({ since, until }, context), ...placesOf(context) };
    const {
      groups,
      looked,
      hasMore,
      isFull,
      isNarrowed,
      since: keptSince,
      first,
      isCut,
      wholeSince,
    } = await search(context, organization.id, wanted);
    const begin = keptSince ?? first;
    const reachesBack =
      begin !== undefined &&
      !isNarrowed &&
      isDeployment(kind) &&
      (wanted.from === undefined || wanted.from < Date.parse(begin)) &&
      (wanted.to === undefined || wanted.to > Date.parse(begin));
    const isOlder = reachesBack && (await hasOlderDeployments(context, begin)) === true;
    return pruneRecord({
      results: groups.map((group) => pruneRecord(pick({ ...tellGroup(group, isSecretName) }, columns))),
      looked_through: looked,
      kept_since: keptSince,
      ...(isOlder && { deployments_before: begin }),
      ...(isCut && { older: keepsNoOlder }),
      ...(hasMore && { more: isNarrowed && !isFull ? mayBeMoreBefore : mayBeMore, whole_since: wholeSince }),
    });
  },
  render: {
    ...table('event', columns),
    shown: undefined,
    view: (answer) => ({ ...answer, results: answer['results'] ?? [] }),
    text: (view) =>
      [
        (view['results'] as readonly JsonRecord[]).length === 0
          ? `None of the ${String(view['looked_through'])} events looked through fits.`
          : table('event', columns).text(view),
        ...reachText(view),
        ...(typeof view['more'] === 'string'
          ? [
              [
                view['more'],
                ...(typeof view['whole_since'] === 'string'
                  ? [`From ${view['whole_since']} on, none is missing.`]
                  : []),
                `${String(view['looked_through'])} were looked through.`,
              ].join(' '),
            ]
          : []),
      ].join('\n'),
    plainTimes: false,
  },
  next,
});
