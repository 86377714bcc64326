import * as z from 'zod';
import {
  asRuleTime,
  DeploymentRuleRequest,
  isClockTime,
  maximumPageSize,
  nextEvents,
  operations,
  reference,
  timeOfDay,
  zonedText,
  type Timetable,
  type TimetableEvent,
} from '../../src/contract/index.ts';
import {
  composeTool,
  defineTool,
  notAgreedTo,
  notKnown,
  pick,
  pruneRecord,
  reading,
  readUses,
  record,
  rowsIn,
  scheduleText,
  show,
  textOf,
  type JsonRecord,
  type PlanLine,
  type Preview,
} from '../../src/server/tool/index.ts';
import { timetableIn } from '../shared/environment-outlook.ts';
import { joined } from '../shared/plan-parts.ts';
import { someNames } from '../shared/places.ts';

const shown = ['auto_stop', 'stop_time', 'start_time', 'weekdays', 'timezone', 'next_stop', 'next_start'];

const nextText = (timetable: Timetable, action: TimetableEvent['action'], now: number): string | undefined => {
  const next = nextEvents(timetable, now).find((event) => event.action === action);
  return next && zonedText(next.at, timetable.timezone);
};

/** A rule with the next stop and start, and times of day in place of dates. */
function ruleView(rule: JsonRecord, now: number): JsonRecord {
  const timetable = timetableIn(rule);
  return pruneRecord({
    ...rule,
    ...(timetable && {
      stop_time: timeOfDay(timetable.stop_time),
      start_time: timeOfDay(timetable.start_time),
      next_stop: nextText(timetable, 'STOP', now),
      next_start: nextText(timetable, 'START', now),
    }),
  });
}

const output = z
  .object({
    auto_stop: z.boolean(),
    stop_time: z.string(),
    start_time: z.string(),
    weekdays: z.array(z.string()),
    timezone: z.string(),
    next_stop: z.string(),
    next_start: z.string(),
  })
  .partial();

export const getDeploymentRule = defineTool(operations.get_deployment_rule, {
  toolset: 'administration',
  title: 'When an environment stops and starts by itself',
  description: 'Timetable of an environment: times of its automatic start, stop (shut down), next; time zone.',
  output,
  answer: async ({ environment_id }, context) =>
    ruleView(
      await context.read(operations.get_deployment_rule, { environment_id: String(environment_id) }),
      context.now(),
    ),
  render: record({ first: shown, omitted: ['id'] }),
});

/** A timetable in words, also one that is off: its times are what switching it on again needs. */
function timetableText(rule: JsonRecord | undefined): string | undefined {
  const timetable = timetableIn(rule);
  if (!timetable) return undefined;
  const { timezone, weekdays, stop_time: stop, start_time: start, auto_stop: isOn } = timetable;
  const times = `stop at ${timeOfDay(stop)}, start at ${timeOfDay(start)}, ${timezone}, on ${weekdays.join(', ')}`;
  return isOn ? times : `off, nothing stops or starts it by itself (${times})`;
}

const nextLines = (timetable: Timetable, now: number): readonly PlanLine[] => {
  const [stop, start] = [nextText(timetable, 'STOP', now), nextText(timetable, 'START', now)];
  return stop === undefined || start === undefined
    ? []
    : [
        notAgreedTo(`Next stop: ${stop}.`),
        notAgreedTo(`Next start: ${start}.`),
        'While it is stopped, nothing in it serves, and no job runs. The start deploys what the stop took down, with the configuration of that time, and nothing that a person stopped.',
      ];
};

const effect: Preview = reading(
  readUses('the plan does not show the present timetable', operations.get_deployment_rule),
  async (wanted, { reader, now = Date.now() }) => {
    const present = await reader.attempt(operations.get_deployment_rule, {
      environment_id: String(wanted['environment_id']),
    });
    const before = timetableText(present);
    const after = timetableIn(wanted);
    return [
      before === undefined ? notKnown('its present timetable') : `Timetable until now: ${before}.`,
      ...(after ? [`From then on: ${timetableText(wanted)!}.`, ...nextLines(after, now)] : []),
      ...(after?.auto_stop === false && timetableIn(present)?.auto_stop === true
        ? ['If the timetable has it stopped at present, it stays stopped until somebody deploys it.']
        : []),
    ];
  },
);

/** How many jobs a plan names. */
const mostNamed = 20;

/** The jobs with a schedule of an environment, which a stop of it takes down. */
const jobsThatWait: Preview = reading(
  readUses(
    'the plan does not show which scheduled jobs do not run while it is stopped',
    operations.list_services,
    operations.get_job,
  ),
  async (wanted, { reader }) => {
    if (wanted['auto_stop'] !== true) return [];
    const list = await reader.attempt(operations.list_services, {
      environment_id: String(wanted['environment_id']),
      page_size: maximumPageSize,
    });
    if (!list) return [notKnown('which scheduled jobs do not run while it is stopped')];
    const services = rowsIn(list);
    const jobs = services.filter(({ service_type: type }) => String(type).toLowerCase() === 'job');
    const read = await Promise.all(
      jobs.map(async (row) => {
        const job: JsonRecord | undefined =
          row['schedule'] === undefined ? await reader.attempt(operations.get_job, { job_id: String(row['id']) }) : row;
        return { name: show(row['name']), isRead: job !== undefined, time: scheduleText(job) };
      }),
    );
    const scheduled = read.flatMap(({ name, time }) => (time === undefined ? [] : [`${name} at ${time}`]));
    const unread = read.flatMap(({ name, isRead }) => (isRead ? [] : [name]));
    return [
      ...(scheduled.length > 0
        ? [`Scheduled jobs that do not run while it is stopped: ${someNames(scheduled, mostNamed)}.`]
        : []),
      ...(unread.length > 0 ? [notKnown(`whether these jobs are scheduled: ${someNames(unread, mostNamed)}`)] : []),
      ...(services.length < maximumPageSize
        ? []
        : [notKnown(`which jobs are scheduled beyond the first ${services.length} services`)]),
    ];
  },
);

/** Whether a rule would be as it is: of its times only the time of day counts, and of its weekdays which they are. */
function isAsWanted(present: JsonRecord, wanted: JsonRecord): boolean {
  const [is, would] = [present, wanted].map((rule) => DeploymentRuleRequest.safeParse(rule).data);
  if (!is || !would) return false;
  const facts = ({ start_time: start, stop_time: stop, weekdays: days, ...rest }: typeof is): string =>
    // The schema puts the members of both into one order.
    JSON.stringify({ ...rest, start: timeOfDay(start), stop: timeOfDay(stop), days: [...new Set(days)].toSorted() });
  return facts(is) === facts(would);
}

const ClockTime = z.string().refine(isClockTime, { error: 'must be a time of day such as 19:00' });

const { timezone, auto_stop } = DeploymentRuleRequest.shape;

export const updateDeploymentRule = composeTool({
  name: 'update_deployment_rule',
  toolset: 'administration',
  title: 'Stop an environment every night or weekend',
  description: 'Timetable of an environment: stop, shut down at night, weekends, start automatically.',
  input: {
    environment: reference('environment'),
    auto_stop: auto_stop.unwrap().optional().describe('Off if false.'),
    stop_time: ClockTime.optional().describe('19:00'),
    start_time: ClockTime.optional().describe('As stop_time.'),
    // The words of the contract are checked all the same.
    weekdays: z.array(z.string()).min(1).optional().describe('MONDAY …'),
    timezone: timezone.optional().describe('Such as Europe/Paris.'),
  },
  operations: [operations.update_deployment_rule],
  reads: readUses('the timetable can not be changed', operations.get_deployment_rule),
  expand: async ({ environment, stop_time: stop, start_time: start, ...given }, context) => {
    const present: JsonRecord | undefined = await context.attempt(operations.get_deployment_rule, {
      environment_id: environment,
    });
    const id = textOf(present, 'id');
    if (!present || id === undefined)
      return context.refuse(
        'the platform does not show the deployment rule of this environment, which is what a change replaces',
        'Tell the user: nothing was changed.',
      );
    const rule = {
      ...pick(present, Object.keys(DeploymentRuleRequest.shape)),
      ...pruneRecord(given),
      ...(stop !== undefined && { stop_time: asRuleTime(stop) }),
      ...(start !== undefined && { start_time: asRuleTime(start) }),
    };
    if (isAsWanted(present, rule)) return [];
    return [
      {
        operation: operations.update_deployment_rule,
        input: { environment_id: environment, deployment_rule_id: id, ...rule },
      },
    ];
  },
  preview: joined(effect, jobsThatWait),
  output,
  answer: async ({ environment }, context, [changed]) =>
    ruleView(
      changed ?? (await context.read(operations.get_deployment_rule, { environment_id: environment })),
      context.now(),
    ),
  render: record({ first: shown, omitted: ['id'] }),
});
