import { maximumLogLines, type StepName } from '../../contract/index.ts';
import { notFound, uuidFrom, type DeployedCommit } from '../common/index.ts';
import type { RuntimeLogLine, RunningVersion, Runtime } from '../runtime/index.ts';
import type { Db, DataStore } from '../store/index.ts';
import { iso } from './context.ts';
import type { EnvironmentLogLines, LogLines } from './engine.ts';
import type { DeploymentServiceRow } from './deployment-rows.ts';

type LogLine = LogLines['results'][number];

const runningStates = ['DEPLOYED', 'RESTARTED'];

const runningVersion = async (db: Db, serviceId: string): Promise<RunningVersion | undefined> => {
  const service = await db.selectFrom('service').selectAll().where('id', '=', serviceId).executeTakeFirst();
  if (service === undefined) throw notFound('service', serviceId);
  const { deployed_spec, deployed_commit, last_deployment_id, last_deployment_at } = service;
  if (!runningStates.includes(service.deployed_state) || deployed_spec === null || last_deployment_id === null || last_deployment_at === null) return undefined;
  const commitId = deployed_commit === null ? undefined : (JSON.parse(deployed_commit) as DeployedCommit).git_commit_id;
  return {
    deploymentId: last_deployment_id,
    service: { id: service.id, name: service.name, environmentId: service.environment_id, kind: service.kind, spec: JSON.parse(deployed_spec) } as RunningVersion['service'],
    ...(commitId !== undefined && { commitId }),
    runningSince: Date.parse(last_deployment_at),
  };
};

/** The id of a stored line. The same line always has the same id. */
const storedLineId = ({ deployment_id, seq }: { readonly deployment_id: string; readonly seq: number }): string => uuidFrom(`${deployment_id}/log/${seq}`);

const runningLine = (version: RunningVersion, line: RuntimeLogLine): LogLine => ({
  id: uuidFrom(`${version.deploymentId}/${version.service.id}/running/${line.at}/${line.pod}/${line.message}`), created_at: iso(line.at), message: line.message, pod_name: line.pod, version: line.version,
});

const storedLines = async (db: Db, serviceId: string, tail: number): Promise<LogLine[]> => {
  const rows = await db.selectFrom('log_line').selectAll().where('service_id', '=', serviceId).orderBy('seq', 'desc').limit(tail).execute();
  return rows.toReversed().map((row) => ({
    id: storedLineId(row), created_at: row.created_at, message: row.message, pod_name: row.pod_name, version: row.version,
  }));
};

/**
 * The newest log lines of a service, newest last: those of its deployments, then those of the running version. The runtime
 * is asked for the latter after the transaction.
 * @param tail maximum number of lines, up to `maximumLogLines`
 * @throws ApiProblem 404 for an unknown id
 */
export async function serviceLogs(db: DataStore, runtime: Runtime, serviceId: string, tail: number = maximumLogLines): Promise<LogLines> {
  const { version, stored } = await db.read(async (trx) => ({ version: await runningVersion(trx, serviceId), stored: await storedLines(trx, serviceId, tail) }));
  if (version === undefined) return { results: stored };
  const running = await runtime.logs(version, tail);
  return { results: [...stored, ...running.map((line) => runningLine(version, line))].slice(-tail) };
}

/**
 * The newest log lines of the latest deployments of an environment's services, newest last.
 * @throws ApiProblem 404 for an unknown id
 */
export async function environmentLogs(db: Db, environmentId: string, tail: number = maximumLogLines): Promise<EnvironmentLogLines> {
  const environment = await db.selectFrom('environment').select('id').where('id', '=', environmentId).executeTakeFirst();
  if (environment === undefined) throw notFound('environment', environmentId);
  const rows = await db
    .selectFrom('log_line')
    .innerJoin('service', (join) =>
      join.onRef('service.id', '=', 'log_line.service_id').onRef('service.last_deployment_id', '=', 'log_line.deployment_id'))
    .selectAll('log_line')
    .select('service.name as service_name')
    .where('service.environment_id', '=', environmentId)
    .orderBy('log_line.seq', 'desc')
    .limit(tail)
    .execute();
  // Services are deployed in parallel and their lines written in batches.
  const byTime = rows.toSorted((one, other) => one.created_at.localeCompare(other.created_at) || one.seq - other.seq);
  return {
    results: byTime.map((row) => ({
      id: storedLineId(row), created_at: row.created_at, message: row.message, pod_name: row.pod_name, version: row.version, step: row.step,
      service_id: row.service_id, service_name: row.service_name, deployment_request_id: row.deployment_id,
    })),
  };
}

/** How many deployments of a service keep their logs. Each keeps its newest `maximumLogLines` lines. */
export const maximumDeploymentLogs = 20;

// SQLite limits the number of parameters in one statement.
const linesPerInsert = 200;

type LogOwner = Pick<DeploymentServiceRow, 'deployment_id' | 'service_id'>;

/** Appends lines to the log of one service in a deployment. */
export async function appendLines(trx: Db, owner: LogOwner, step: StepName | null, lines: readonly RuntimeLogLine[]): Promise<void> {
  for (let first = 0; first < lines.length; first += linesPerInsert) {
    const rows = lines.slice(first, first + linesPerInsert).map((line) => ({
      deployment_id: owner.deployment_id, service_id: owner.service_id, step, created_at: iso(line.at), message: line.message,
      pod_name: line.pod, version: line.version,
    }));
    await trx.insertInto('log_line').values(rows).execute();
  }
}

/** Removes log lines beyond the limits, after a service's deployment has ended. */
export async function pruneLines(trx: Db, owner: LogOwner): Promise<void> {
  const newest = trx
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select('deployment.id')
    .where('deployment_service.service_id', '=', owner.service_id)
    .orderBy('deployment.seq', 'desc')
    .limit(maximumDeploymentLogs);
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
