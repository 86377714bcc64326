import * as z from 'zod';
import { maximumPageSize, operations, reference } from '../../src/contract/index.ts';
import { readDeployment, tellGroup } from '../../src/analysis/index.ts';
import {
  anyService,
  composeTool,
  isSecretName,
  naming,
  omit,
  pick,
  pruneRecord,
  recordsIn,
  table,
  textOf,
  type JsonRecord,
  type NextCall,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readAspect, readsByKind, subjectAt } from '../shared/any-service.ts';
import { ifPossible } from '../shared/if-possible.ts';
import { windowOf } from '../shared/time-bounds.ts';
import { searchEvents } from './event-search.ts';
import {
  argumentsOfMore,
  callsForOthers,
  inheritedText,
  placesOf,
  readsOfSubject,
  soughtIn,
  subjectArguments,
  subjectLines,
  subjectOf,
} from './event-subject.ts';

const keepsNoOlder = 'The platform keeps no older ones.';
const mayBeMore = 'There may be older ones that fit.';
const mayBeMoreBefore = 'There may be older ones: until looks further back.';

const columns = ['at', 'who', 'via', 'what', 'where', 'changes'];

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

/** The call for deployments from before the record of events; none if there is nothing to say that it may find some. */
function earlierDeployments(view: JsonRecord, args: JsonRecord): readonly NextCall[] {
  const place = (['service', 'environment', 'project'] as const).find((name) => args[name] !== undefined);
  const why =
    view['deployments_before'] !== undefined
      ? 'the deployments from before there were events'
      : view['record_begins'] !== undefined && view['subject'] === undefined && isDeployment(textOf(args, 'kind'))
        ? 'deployments from before the record of events, if there are any'
        : undefined;
  return why === undefined
    ? []
    : [{ tool: 'list_deployments', arguments: pick(args, [...(place ? [place] : []), 'since']), why }];
}

const next = (view: JsonRecord, args: JsonRecord): readonly NextCall[] => {
  const rows = recordsIn(view['results']);
  const last = rows.at(-1)?.['at'];
  return [
    ...callsForOthers(view, args),
    ...(view['more'] === mayBeMore && typeof last === 'string'
      ? [{ tool: 'list_events', arguments: { ...argumentsOfMore(view, args), until: last }, why: 'older ones' }]
      : []),
    ...earlierDeployments(view, args),
  ];
};

/** That no event fits. Where the record begins later than what is asked for, that comes first. */
function nothingText(view: JsonRecord): string {
  const { looked_through: looked, record_begins: begin, kept_since: since, deployments_before: before } = view;
  const { more, older } = view;
  const isUnknown = [begin, since, more, older].every((one) => one === undefined);
  const earlier = before === undefined ? 'changed or deployed before that' : 'changed before that, deployments too,';
  return [
    ...(typeof begin === 'string'
      ? [
          `The record of events begins at ${begin}: what was ${earlier} ${older === undefined ? 'may have no event' : 'has none any more'}.`,
        ]
      : []),
    looked === 0
      ? 'No event was found.'
      : looked === 1
        ? 'The only event that was looked through does not fit.'
        : `None of the ${String(looked)} events looked through fits.`,
    ...(isUnknown ? ['How far back this platform has events is not known.'] : []),
  ].join(' ');
}

/** How far back the events go, in one sentence; none if that isn't known, or told with what was not found. */
function reachText({
  kept_since: since,
  deployments_before: before,
  record_begins: told,
  results,
  older,
}: JsonRecord): readonly string[] {
  if (told !== undefined && recordsIn(results).length === 0) return [];
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
  mayBeGone: subjectArguments,
  operations: [operations.list_events],
  reads: [
    { operation: operations.get_organization, without: 'it does not know what to list', isNeeded: true },
    ...readsByKind(
      'deployments',
      'that there are deployments from before events were recorded',
      operations.list_environment_deployments,
    ),
    ...readsOfSubject,
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
    const places = await placesOf(context);
    const wanted = { who, kind, ...windowOf({ since, until }, context), ...places };
    const sought = soughtIn(context);
    const found = await searchEvents(context, organization.id, wanted, sought);
    const { groups, looked, hasMore, isFull, isNarrowed, since: keptSince, first, isCut, wholeSince } = found;
    const subject = await subjectOf(context, sought, found);
    const begin = keptSince ?? first;
    const isBeforeRecord = begin !== undefined && (wanted.from === undefined || wanted.from < Date.parse(begin));
    const reachesBack =
      isBeforeRecord &&
      subject['subject'] === undefined &&
      !isNarrowed &&
      isDeployment(kind) &&
      (wanted.to === undefined || wanted.to > Date.parse(begin));
    const isOlder = reachesBack && (await hasOlderDeployments(context, begin)) === true;
    return pruneRecord({
      results: groups.map((group) => pruneRecord(pick({ ...tellGroup(group, isSecretName) }, columns))),
      looked_through: looked,
      ...subject,
      inherited: subject['subject'] === undefined ? inheritedText(context, kind, places) : undefined,
      kept_since: keptSince,
      ...(isOlder && { deployments_before: begin }),
      ...(isBeforeRecord && (groups.length === 0 || since !== undefined) && { record_begins: begin }),
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
        ...subjectLines(view),
        (view['results'] as readonly JsonRecord[]).length === 0
          ? nothingText(view)
          : table('event', columns).text(omit(view, ['subject', 'same_name', 'inherited', 'record_begins'])),
        ...(typeof view['inherited'] === 'string' ? [view['inherited']] : []),
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
