import { condition, maximumLogLines, readCondition } from '../../contract/index.ts';
import { notFound, reasonOf, uuidFrom } from '../common/index.ts';
import {
  conditionLine,
  type RuntimeLogLine,
  RuntimeProblem,
  RuntimeUnreachable,
  type RunningVersion,
} from '../runtime/index.ts';
import { compiled, type Db, type DataStore } from '../store/index.ts';
import { type EngineContext, iso } from './context.ts';
import type { EnvironmentLogLines, LogLines } from './engine.ts';
import { keptRunning } from './running-facts.ts';
import { keptSince, versionsOf } from './serving-version.ts';
import { withoutKnownLines } from './stored-lines.ts';
import { runtimeOfEnvironment } from './tasks.ts';

type LogLine = LogLines['results'][number];

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

/** The lines of runtimes that keep them, as they are answered: their ids take as long as reading them. */
const keptLines = new WeakMap<RuntimeLogLine, LogLine>();

const keptLine = (version: RunningVersion, line: RuntimeLogLine): LogLine => {
  const kept = keptLines.get(line) ?? Object.freeze(runningLine(version, line));
  keptLines.set(line, kept);
  return kept;
};

const newestLines = compiled((db, { id, tail }: { readonly id: string; readonly tail: number }) =>
  db.selectFrom('log_line').selectAll().where('service_id', '=', id).orderBy('seq', 'desc').limit(tail),
);

const storedLines = async (db: Db, serviceId: string, tail: number): Promise<LogLine[]> => {
  const rows = await newestLines(db, { id: serviceId, tail });
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

interface Timed {
  readonly created_at: string;
}

/** Compares lines by time. All times have the same form, so their characters are in the order of the times. */
const byTime = ({ created_at: one }: Timed, { created_at: other }: Timed): number =>
  one === other ? 0 : one < other ? -1 : 1;

/**
 * The newest stored lines and those of the runtime, by time. Lines that were copied while the runtime still has them
 * appear once.
 * @param keepsStored whether stored lines, such as the reason of a failed deployment, get at least half of the space
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
  return [...kept, ...newest].toSorted(byTime).slice(-tail);
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
 * the last line says so, and why. If the runtime loses the logs of replaced instances, the answer says since when it
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
      ? { instances_since: serving ? await keptSince(db, serving.version) : iso(deployed.runningSince) }
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
      running.map((line) => keptLine(version, line)),
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
  const inTurn = rows.toSorted((one, other) => byTime(one, other) || one.seq - other.seq);
  return {
    results: inTurn.map((row) => ({
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
