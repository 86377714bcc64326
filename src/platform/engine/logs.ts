import type { Selectable } from 'kysely';
import {
  condition,
  type DeploymentState,
  maximumLogLines,
  readCondition,
  type StepName,
  storedCondition,
} from '../../contract/index.ts';
import { notFound, reasonOf, uuidFrom, type DeployedCommit } from '../common/index.ts';
import {
  conditionLine,
  type RuntimeLogLine,
  RuntimeProblem,
  RuntimeUnreachable,
  type RunningVersion,
} from '../runtime/index.ts';
import { inBatches, type Db, type DataStore, type ServiceTable } from '../store/index.ts';
import { type EngineContext, iso } from './context.ts';
import { failedStates, isSettled } from './lifecycle.ts';
import { keptRunning, runningStates } from './running-facts.ts';
import { runtimeOfEnvironment } from './tasks.ts';
import type { EnvironmentLogLines, LogLines } from './engine.ts';
import type { DeploymentServiceRow } from './deployment-rows.ts';
import { shortenedLine, withoutKnownLines } from './repeated-lines.ts';

type LogLine = LogLines['results'][number];

/** The version of a service that was last deployed; undefined if none was. */
export function deployedVersion(service: Selectable<ServiceTable>): RunningVersion | undefined {
  const { deployed_spec, deployed_commit, last_deployment_id, last_deployment_at } = service;
  if (deployed_spec === null || last_deployment_id === null || last_deployment_at === null) return undefined;
  const commitId = deployed_commit === null ? undefined : (JSON.parse(deployed_commit) as DeployedCommit).git_commit_id;
  return {
    deploymentId: last_deployment_id,
    service: {
      id: service.id,
      name: service.name,
      environmentId: service.environment_id,
      kind: service.kind,
      spec: JSON.parse(deployed_spec),
    } as RunningVersion['service'],
    ...(commitId !== undefined && { commitId }),
    ...(service.deployed_record !== null && { record: service.deployed_record }),
    runningSince: Date.parse(last_deployment_at),
  };
}

/**
 * The states after an unsuccessful deployment: the version before it continues to serve, unless it was to be deleted.
 */
const unsuccessfulStates: readonly DeploymentState[] = [
  ...failedStates.filter((state) => state !== 'DELETE_ERROR'),
  'CANCELED',
];

/**
 * The deployment of a service's running version: the last one that started instances. Undefined if the service was
 * stopped since then.
 */
const servingDeployment = async (db: Db, serviceId: string) => {
  const last = await db
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select(['deployment.id', 'deployment.action', 'deployment_service.ended_at'])
    .where('deployment_service.service_id', '=', serviceId)
    .where('deployment_service.ended_at', 'is not', null)
    .where('deployment_service.reason', 'is', null)
    .orderBy('deployment.seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.action === 'DEPLOY' || last?.action === 'RESTART' ? last : undefined;
};

/** The serving version of a service, and whether a later deployment is under way or has failed. */
interface Serving {
  readonly version: RunningVersion;
  readonly later?: 'under way' | 'failed';
}

const servingVersion = async (
  db: Db,
  service: Selectable<ServiceTable>,
  version: RunningVersion,
): Promise<Serving | undefined> => {
  if (runningStates.includes(service.deployed_state)) return { version };
  // Without a record, nothing really runs.
  const later = !isSettled(service.deployed_state)
    ? 'under way'
    : unsuccessfulStates.includes(service.deployed_state)
      ? 'failed'
      : undefined;
  if (service.deployed_record === null || later === undefined) return undefined;
  const serving = await servingDeployment(db, service.id);
  return (
    serving && { version: { ...version, deploymentId: serving.id, runningSince: Date.parse(serving.ended_at!) }, later }
  );
};

/** The version of a service that was last deployed, and the serving one. */
const versionsOf = async (db: Db, serviceId: string) => {
  const service = await db.selectFrom('service').selectAll().where('id', '=', serviceId).executeTakeFirst();
  if (service === undefined) throw notFound('service', serviceId);
  const deployed = deployedVersion(service);
  return deployed ? { deployed, serving: await servingVersion(db, service, deployed) } : {};
};

/** The id of a stored line. The same line always has the same id. */
const storedLineId = ({ deployment_id, seq }: { readonly deployment_id: string; readonly seq: number }): string =>
  uuidFrom(`${deployment_id}/log/${seq}`);

/** The condition of a stored line, as data. */
const conditionIn = ({ condition: stored }: { readonly condition: string | null }) =>
  stored === null ? {} : { condition: readCondition(stored) };

const runningLine = (version: RunningVersion, line: RuntimeLogLine): LogLine => ({
  id: uuidFrom(`${version.deploymentId}/${version.service.id}/running/${line.at}/${line.pod}/${line.message}`),
  created_at: iso(line.at),
  message: line.message,
  pod_name: line.pod,
  version: line.version,
  ...(line.condition && { condition: line.condition }),
});

const storedLines = async (db: Db, serviceId: string, tail: number): Promise<LogLine[]> => {
  const rows = await db
    .selectFrom('log_line')
    .selectAll()
    .where('service_id', '=', serviceId)
    .orderBy('seq', 'desc')
    .limit(tail)
    .execute();
  return rows
    .toReversed()
    .map((row) => ({
      id: storedLineId(row),
      created_at: row.created_at,
      message: row.message,
      pod_name: row.pod_name,
      version: row.version,
      ...conditionIn(row),
    }));
};

/**
 * The newest stored lines and those of the runtime, by time. Lines that were copied while the runtime still has them
 * appear once.
 * @param keepsStored whether stored lines, such as why a deployment failed, keep at least half of the room
 */
function inOrder(
  stored: readonly LogLine[],
  running: readonly LogLine[],
  tail: number,
  keepsStored: boolean,
): LogLine[] {
  const fresh = withoutKnownLines(running, stored);
  const room = keepsStored ? tail - Math.min(stored.length, Math.ceil(tail / 2)) : tail;
  const newest = room === 0 ? [] : fresh.slice(-room);
  const kept = keepsStored ? stored.slice(Math.max(0, stored.length + newest.length - tail)) : stored;
  return [...kept, ...newest].toSorted((one, other) => one.created_at.localeCompare(other.created_at)).slice(-tail);
}

/**
 * The line that says that the logs of a version's instances could not be read.
 * @param at milliseconds since the epoch
 */
const unreadLine = (version: RunningVersion, at: number, said: string): LogLine => ({
  ...runningLine(version, conditionLine(condition('LOG_UNREADABLE', { said }), { at, pod: 'platform', version: '' })),
  // The id is always the same.
  id: uuidFrom(`${version.deploymentId}/${version.service.id}/unread`),
});

/**
 * The newest log lines of a service, newest last: those of its deployments, and those of the serving version, also
 * while another deployment is under way. The runtime is queried for the latter after the transaction; if that fails,
 * the last line says so, and why. If the runtime loses what replaced instances logged, the answer says since when it
 * has lines of instances.
 * @param tail maximum number of lines, up to `maximumLogLines`
 * @throws ApiProblem 404 for an unknown id
 */
export async function serviceLogs(
  context: Pick<EngineContext, 'runtimes' | 'clock'>,
  db: DataStore,
  serviceId: string,
  signal: AbortSignal,
  tail: number = maximumLogLines,
): Promise<LogLines> {
  const { deployed, serving, stored } = await db.read(async (trx) => ({
    ...(await versionsOf(trx, serviceId)),
    stored: await storedLines(trx, serviceId, tail),
  }));
  if (deployed === undefined) return { results: stored };
  const runtime = await runtimeOfEnvironment(context, db, deployed.service.environmentId);
  const lost =
    runtime.losesReplacedLogs && keptRunning.includes(deployed.service.kind)
      ? { instances_since: iso((serving?.version ?? deployed).runningSince) }
      : undefined;
  if (serving === undefined) return { results: stored, ...lost };
  const { version, later } = serving;
  const logged = await runtime.logs(version, tail, signal).catch((error: unknown) => {
    if (error instanceof RuntimeUnreachable || error instanceof RuntimeProblem) return error;
    throw error;
  });
  if (logged instanceof Error)
    return { results: [...stored, unreadLine(version, context.clock.now(), reasonOf(logged))].slice(-tail), ...lost };
  // Lines of the new version are stored by its deployment.
  const running = later === 'under way' ? logged.filter((line) => line.version !== '') : logged;
  return {
    results: inOrder(
      stored,
      running.map((line) => runningLine(version, line)),
      tail,
      later !== undefined,
    ),
    ...lost,
  };
}

/**
 * The newest log lines of the latest deployments of an environment's services, newest last.
 * @throws ApiProblem 404 for an unknown id
 */
export async function environmentLogs(
  db: Db,
  environmentId: string,
  tail: number = maximumLogLines,
): Promise<EnvironmentLogLines> {
  const environment = await db
    .selectFrom('environment')
    .select('id')
    .where('id', '=', environmentId)
    .executeTakeFirst();
  if (environment === undefined) throw notFound('environment', environmentId);
  const rows = await db
    .selectFrom('log_line')
    .innerJoin('service', (join) =>
      join
        .onRef('service.id', '=', 'log_line.service_id')
        .onRef('service.last_deployment_id', '=', 'log_line.deployment_id'),
    )
    .selectAll('log_line')
    .select('service.name as service_name')
    .where('service.environment_id', '=', environmentId)
    .orderBy('log_line.seq', 'desc')
    .limit(tail)
    .execute();
  // Services are deployed in parallel, and their lines are written in batches.
  const byTime = rows.toSorted((one, other) => one.created_at.localeCompare(other.created_at) || one.seq - other.seq);
  return {
    results: byTime.map((row) => ({
      id: storedLineId(row),
      created_at: row.created_at,
      message: row.message,
      pod_name: row.pod_name,
      version: row.version,
      step: row.step,
      ...conditionIn(row),
      service_id: row.service_id,
      service_name: row.service_name,
      deployment_request_id: row.deployment_id,
    })),
  };
}

/** How many deployments of a service keep their logs. Each keeps its newest `maximumLogLines` lines. */
const maximumDeploymentLogs = 20;

type LogOwner = Pick<DeploymentServiceRow, 'deployment_id' | 'service_id'>;

/** Appends lines to the log of one service in a deployment. */
export async function appendLines(
  trx: Db,
  owner: LogOwner,
  step: StepName | null,
  lines: readonly RuntimeLogLine[],
): Promise<void> {
  for (const some of inBatches(lines)) {
    const rows = some.map((line) => ({
      deployment_id: owner.deployment_id,
      service_id: owner.service_id,
      step,
      created_at: iso(line.at),
      message: shortenedLine(line.message),
      pod_name: line.pod,
      version: line.version,
      condition: line.condition ? storedCondition(line.condition) : null,
    }));
    await trx.insertInto('log_line').values(rows).execute();
  }
}

/** Those lines of exited instances that were not stored while the instances ran. */
export async function unstoredLines(
  trx: Db,
  serviceId: string,
  lines: readonly RuntimeLogLine[],
): Promise<RuntimeLogLine[]> {
  const pods = [...new Set(lines.map(({ pod }) => pod))];
  if (pods.length === 0) return [];
  const stored = await trx
    .selectFrom('log_line')
    .select(['created_at', 'pod_name', 'message'])
    .where('service_id', '=', serviceId)
    .where('pod_name', 'in', pods)
    .execute();
  return withoutKnownLines(
    lines.map((line) => ({ line, created_at: iso(line.at), pod_name: line.pod, message: line.message })),
    stored,
  ).map(({ line }) => line);
}

/** Removes the lines of a service in a deployment that are beyond the newest `maximumLogLines`. */
export async function pruneDeployment(trx: Db, owner: LogOwner): Promise<void> {
  const ofDeployment = trx
    .selectFrom('log_line')
    .select('seq')
    .where('deployment_id', '=', owner.deployment_id)
    .where('service_id', '=', owner.service_id);
  await trx
    .deleteFrom('log_line')
    .where('deployment_id', '=', owner.deployment_id)
    .where('service_id', '=', owner.service_id)
    .where('seq', '<=', ofDeployment.orderBy('seq', 'desc').limit(1).offset(maximumLogLines))
    .execute();
}

/** Removes log lines beyond the limits, after a service's deployment has finished. */
export async function pruneLines(trx: Db, owner: LogOwner): Promise<void> {
  const older = await trx
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select('deployment.id')
    .where('deployment_service.service_id', '=', owner.service_id)
    .orderBy('deployment.seq', 'desc')
    .limit(Number.MAX_SAFE_INTEGER)
    .offset(maximumDeploymentLogs)
    .execute();
  // By id, so that the logs that are kept aren't scanned.
  if (older.length > 0)
    await trx
      .deleteFrom('log_line')
      .where('service_id', '=', owner.service_id)
      .where(
        'deployment_id',
        'in',
        older.map(({ id }) => id),
      )
      .execute();
  await pruneDeployment(trx, owner);
}
