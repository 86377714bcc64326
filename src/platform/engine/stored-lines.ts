import { maximumLogLines, shortened, type StepName, storedCondition } from '../../contract/index.ts';
import type { RuntimeLogLine } from '../runtime/index.ts';
import { compiled, compiledChange, inBatches, type Db } from '../store/index.ts';
import { iso } from './context.ts';
import type { DeploymentServiceRow } from './deployment-rows.ts';

/** A line as it is stored and returned. */
interface TimedLine {
  readonly created_at: string;
  readonly pod_name: string;
  readonly message: string;
}

/** The maximum length of a stored line, in characters. */
const longestKeptLine = 4000;

/** Shortens a line for storage: instances can log megabytes without a newline. */
const shortenedLine = (message: string): string => shortened(message, longestKeptLine);

/** The same key for a line and for its copy, which may have been shortened. */
const keyOf = ({ created_at: at, pod_name: pod, message }: TimedLine): string =>
  `${at} ${pod} ${shortenedLine(message)}`;

/**
 * The lines that are not among the known ones. A line that an instance logged twice within a millisecond stays as often
 * as it isn't known: both lists come from the same log.
 */
export function withoutKnownLines<Line extends TimedLine>(lines: readonly Line[], known: readonly TimedLine[]): Line[] {
  const counts = new Map<string, number>();
  for (const line of known) {
    const key = keyOf(line);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const times = new Set(known.map(({ created_at: at }) => at));
  return lines.filter((line) => {
    if (!times.has(line.created_at)) return true;
    const key = keyOf(line);
    const left = counts.get(key) ?? 0;
    if (left > 0) counts.set(key, left - 1);
    return left <= 0;
  });
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

const deleteOlderLines = compiledChange((trx, { deployment_id, service_id }: LogOwner) =>
  trx
    .deleteFrom('log_line')
    .where('deployment_id', '=', deployment_id)
    .where('service_id', '=', service_id)
    .where('seq', '<=', (eb) =>
      eb
        .selectFrom('log_line')
        .select('seq')
        .where('deployment_id', '=', deployment_id)
        .where('service_id', '=', service_id)
        .orderBy('seq', 'desc')
        .limit(1)
        .offset(maximumLogLines),
    ),
);

/** Removes the lines of a service in a deployment that are beyond the newest `maximumLogLines`. */
export async function pruneDeployment(trx: Db, { deployment_id, service_id }: LogOwner): Promise<void> {
  await deleteOlderLines(trx, { deployment_id, service_id });
}

const olderDeployments = compiled((db, { service_id }: Pick<LogOwner, 'service_id'>) =>
  db
    .selectFrom('deployment_service')
    .innerJoin('deployment', 'deployment.id', 'deployment_service.deployment_id')
    .select('deployment.id')
    .where('deployment_service.service_id', '=', service_id)
    .orderBy('deployment.seq', 'desc')
    .limit(Number.MAX_SAFE_INTEGER)
    .offset(maximumDeploymentLogs),
);

/** Removes log lines beyond the limits, after a service's deployment has finished. */
export async function pruneLines(trx: Db, owner: LogOwner): Promise<void> {
  const older = await olderDeployments(trx, { service_id: owner.service_id });
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
