import type { Selectable } from 'kysely';
import { uuidFrom } from '../random.ts';
import type { Db } from '../store/database.ts';
import type { ServiceTable } from '../store/schema.ts';
import { announced, pathOf, stageOf } from './lifecycle.ts';
import { type DeploymentRow, isScheduledRun } from './rows.ts';
import { recordEvent } from './transition.ts';

/**
 * Makes a service part of a deployment that was just accepted: queued, with its event.
 * @param at milliseconds since the epoch
 * @param commitId the commit that was asked for
 */
export async function insertService(trx: Db, deployment: DeploymentRow, service: Selectable<ServiceTable>, at: number, commitId?: string): Promise<void> {
  const stage = stageOf(service.kind, deployment.action);
  const row = await trx
    .insertInto('deployment_service')
    .values({
      deployment_id: deployment.id, service_id: service.id, kind: service.kind, name: service.name, stage: stage.position,
      stage_id: uuidFrom(`${deployment.environment_id}/stage/${stage.name}`), state: pathOf(service.kind, deployment.action).queued,
      revision: 0, requested_commit: commitId ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const told = announced(deployment.action) && !isScheduledRun(deployment);
  await recordEvent(trx, deployment, row, at, told ? 'DEPLOYMENT_STARTED' : undefined);
}
