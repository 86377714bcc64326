import { isProduction } from '../../contract/index.ts';
import { ApiProblem } from '../common/index.ts';
import type { Db } from '../store/index.ts';
import { type EngineContext, iso } from './context.ts';
import { requestDeployment } from './deployment-requests.ts';
import type { Requester } from './engine.ts';
import { auditEnvironment, placeOfEnvironment } from './outcome-events.ts';
import { setTimer, type TimerHandler } from './timer-queue.ts';

/** The author and origin of the deletion of an environment at its end. */
const endRequester = { origin: 'SERVICE_INTERNAL', triggeredBy: 'end of the environment' } as const satisfies Requester;

const minute = 60_000;

/** How long to wait after a refusal, for instance while a deployment is under way, in milliseconds. */
const afterRefusal = 10 * minute;

/** How long to wait for a deletion to finish before it is requested again, in milliseconds. */
const afterRequest = 60 * minute;

/** Sets the time at which the platform deletes an environment. Call it after its end was set, changed or removed. */
export async function environmentEndChanged(trx: Db, environmentId: string, endsAt: string | null): Promise<void> {
  if (endsAt !== null) return setTimer(trx, 'ENVIRONMENT_END', environmentId, Date.parse(endsAt));
  await trx.deleteFrom('timer').where('kind', '=', 'ENVIRONMENT_END').where('subject_id', '=', environmentId).execute();
}

/**
 * Deletes an environment at its end, with everything in it. A deletion that is refused or fails is requested again.
 * Never deletes PRODUCTION.
 */
export const endEnvironment =
  (context: EngineContext): TimerHandler =>
  async (trx, environmentId, now, dueAt) => {
    const environment = await trx
      .selectFrom('environment')
      .selectAll()
      .where('id', '=', environmentId)
      .executeTakeFirst();
    if (environment === undefined || environment.ends_at === null || isProduction(environment.mode)) return null;
    const end = Date.parse(environment.ends_at);
    if (end > now) return end;
    const services = await trx
      .selectFrom('service')
      .select('id')
      .where('environment_id', '=', environmentId)
      .orderBy('id')
      .execute();
    const { end_reason: reason, end_set_by: by } = environment;
    const why = `Its end, ${iso(end)}${by === null ? '' : `, which ${by} set`}${reason === null ? '' : `: ${reason}`}`;
    // An empty environment is gone with the request.
    const place = await placeOfEnvironment(trx, environmentId);
    const record = (event_type: string, change: Record<string, string>) =>
      auditEnvironment(trx, environment, { event_type, ...endRequester, at: now, change }, place);
    try {
      const { id } = await requestDeployment(context, trx, {
        ...endRequester,
        action: 'DELETE',
        environmentId,
        serviceIds: services.map((service) => service.id),
        takesEnvironment: true,
      });
      const left = await trx.selectFrom('environment').select('id').where('id', '=', environmentId).executeTakeFirst();
      await record(left === undefined ? 'DELETE' : 'TRIGGER_DELETE', { message: `${why}.`, deployment_id: id });
      return left === undefined ? null : now + afterRequest;
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      if (dueAt <= end) await record('DELETE_FAILED', { message: `${why}. ${error.message} It is tried again.` });
      return now + afterRefusal;
    }
  };
