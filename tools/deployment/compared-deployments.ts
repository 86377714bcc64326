import { maximumPageSize } from '../../src/contract/index.ts';
import { readDeployment, type HistoryItem, type PastDeployment } from '../../src/analysis/index.ts';
import {
  naming,
  pick,
  pruneRecord,
  recordsIn,
  tableText,
  type JsonRecord,
  type NextCall,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from '../shared/any-service.ts';
import { unlessFailing } from '../shared/places.ts';
import { hasEventsBetween } from '../shared/recorded-changes.ts';

/** What a history doesn't have of a deployment, in a sentence, by whether there are events of the time between two. */
const notCompared = (hasEvents: boolean): string =>
  `Not compared: variables and settings. The platform keeps those of no earlier deployment; ${hasEvents ? 'only events tell which were changed in between' : 'only events would tell which were changed, and it has none of the time between the two'}.`;

/** Two deployments side by side, as text. */
export const comparedText = (view: JsonRecord): string =>
  [
    tableText(recordsIn(view['results']), ['what', 'first', 'second', 'difference']),
    notCompared(view['events'] !== 'none'),
  ].join('\n');

const facts = {
  state: 'state',
  action: 'action',
  at: 'startedAt',
  by: 'triggeredBy',
  commit: 'commit',
  message: 'commitMessage',
  image: 'image',
  chart: 'chartVersion',
} as const satisfies Record<string, keyof PastDeployment>;

const duration = (deployment: PastDeployment, step: string): number | undefined =>
  deployment.steps?.find(({ name }) => name === step)?.seconds;

const difference = (first: number | undefined, second: number | undefined): string | undefined =>
  first === undefined || second === undefined ? undefined : `${second < first ? '' : '+'}${second - first} s`;

/**
 * Two deployments side by side: their facts, then the seconds of each step and in all, with the difference. The earlier
 * one is the first.
 */
function sideBySide(first: PastDeployment, second: PastDeployment): readonly JsonRecord[] {
  const steps = [...new Set([...(first.steps ?? []), ...(second.steps ?? [])].map(({ name }) => name))];
  const times = [
    ...steps.map((what) => ({ what, times: [duration(first, what), duration(second, what)] as const })),
    { what: 'seconds in all', times: [first.seconds, second.seconds] as const },
  ];
  return [
    ...Object.entries(facts)
      .map(([what, member]) => ({ what, first: first[member], second: second[member] }))
      .filter((row) => row.first !== undefined || row.second !== undefined),
    ...times.map(({ what, times: [one, other] }) => ({
      what,
      first: one,
      second: other,
      difference: difference(one, other),
    })),
  ].map(pruneRecord);
}

/**
 * Compares two deployments of a service or environment.
 * @param ids of the deployments, in any order
 * @throws CallFailure if one isn't in the newest part of the history
 */
export async function comparedDeployments(
  context: ToolContext,
  subject: Subject,
  ids: readonly string[],
): Promise<JsonRecord> {
  if (new Set(ids).size !== 2) context.refuse('two different deployments are compared', 'Give the ids of two.');
  const history = await readAspect(context, subject, 'deployments', { page: 1, page_size: maximumPageSize });
  const all = (recordsIn(history?.['results']) as HistoryItem[]).map(readDeployment);
  const [second, first] = all.filter(({ id }) => id !== undefined && ids.includes(id));
  if (!first || !second)
    return context.refuse(
      `${history ? `the newest ${maximumPageSize} deployments of this ${subject.kind} do` : `the deployments of this ${subject.kind} can't be read here: they do`} not have both ids`,
      naming`${'list_deployments'} shows which there are, each with its id.`,
    );
  const { startedAt: from } = first;
  const { startedAt: to } = second;
  const hasEvents =
    from === undefined || to === undefined ? undefined : await unlessFailing(hasEventsBetween(context, from, to));
  return {
    results: sideBySide(first, second),
    compared: [first.id, second.id],
    ...(hasEvents === false && { events: 'none' }),
  };
}

/** The call that shows what was changed between two deployments that were compared. */
export function changesBetween(view: JsonRecord, args: JsonRecord): readonly NextCall[] {
  if (view['events'] === 'none') return [];
  const { first: since, second: until } = recordsIn(view['results']).find(({ what }) => what === 'at') ?? {};
  return typeof since === 'string' && typeof until === 'string'
    ? [
        {
          tool: 'list_events',
          arguments: { ...pick(args, ['service', 'environment']), since, until },
          why: 'what was changed in between',
        },
      ]
    : [];
}
