import * as z from 'zod';
import {
  defaultPageSizes,
  isoAt,
  maximumPageSize,
  operations,
  PageNumber,
  PageSize,
  reference,
} from '../../src/contract/index.ts';
import { lackVersions, type HistoryItem } from '../../src/analysis/index.ts';
import {
  anyOf,
  anyService,
  compact,
  composeTool,
  isPlatformFailure,
  omit,
  pick,
  recordsIn,
  pruneRecord,
  table,
  type JsonRecord,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { allowedRequests } from '../shared/allowance.ts';
import {
  aspectFailure,
  oneOfOrNone,
  readAspect,
  readsByKind,
  readsOf,
  serviceSubject,
  subjectAt,
  type Subject,
} from '../shared/any-service.ts';
import { findDeployments, hasFailed, requestedAt } from '../shared/found-deployments.ts';
import {
  environmentsWithin,
  lackingPlaces,
  lackingText,
  lookedAtText,
  someNames,
  readsOfEnvironments,
} from '../shared/places.ts';
import { columns, row, rowWithPath } from './deployment-rows.ts';
import { changesBetween, comparedDeployments, comparedText } from './compared-deployments.ts';
import {
  callsOfCauses,
  causesText,
  failureCauses,
  isAboutFailures,
  membersOfCauses,
  mostCauses,
  readsOfCauses,
} from './failure-causes.ts';
import { windowOf } from '../shared/time-bounds.ts';

const elsewhere = 'in its own history: give service';

const noOlder =
  'This platform has no pages of deployments, and answered no more than the ones before this page: whether there are older ones is not known.';

/** Ends the call with the reason why there is no history to show. */
async function refuseUnread(context: ToolContext, subject: Subject, query: JsonRecord): Promise<never> {
  const failure = await aspectFailure(context, subject, 'deployments', query);
  if (failure !== undefined && !isPlatformFailure(failure)) throw failure as Error;
  return context.refuse(
    `the deployments of this ${subject.kind} can't be read here${failure ? `, because ${failure.reason}${failure.status === undefined ? '' : ` (HTTP ${failure.status})`}` : ''}`,
    'Its status tells of the latest one.',
  );
}

interface Choice {
  readonly project?: string;
  readonly state?: string;
  readonly since?: string;
}

/**
 * What the search looked at: the service or environment that is given, or each environment of the project or of all.
 * The path of one that is given is not repeated in every row.
 */
async function subjectsIn(context: ToolContext, { project }: Choice) {
  const one = subjectAt(context, 'service') ?? subjectAt(context, 'environment');
  const allowanceFor = () => ({ remainingRequests: allowedRequests(context) });
  if (one) {
    const path = one.path ?? one.name ?? one.id;
    return {
      isGiven: true,
      subjects: [{ ...one, path }],
      lacking: { unread: [], notReached: [] },
      allowance: allowanceFor(),
      modes: new Map<string, string | undefined>(),
    };
  }
  const { places, allowance } = await environmentsWithin(context, { project }, allowanceFor);
  const subjects = places.environments.map(({ id, path, project: its }): Subject => ({
    kind: 'environment',
    id,
    path,
    projectId: its?.id,
  }));
  const modes = new Map(places.environments.map(({ id, mode }) => [id, mode]));
  return { isGiven: false, subjects, lacking: places, allowance, modes };
}

const pathsOf = (subjects: readonly Subject[]): readonly string[] => subjects.map(({ id, path = id }) => path);

/** How far back deployments go that fill a page: there may be older ones. */
function reachOf(shown: readonly HistoryItem[], page_size: number): JsonRecord {
  const back_to = shown.length < page_size ? undefined : requestedAt(shown.at(-1));
  return back_to === undefined ? {} : { back_to };
}

/** The deployments of several environments, or those that fit, and what was looked at for them. */
async function found(choice: Choice, page: number, page_size: number, context: ToolContext): Promise<JsonRecord> {
  const { state, since } = choice;
  const { from } = windowOf({ since }, context);
  const { isGiven, subjects, lacking, allowance, modes } = await subjectsIn(context, choice);
  const wanted = { state, from, enough: page * page_size };
  const all = await findDeployments(context, subjects, wanted, allowance);
  if (subjects.length === 1 && all.unread.length === 1)
    await refuseUnread(context, subjects[0]!, { page: 1, page_size: maximumPageSize });
  const shown = all.found.slice((page - 1) * page_size, page * page_size);
  const failed = isAboutFailures(state) ? shown.filter(({ item }) => hasFailed(item)) : [];
  return pruneRecord({
    results: shown.map((one) => (isGiven ? row(one.item) : rowWithPath(one, modes.get(one.subject.id)))),
    page,
    page_size,
    ...reachOf(
      shown.map(({ item }) => item),
      page_size,
    ),
    ...(lackVersions(shown.map(({ item }) => item)) && { versions: elsewhere }),
    ...(await failureCauses(context, failed)),
    looked_at: all.read.length === 1 ? pathsOf(all.read)[0] : lookedAtText(all.read.length, choice.project, context),
    histories: all.read.length,
    since: from === undefined ? undefined : isoAt(from),
    ...(all.found.length === 0 && {
      none: state ?? 'any',
      states: state === undefined ? undefined : all.states.join(', ') || undefined,
      oldest: all.oldest,
    }),
    ...(all.cut.length > 0 && { cut: someNames(pathsOf(all.cut)), whole_since: all.wholeSince }),
    ...lackingPlaces({
      unread: [...lacking.unread, ...pathsOf(all.unread)],
      notReached: [...lacking.notReached, ...pathsOf(all.notReached)],
    }),
  });
}

/** What a search looked at, in a sentence; none if it was no search. */
function lookedText({
  looked_at,
  histories,
  since,
  none,
  states,
  oldest,
  cut,
  whole_since: whole,
  unread,
  not_looked_into: notReached,
}: JsonRecord): readonly string[] {
  if (looked_at === undefined) return [];
  if (histories === 0 && (unread ?? notReached) !== undefined)
    return ['No history was read, so it is not known whether there are such deployments.'];
  const when = since === undefined ? '' : ` since ${compact(since)}`;
  const nothing =
    none === undefined
      ? `Looked at: ${compact(looked_at)}${when}.`
      : `No deployment${none === 'any' ? '' : ` with the state ${compact(none)}`}${when} in ${compact(looked_at)}${states === undefined ? '' : `; states there are: ${compact(states)}`}${oldest === undefined ? '' : `; the oldest that was read is from ${compact(oldest)}`}.`;
  return [
    nothing,
    ...(cut === undefined
      ? []
      : [
          `Not all was read of ${compact(cut)}: ${whole === undefined ? 'older ones may be missing' : `what is older than ${compact(whole)} may be missing`}.`,
        ]),
  ];
}

/** How far back the history goes: a page that isn't full is its end. What a platform no longer has is not told. */
function reachText({ back_to: backTo, older, results, page }: JsonRecord): readonly string[] {
  if (backTo !== undefined) return [`These go back to ${compact(backTo)}, and there may be older ones.`];
  if (older === undefined) return [];
  const isNone = recordsIn(results).length === 0 && (page ?? 1) === 1;
  return [`${isNone ? 'None is' : 'No older ones are'} on record.`];
}

const besides = [
  ...membersOfCauses,
  'versions',
  'back_to',
  'older',
  'looked_at',
  'histories',
  'since',
  'none',
  'states',
  'oldest',
  'cut',
  'whole_since',
  'unread',
  'not_looked_into',
];

/** The rows with what was looked at, and why those failed that did. */
function rowsAndReach(chosen: readonly string[]): Renderer {
  const rows = table('deployment', chosen);
  return {
    ...rows,
    shown: undefined,
    view: (answer) => (answer['compared'] ? answer : { ...rows.view(answer), ...pick(answer, besides) }),
    text: (view) => {
      if (view['compared']) return comparedText(view);
      return [
        ...(view['none'] === undefined ? [rows.text(omit(view, besides))] : []),
        ...causesText(view),
        ...(view['versions'] === undefined ? [] : [`Which version each service got is told ${elsewhere}.`]),
        ...reachText(view),
        ...lookedText(view),
        ...lackingText(view),
      ].join('\n');
    },
    columns,
    only: rowsAndReach,
  };
}

export const listDeployments = composeTool({
  name: 'list_deployments',
  toolset: 'services',
  title: 'Show each deployment, release: who deployed, when',
  description:
    'Deployment history (deploy, releases, runs) of a service, environment, project or all: shipped (ship), ' +
    'pushed, released when (today, last week), who, commit, version, duration, success.',
  input: {
    service: anyService().optional(),
    environment: reference('environment').optional(),
    project: reference('project').optional(),
    state: z.string().min(1).optional().describe('ERROR, or FAILED: why.'),
    since: z.string().optional().describe('Time, or ago: PT15M.'),
    compare: z.array(z.string()).optional().describe('Two ids.'),
    page: PageNumber.optional(),
    page_size: PageSize.default(defaultPageSizes.shownDeployments),
  },
  rules: oneOfOrNone('service', 'environment', 'project'),
  operations: [...readsOf('deployments'), operations.list_environment_deployments],
  equivalentOperations: [...readsOf('deployments'), operations.list_environment_deployments],
  reads: [
    ...anyOf(...readsByKind('deployments', 'the history', operations.list_environment_deployments)),
    ...readsOfEnvironments,
    ...readsOfCauses,
  ],
  output: z.object({
    results: z.array(
      z.object({
        path: z.string(),
        mode: z.string().optional(),
        state: z.string(),
        at: z.string(),
        by: z.string(),
        commit: z.string(),
        image: z.string(),
        id: z.string(),
      }),
    ),
    page: z.int(),
    page_size: z.int(),
  }),
  answer: async ({ page = 1, page_size, project, state, since, compare }, context) => {
    if (compare) return comparedDeployments(context, project, compare);
    const isOne = context.resolved['service'] !== undefined || context.resolved['environment'] !== undefined;
    if (!isOne || state !== undefined || since !== undefined)
      return found({ project, state, since }, page, page_size, context);
    const subject = serviceSubject(context);
    const history =
      (await readAspect(context, subject, 'deployments', { page, page_size })) ??
      (await refuseUnread(context, subject, { page, page_size }));
    const results = recordsIn(history['results']) as HistoryItem[];
    const isCut = history['without_pages'] === true;
    if (isCut && page > 1 && results.length === 0) context.leftOut(noOlder);
    // A platform may give smaller pages than it is asked for.
    const isLast = !isCut && results.length < Math.min(page_size, Number(history['page_size'] ?? page_size));
    return {
      results: results.map(row),
      ...(isCut ? { page_size, without_pages: true } : { page, page_size }),
      ...reachOf(results, page_size),
      ...(isLast && { older: 'none' }),
      ...(lackVersions(results) && { versions: elsewhere }),
    };
  },
  render: rowsAndReach(columns),
  next: (view, args) => (view['compared'] ? changesBetween(view, args) : callsOfCauses(view)),
  mostNext: mostCauses,
});
