import { operations, type ServiceKind } from '../../src/contract/index.ts';
import {
  statusRowsIn,
  at,
  isRecord,
  organizationOf,
  readUses,
  rowsIn,
  textOf,
  type JsonRecord,
  type PlanLine,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readOf, readsByKind } from './any-service.ts';
import type { VariableOwner } from './owned-variables.ts';
import { someNames, unlessFailing } from './places.ts';

type Reads = Pick<ToolContext, 'attempt'>;

const withoutStates = 'the plan does not tell apart what runs, what is stopped and what was never deployed';

/** The reads for when a changed variable takes effect. */
export const readsOfEffect: readonly ReadUse[] = [
  ...readUses(
    withoutStates,
    operations.get_environment_status,
    operations.get_organization,
    operations.list_services_of_organization,
  ),
  ...readsByKind('status', 'the state'),
  ...readUses('the plan does not tell when a cron job runs next', operations.get_job),
];

/** A service that sees a variable. */
export interface SeeingService {
  readonly name: string;
  /** As lists show it. */
  readonly service: JsonRecord;
}

type Statuses = ReadonlyMap<unknown, JsonRecord>;

/** The statuses of the services of an environment or project, by their ids; none if they can't be read. */
export async function statusesWithin({ kind, id }: VariableOwner, reads: Reads): Promise<Statuses> {
  if (kind === 'environment') {
    const lists: JsonRecord | undefined = await unlessFailing(
      reads.attempt(operations.get_environment_status, { environment_id: id }),
    );
    return new Map(statusRowsIn(lists).map((row) => [row['id'], row] as const));
  }
  const organization = await unlessFailing(organizationOf(reads));
  const list: JsonRecord | undefined =
    organization === undefined
      ? undefined
      : await unlessFailing(
          reads.attempt(operations.list_services_of_organization, { organization_id: organization, project_id: id }),
        );
  return new Map(rowsIn(list).flatMap((row) => (isRecord(row['status']) ? [[row['id'], row['status']] as const] : [])));
}

/** When services take a changed variable. Platforms differ in when a job gets its variables. */
const moments = {
  deployment: 'with the next deployment',
  start: 'with the deployment that starts what is stopped',
  first: 'with the first deployment',
  run: 'with the next run or, on some platforms, only with the next deployment',
  plan: 'with the next plan that is applied',
} as const;

type Moment = keyof typeof moments;

/** When one service does: without a status, what holds of most of its kind. */
function momentOf(kind: string | undefined, status: JsonRecord = {}): Moment {
  const state = textOf(status, 'state');
  if (status['service_deployment_status'] === 'NEVER_DEPLOYED' || state === 'READY') return 'first';
  if (kind === 'terraform') return 'plan';
  if (state === 'STOPPED') return 'start';
  return kind === 'job' ? 'run' : 'deployment';
}

const kindOf = (service: JsonRecord): string | undefined => textOf(service, 'service_type')?.toLowerCase();

/** Whether the configuration of a service is the deployed one, whatever changed of its variables. */
export const isAsDeployed = (service: JsonRecord, status: JsonRecord = {}): boolean =>
  status['service_deployment_status'] !== 'OUT_OF_DATE' ||
  Date.parse(textOf(service, 'updated_at') ?? textOf(service, 'created_at') ?? '') <=
    Date.parse(textOf(status, 'last_deployment_date') ?? '');

/** When a cron job is due next; undefined for other services, and if its deployed schedule isn't known. */
async function nextRun(service: JsonRecord, status: JsonRecord | undefined, now: number): Promise<string | undefined> {
  if (at(service, 'schedule.cronjob') === undefined || !isAsDeployed(service, status)) return undefined;
  // Loaded on demand: it has a parser of cron expressions.
  const { nextDueOf } = await import('../../src/analysis/due-run.ts');
  return nextDueOf(service, now);
}

const dueText = (due: string | undefined): string => (due === undefined ? '' : ` (due ${due})`);

/** Most services that a line names: which services see the variable is told in full before. */
const mostNamed = 8;

/** A confirmation doesn't cover it: states and times change while a person reads. */
const line = (text: string): PlanLine => ({ text, agreed: '', once: true });

const subjectOf = (key: string | undefined): string => (key === undefined ? 'Takes effect' : `${key} takes effect`);

/**
 * When services take a changed variable, a line for each moment.
 * @param key named if it isn't the same for all variables of the call
 * @param now milliseconds since 1970
 */
export async function effectLines(
  services: readonly SeeingService[],
  statuses: Statuses,
  { key, now }: { readonly key?: string; readonly now: number },
): Promise<readonly PlanLine[]> {
  const all = await Promise.all(
    services.map(async ({ name, service }) => {
      const status = statuses.get(service['id']);
      const moment = momentOf(kindOf(service), status);
      const due = moment === 'run' ? await nextRun(service, status, now) : undefined;
      return { moment, text: `${name}${dueText(due)}` };
    }),
  );
  const byMoment = Map.groupBy(all, ({ moment }) => moment);
  return (Object.keys(moments) as Moment[]).flatMap((moment) => {
    const texts = (byMoment.get(moment) ?? []).map(({ text }) => text);
    return texts.length === 0 ? [] : [line(`${subjectOf(key)} ${moments[moment]}: ${someNames(texts, mostNamed)}.`)];
  });
}

/** When the only service that sees a variable takes a change of it. @param now milliseconds since 1970 */
export async function effectLineOf(
  { kind, id }: { readonly kind: ServiceKind; readonly id: string },
  reads: Reads,
  now: number,
): Promise<PlanLine> {
  const [status, job]: readonly (JsonRecord | undefined)[] = await Promise.all([
    unlessFailing(reads.attempt(readOf('status', kind), { [`${kind}_id`]: id })),
    kind === 'job' ? unlessFailing(reads.attempt(operations.get_job, { job_id: id })) : undefined,
  ]);
  const moment = momentOf(kind, status);
  const due = job && moment === 'run' ? await nextRun(job, status, now) : undefined;
  return line(`${subjectOf(undefined)} ${moments[moment]}${dueText(due)}.`);
}
