import { DeploymentRuleRequest, isoAt, operations, stoppedUntil, type Timetable } from '../../src/contract/index.ts';
import {
  readUses,
  show,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { environmentAt } from './environment-lock.ts';
import { ifPossible, unlessMissing } from './if-possible.ts';

/** The timetable in a deployment rule; undefined if the rule can't be read as one. */
export const timetableIn = (rule: JsonRecord | undefined): Timetable | undefined =>
  DeploymentRuleRequest.safeParse(rule).data;

/** The columns of a list of environments for what the platform does to them, or refuses there, by itself. */
export const outlookColumns = [
  'stopped_by_timetable',
  'starts_at',
  'stops_at',
  'refused_until',
  'refused_by',
  'refused_because',
  'ends_at',
  'end_reason',
  'end_set_by',
];

/** When the platform deletes an environment; none if it has no end. */
function endLines(environment: JsonRecord | undefined): readonly string[] {
  const [end, why, by] = ['ends_at', 'end_reason', 'end_set_by'].map((name) => textOf(environment, name));
  return end === undefined
    ? []
    : [
        `It ends at ${end}${by === undefined ? '' : `, set by ${show(by)}`}: the platform deletes it then, with its services and their data${why === undefined ? '' : ` (${show(why)})`}.`,
      ];
}

/** What a platform does to an environment, or refuses there, by itself: one sentence each. */
export function outlookLines(environment: JsonRecord | undefined): readonly string[] {
  const [starts, stops, refused, why] = ['starts_at', 'stops_at', 'refused_until', 'refused_because'].map((name) =>
    textOf(environment, name),
  );
  return [
    ...(environment?.['stopped_by_timetable'] === true
      ? [
          `Stopped by its timetable, by nobody else; ${starts === undefined ? 'the timetable is off now, so nothing starts it again by itself' : `it starts again at ${starts}`}.`,
        ]
      : []),
    ...(stops === undefined ? [] : [`Its timetable stops it at ${stops}.`]),
    ...(refused === undefined
      ? []
      : [
          `Deployments are refused until ${refused} by the deployment window ${show(environment?.['refused_by'])} of the platform${why === undefined ? '' : ` (${show(why)})`}.`,
        ]),
    ...endLines(environment),
  ];
}

/** The reads for what the platform does to an environment by itself. */
export const readsOfOutlook: readonly ReadUse[] = readUses(
  'whether its timetable stopped it, or a window refuses deployments, is not shown',
  operations.list_environments,
  operations.get_environment,
  operations.get_deployment_rule,
);

/** For platforms that don't say by whom an environment was stopped: what its timetable says about now. */
async function byTimetable(context: ToolContext, environment_id: string): Promise<readonly string[]> {
  const rule = await unlessMissing(context, operations.get_deployment_rule, { environment_id });
  const timetable = timetableIn(rule);
  const until = timetable && stoppedUntil(timetable, context.now());
  return until === undefined
    ? []
    : [
        `Its timetable has it stopped until ${isoAt(until)!}. Whether that or a person stopped it, the platform does not say.`,
      ];
}

/**
 * What the platform does to an environment, or refuses there, by itself. A failure to read it doesn't affect the rest
 * of the answer.
 * @param isStopped whether nothing in it runs because it was stopped
 */
export async function outlookOn(
  context: ToolContext,
  environmentId: string,
  projectId: string | undefined,
  isStopped: boolean,
): Promise<readonly string[]> {
  const found = await ifPossible(context, 'What its timetable and deployment windows do', async () => {
    const environment = await environmentAt(context, environmentId, projectId);
    const lines = outlookLines(environment);
    return isStopped && environment?.['stopped_by_timetable'] !== true && textOf(environment, 'stops_at') === undefined
      ? [...lines, ...(await byTimetable(context, environmentId))]
      : lines;
  });
  return found ?? [];
}
