import type { StepName } from '../../contract/resources/deployment.ts';
import { maximumLogLines } from '../../contract/resources/deployment.ts';
import type { Line } from '../runtime/runtime.ts';
import type { Db } from '../store/database.ts';
import { iso } from './context.ts';
import type { DeploymentServiceRow } from './rows.ts';

/** Deployments of a service whose logs are kept; each keeps its newest lines, as many as an answer holds. */
export const keptDeploymentLogs = 20;

// SQLite takes a bounded number of parameters in one statement.
const linesPerInsert = 200;

type Owner = Pick<DeploymentServiceRow, 'deployment_id' | 'service_id'>;

/** Adds lines to the log of one service's deployment. */
export async function appendLines(trx: Db, owner: Owner, step: StepName | null, lines: readonly Line[]): Promise<void> {
  for (let first = 0; first < lines.length; first += linesPerInsert) {
    const rows = lines.slice(first, first + linesPerInsert).map((line) => ({
      deployment_id: owner.deployment_id, service_id: owner.service_id, step, created_at: iso(line.at), message: line.message,
      pod_name: line.pod, version: line.version,
    }));
    await trx.insertInto('log_line').values(rows).execute();
  }
}

/** Lets go of what is beyond the bounds, once a service's deployment has ended. */
export async function pruneLines(trx: Db, owner: Owner): Promise<void> {
  const newest = trx
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select('deployment.id')
    .where('deployment_service.service_id', '=', owner.service_id)
    .orderBy('deployment.seq', 'desc')
    .limit(keptDeploymentLogs);
  await trx.deleteFrom('log_line').where('service_id', '=', owner.service_id).where('deployment_id', 'not in', newest).execute();
  const newestDropped = trx
    .selectFrom('log_line')
    .select('seq')
    .where('deployment_id', '=', owner.deployment_id)
    .where('service_id', '=', owner.service_id)
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(maximumLogLines);
  await trx
    .deleteFrom('log_line')
    .where('deployment_id', '=', owner.deployment_id)
    .where('service_id', '=', owner.service_id)
    .where('seq', '<=', newestDropped)
    .execute();
}
