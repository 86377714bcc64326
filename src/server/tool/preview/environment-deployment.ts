import { isServiceKind, operations } from '../../../contract/index.ts';
import { type JsonRecord, at, isRecord, omit } from '../../json/index.ts';
import { readDeployment, runByDeployment, type RunByDeployment } from '../../../analysis/index.ts';
import { readById, rowsIn, servicesIn, type Reader } from '../../context/index.ts';
import { deployment, versionOf } from './deployment.ts';
import { loggingAmong, lostLogReadsOfAll, lostLogsAmong } from './lost-logs.ts';
import { readIfPossible } from './optional-read.ts';
import { reading, readUses, type ReadsFor } from '../reads.ts';
import { terraformChange, terraformPlanReads, type TerraformChange } from './terraform-plan.ts';
import { undoneRollbackReads, undoneRollbacksAmong } from './undone-rollbacks.ts';
import { showName, textOf, notKnown, type PlanLine, type Preview, type PreviewContext, show } from './preview.ts';

/** When a cron job runs, as text; undefined for other jobs, and if the record doesn't say. */
export function scheduleText(job: JsonRecord | undefined): string | undefined {
  const when = job && at(job, 'schedule.cronjob.scheduled_at');
  if (typeof when !== 'string') return undefined;
  const timezone = at(job, 'schedule.cronjob.timezone');
  return `"${show(when)}"${typeof timezone === 'string' ? ` (${show(timezone)})` : ''}`;
}

/** Whether a schedule has this member. */
const has = (schedule: JsonRecord, name: string): boolean => (schedule[name] ?? undefined) !== undefined;

const eventWords = { on_start: 'started', on_stop: 'stopped', on_delete: 'deleted' } as const;

/** On which events of its environment a job runs, as text; undefined for cron jobs, and if the record doesn't say. */
export function eventsText(job: JsonRecord | undefined): string | undefined {
  const schedule = job?.['schedule'];
  if (!isRecord(schedule) || has(schedule, 'cronjob')) return undefined;
  const words = Object.entries(eventWords).flatMap(([member, word]) => (has(schedule, member) ? [word] : []));
  const type = textOf(schedule, 'lifecycle_type');
  return words.length === 0
    ? undefined
    : `when its environment is ${words.join(' or ')}${type === undefined ? '' : ` (${show(type)})`}`;
}

/** The effect of deploying a job that runs at events of its environment; undefined if its schedule doesn't say. */
function effectOfEvents(schedule: JsonRecord): string | undefined {
  if (has(schedule, 'cronjob')) return undefined;
  if (has(schedule, 'on_start')) return 'runs the job now';
  const events = eventsText({ schedule: omit(schedule, ['lifecycle_type']) });
  return events === undefined ? undefined : `runs the job now unless the platform runs it only ${events}`;
}

const runByEarlier = ({ ran, at: when }: RunByDeployment): string =>
  ran
    ? `; its deployment at ${when} also ran it once, so this one probably does, too`
    : `; its deployment at ${when} did not run it`;

/**
 * The effect of deploying a job, as text without a subject. Platforms whose jobs go through EXECUTING run a cron job
 * once when it is deployed, others only schedule it: which kind a platform is only shows in earlier deployments.
 * @param earlier what an earlier deployment of a cron job did, if that is known
 */
export function jobEffect(job: JsonRecord | undefined, earlier?: RunByDeployment): string {
  const time = scheduleText(job);
  if (time !== undefined)
    return `schedules the job at ${time}${earlier === undefined ? ' (some platforms also run it once at each deployment)' : runByEarlier(earlier)}`;
  const schedule = job?.['schedule'];
  return (
    (isRecord(schedule) ? effectOfEvents(schedule) : undefined) ??
    'runs the job now or, if it is a cron job, may only schedule it'
  );
}

/** The read that shows whether deployments of a cron job also run it. */
const runReads = readUses(
  'the plan does not say whether deploying a cron job runs it',
  operations.list_job_deployments,
);

/** What an earlier deployment of a cron job did; undefined for other services, and if its history doesn't tell. */
async function runByEarlierOf(
  job: JsonRecord | undefined,
  reader: Pick<Reader, 'read' | 'attempt'>,
): Promise<RunByDeployment | undefined> {
  if (scheduleText(job) === undefined) return undefined;
  const history = await readIfPossible(operations.list_job_deployments, { job_id: String(job?.['id']) }, reader);
  const [rows, pageSize] = [rowsIn(history), history?.['page_size']];
  return runByDeployment(
    rows.map((row) => readDeployment(row)),
    typeof pageSize === 'number' && rows.length < pageSize,
  );
}

/** How many histories of an environment's cron jobs are read. */
const mostHistories = 3;

/** What earlier deployments of the first cron jobs among services did. */
const runsByEarlier = async (
  services: readonly JsonRecord[],
  reader: Pick<Reader, 'read' | 'attempt'>,
): Promise<ReadonlyMap<JsonRecord, RunByDeployment | undefined>> =>
  new Map(
    await Promise.all(
      services
        .filter((service) => scheduleText(service) !== undefined)
        .slice(0, mostHistories)
        .map(async (service) => [service, await runByEarlierOf(service, reader)] as const),
    ),
  );

/** The effect of deploying a job, with what an earlier deployment of it did. */
export const jobEffectSeen = async (
  job: JsonRecord | undefined,
  reader: Pick<Reader, 'read' | 'attempt'>,
): Promise<string> => jobEffect(job, await runByEarlierOf(job, reader));

/** What is known of the effects of deploying a service. */
interface KnownEffects {
  /** The changes by a deployment of Terraform. */
  readonly change?: TerraformChange;
  /** What an earlier deployment of a cron job did. */
  readonly earlier?: RunByDeployment;
}

/** Side effects of deploying a service, as text without a subject; undefined for kinds without side effects. */
const effectOf = (kind: string, service: JsonRecord, { change, earlier }: KnownEffects): string | undefined => {
  if (kind === 'terraform')
    return change?.isRefused
      ? 'refused without a plan'
      : change?.commit === undefined
        ? 'plan and apply'
        : 'apply its plan';
  return kind === 'job' ? jobEffect(service, earlier) : undefined;
};

const deploymentReads: ReadsFor = (planned) => [
  ...(deployment.reads?.(planned) ?? []),
  ...(planned.some(({ target }) => target === 'terraform') ? terraformPlanReads : []),
  ...(planned.some(({ target }) => target === 'job') ? runReads : []),
];

/** The effects of deploying the target service in addition to its version, and the version. */
export const serviceDeployment: Preview = reading(
  deploymentReads,
  async (args: JsonRecord, context: PreviewContext) => {
    const {
      target: { kind, id },
      reader,
    } = context;
    if (kind === 'terraform') {
      const { lines, commit } = await terraformChange(id, reader);
      return [
        ...lines,
        ...(await deployment(commit === undefined ? args : { ...args, git_commit_id: commit }, context)),
      ];
    }
    if (kind !== 'job') return deployment(args, context);
    const [job, others] = await Promise.all([
      id === undefined ? undefined : readById(kind, id, reader),
      deployment(args, context),
    ]);
    const text = await jobEffectSeen(job, reader);
    // The answer says by itself when the job runs, and what this deployment did.
    return [{ text: `${text[0]!.toUpperCase()}${text.slice(1)}.`, agreed: jobEffect(job), after: '' }, ...others];
  },
);

function serviceLine(service: JsonRecord, known: KnownEffects = {}): string {
  const kind = textOf(service, 'service_type')?.toLowerCase();
  const called = `${showName(textOf(service, 'name') ?? String(service['id']))} (${kind ?? 'of no kind that is told'})`;
  if (!isServiceKind(kind))
    return `${called}: no tool acts on services of this kind; whether it is deployed, and what that does, is not known.`;
  const effect = effectOf(kind, service, known);
  return `${called}: ${[...(effect === undefined ? [] : [effect]), versionOf(service, known.change?.commit) ?? 'of a version that is not known'].join(', ')}.`;
}

/** A confirmation also covers the service's id, because another service may have its name by then. */
const agreedLine = (service: JsonRecord, known: KnownEffects): PlanLine => ({
  text: serviceLine(service, known),
  agreed: `${String(service['id'])} ${serviceLine(service, { ...known, earlier: undefined })}`,
});

/**
 * The effect of deploying the target environment on each of its services, which rollbacks it undoes, and whether lines
 * of logs are lost.
 * Leaves out states and times, which change while a person reads.
 */
export const environmentDeployment: Preview = reading(
  [
    ...readUses('the plan does not show which services are deployed', operations.list_services),
    ...terraformPlanReads,
    ...runReads,
    ...undoneRollbackReads,
    ...lostLogReadsOfAll,
  ],
  async (_, { target, reader }) => {
    const services = await servicesIn(target.id, reader);
    if (!services)
      return [
        notKnown(
          'which services there are, and so what is done to which; it may run jobs, and plan and apply Terraform',
        ),
      ];
    if (services.length === 0) return ['There are no services in it.'];
    const [changes, runs, undone, lost] = await Promise.all([
      Promise.all(
        services.map(async (service) =>
          textOf(service, 'service_type') === 'TERRAFORM'
            ? terraformChange(
                String(service['id']),
                reader,
                `Terraform of ${showName(textOf(service, 'name') ?? String(service['id']))}`,
              )
            : undefined,
        ),
      ),
      runsByEarlier(services, reader),
      undoneRollbacksAmong(services, reader),
      lostLogsAmong(loggingAmong(services), reader),
    ]);
    return [
      ...undone,
      ...services.map((service, index) => agreedLine(service, { change: changes[index], earlier: runs.get(service) })),
      ...changes.flatMap((change) => (change?.isKnown ? change.lines : [])),
      ...lost,
    ];
  },
);
