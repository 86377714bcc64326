import {
  readDeployment,
  servicesDeployed,
  type DeployedService,
  type HistoryItem,
  type PastDeployment,
} from '../../src/analysis/index.ts';
import {
  pick,
  pruneRecord,
  recordsIn,
  show,
  tableText,
  type JsonRecord,
  type NextCall,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { unlessFailing } from '../shared/places.ts';
import { hasEventsBetween } from '../shared/recorded-changes.ts';
import { deploymentsToCompare } from './deployments-to-compare.ts';

/** What a history doesn't have of a deployment, in a sentence, by whether there are events of the time between two. */
const notCompared = (hasEvents: boolean): string =>
  `Not compared: variables and settings. The platform keeps those of no earlier deployment; ${hasEvents ? 'only events tell which were changed in between' : 'only events would tell which were changed, and it has none of the time between the two'}.`;

/** Two deployments side by side, as text. */
export const comparedText = (view: JsonRecord): string =>
  [
    ...(view['environment'] === undefined ? [] : [`Both are of ${show(view['environment'])}.`]),
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

/** The version of a deployed service, and its state. */
const serviceText = (one: DeployedService | undefined): string =>
  one ? [one.version, one.state].filter(Boolean).join(' ') : 'not in it';

/** What an environment's two deployments brought of each service. */
function servicesSideBySide(first: HistoryItem, second: HistoryItem): readonly JsonRecord[] {
  const [before, after] = [first, second].map((item) => new Map(servicesDeployed(item).map((one) => [one.name, one])));
  return [...new Set([...before!.keys(), ...after!.keys()])].map((what) =>
    pruneRecord({ what, first: serviceText(before!.get(what)), second: serviceText(after!.get(what)) }),
  );
}

/**
 * Compares two deployments of a service or an environment: of the one that the call gives, or else of the environment
 * whose history has both.
 * @param ids of the deployments, in any order
 * @throws CallFailure with all that is wrong, if they aren't of one place, or not in the newest part of its history
 */
export async function comparedDeployments(
  context: ToolContext,
  project: string | undefined,
  ids: readonly string[],
): Promise<JsonRecord> {
  const {
    items: [first, second],
    environment,
  } = await deploymentsToCompare(context, project, ids);
  const [one, other] = [readDeployment(first), readDeployment(second)];
  const { startedAt: from } = one;
  const { startedAt: to } = other;
  const hasEvents =
    from === undefined || to === undefined ? undefined : await unlessFailing(hasEventsBetween(context, from, to));
  return {
    results: [...sideBySide(one, other), ...servicesSideBySide(first, second)],
    compared: [one.id, other.id],
    ...(environment !== undefined && { environment }),
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
          arguments: { ...pick({ ...pick(view, ['environment']), ...args }, ['service', 'environment']), since, until },
          why: 'what was changed in between',
        },
      ]
    : [];
}
