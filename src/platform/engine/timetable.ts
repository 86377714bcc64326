import type { Selectable } from 'kysely';
import {
  isoAt,
  latestEvent,
  nextEvents,
  stoppedUntil,
  timetableRequester,
  type Timetable,
  type TimetableEvent,
  type Weekday,
} from '../../contract/index.ts';
import { ApiProblem, uuidFrom, type DeployedCommit } from '../common/index.ts';
import { compiled, type Db, type DeploymentRuleTable } from '../store/index.ts';
import { type EngineContext, iso } from './context.ts';
import { requestDeployment } from './deployment-requests.ts';
import { auditEnvironment } from './outcome-events.ts';
import { setTimer, type TimerHandler } from './timer-queue.ts';

/** The deployment rule of an environment, without its times of creation and change. */
export type StoredRule = Omit<Selectable<DeploymentRuleTable>, 'created_at' | 'updated_at'>;

/** The id of an environment's rule. It is derived from the environment's. */
const ruleIdOf = (environmentId: string): string => uuidFrom(`${environmentId}/deployment-rule`);

/** The rule of an environment without one of its own: off. */
const defaultRule = (environmentId: string): StoredRule => ({
  id: ruleIdOf(environmentId),
  environment_id: environmentId,
  timezone: 'UTC',
  start_time: '1970-01-01T07:00:00.000Z',
  stop_time: '1970-01-01T19:00:00.000Z',
  weekdays: JSON.stringify(['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY']),
  auto_stop: 0,
  auto_preview: 0,
  on_demand_preview: 0,
});

/** The deployment rule of an environment. */
export const ruleOf = async (db: Db, environmentId: string): Promise<StoredRule> =>
  (await db.selectFrom('deployment_rule').selectAll().where('environment_id', '=', environmentId).executeTakeFirst()) ??
  defaultRule(environmentId);

/** What a rule says about time. */
export const timetableIn = (rule: StoredRule): Timetable => ({
  ...rule,
  auto_stop: rule.auto_stop === 1,
  weekdays: JSON.parse(rule.weekdays) as Weekday[],
});

/** Sets the next time at which the timetable of an environment stops or starts it. Call it after the rule changed. */
export async function timetableChanged(trx: Db, environmentId: string, now: number): Promise<void> {
  const [next] = nextEvents(timetableIn(await ruleOf(trx, environmentId)), now);
  if (next) await setTimer(trx, 'TIMETABLE', environmentId, next.at);
  else await trx.deleteFrom('timer').where('kind', '=', 'TIMETABLE').where('subject_id', '=', environmentId).execute();
}

/** How long to wait after a refusal, for instance while the cluster is locked, in milliseconds. */
const retryMilliseconds = 10 * 60_000;

/** A stop or start that is later than this, because no platform ran, is reported as late. In milliseconds. */
const lateMilliseconds = 60_000;

const servicesOf = (db: Db, environmentId: string) =>
  db.selectFrom('service').where('service.environment_id', '=', environmentId).orderBy('service.id');

/** The ids of the services that run, or may run, in an environment. */
const runningServices = async (db: Db, environmentId: string): Promise<readonly string[]> =>
  (
    await servicesOf(db, environmentId)
      .select('id')
      .where('deployed_state', 'not in', ['STOPPED', 'READY', 'DELETED'])
      .execute()
  ).map(({ id }) => id);

/** The stopped services of environments whose latest deployment is a stop by the timetable. */
const stoppedByTimetable = (db: Db, environmentIds: readonly string[]) =>
  db
    .selectFrom('service')
    .innerJoin('deployment', 'deployment.id', 'service.last_deployment_id')
    .where('service.environment_id', 'in', [...environmentIds])
    .where('service.deployed_state', '=', 'STOPPED')
    .where('deployment.origin', '=', timetableRequester.origin)
    .where('deployment.triggered_by', '=', timetableRequester.triggeredBy);

/** Requests what is due. @returns the id of the deployment; undefined if nothing has to be done */
async function carryOut(
  context: EngineContext,
  trx: Db,
  environmentId: string,
  action: TimetableEvent['action'],
): Promise<string | undefined> {
  if (action === 'STOP') {
    const serviceIds = await runningServices(trx, environmentId);
    if (serviceIds.length === 0) return undefined;
    return (await requestDeployment(context, trx, { ...timetableRequester, action, environmentId, serviceIds })).id;
  }
  const stopped = await stoppedByTimetable(trx, [environmentId])
    .select(['service.id', 'service.deployed_commit'])
    .orderBy('service.id')
    .execute();
  if (stopped.length === 0) return undefined;
  const request = await requestDeployment(context, trx, {
    ...timetableRequester,
    action: 'DEPLOY',
    environmentId,
    serviceIds: stopped.map(({ id }) => id),
    commitIds: Object.fromEntries(
      stopped.map(({ id, deployed_commit: commit }) => [
        id,
        commit === null ? undefined : (JSON.parse(commit) as DeployedCommit).git_commit_id,
      ]),
    ),
  });
  return request.id;
}

const words = {
  STOP: { done: 'TRIGGER_STOP', refused: 'STOP_FAILED' },
  START: { done: 'TRIGGER_DEPLOY', refused: 'DEPLOY_FAILED' },
} as const;

/**
 * Stops or starts an environment by its timetable. Of several times that were missed while no platform ran, only the
 * last one is carried out, and its event says so. One that is refused is repeated until the next one is due.
 */
export const applyTimetable =
  (context: EngineContext): TimerHandler =>
  async (trx, environmentId, now, dueAt) => {
    const environment = await trx
      .selectFrom('environment')
      .select(['id', 'name'])
      .where('id', '=', environmentId)
      .executeTakeFirst();
    if (environment === undefined) return null;
    const timetable = timetableIn(await ruleOf(trx, environmentId));
    const due = latestEvent(timetable, now);
    const next = nextEvents(timetable, now)[0]?.at;
    if (due === undefined || next === undefined) return null;
    // A repetition after a refusal is due later than what it repeats.
    const isRepeated = dueAt > due.at;
    try {
      const deployment = await carryOut(context, trx, environmentId, due.action);
      if (deployment !== undefined)
        await auditEnvironment(trx, environment, {
          event_type: words[due.action].done,
          ...timetableRequester,
          at: now,
          change: {
            due: iso(due.at),
            deployment_id: deployment,
            ...(!isRepeated &&
              now - due.at > lateMilliseconds && { message: 'Later than due: no platform was running then.' }),
          },
        });
      return next;
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      if (!isRepeated)
        await auditEnvironment(trx, environment, {
          event_type: words[due.action].refused,
          ...timetableRequester,
          at: now,
          change: {
            due: iso(due.at),
            message: `${error.message} It is tried again until the next time of the timetable.`,
          },
        });
      return Math.min(now + retryMilliseconds, next);
    }
  };

/** What a timetable has done to an environment, and does next. */
export interface TimetableOutlook {
  readonly stopped_by_timetable?: true;
  readonly starts_at?: string;
  readonly stops_at?: string;
}

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

const stoppingRules = compiled((db, { ids }: { readonly ids: readonly string[] }) =>
  db.selectFrom('deployment_rule').selectAll().where('environment_id', 'in', ids).where('auto_stop', '=', 1),
);

/** What the timetables of environments have done, and do next, by environment. @param now milliseconds since the epoch */
export async function timetableOutlooks(
  db: Db,
  environments: readonly { readonly id: string; readonly state: string }[],
  now: number,
): Promise<ReadonlyMap<string, TimetableOutlook>> {
  const stopped = environments.filter(({ state }) => state === 'STOPPED');
  const byTimetable =
    stopped.length === 0
      ? []
      : await stoppedByTimetable(db, idsOf(stopped)).select('service.environment_id').distinct().execute();
  const isStopped = new Set(byTimetable.map(({ environment_id: id }) => id));
  const rules = environments.length === 0 ? [] : await stoppingRules(db, { ids: idsOf(environments) });
  const timetables = new Map(rules.map((rule) => [rule.environment_id, timetableIn(rule)]));
  return new Map(
    environments.map(({ id }): readonly [string, TimetableOutlook] => {
      const timetable = timetables.get(id);
      const stop = timetable && nextEvents(timetable, now).find(({ action }) => action === 'STOP')?.at;
      if (!isStopped.has(id)) return [id, stop === undefined ? {} : { stops_at: isoAt(stop)! }];
      const start = timetable && stoppedUntil(timetable, now);
      return [id, { stopped_by_timetable: true, ...(start !== undefined && { starts_at: isoAt(start)! }) }];
    }),
  );
}
