import { maximumLogLines } from '../../src/contract/index.ts';
import {
  deploymentIdsIn,
  deploymentIn,
  deploymentWindow,
  firstTime,
  isInWindow,
  isStatusOf,
  type HistoryItem,
  type LenientServiceStatus,
  type LogLine,
  type PastDeployment,
} from '../../src/analysis/index.ts';
import { rowsIn, type ToolContext } from '../../src/server/tool/index.ts';
import { logOf, readAspect, type Subject } from './any-service.ts';
import { readOwnLog } from './environment-log.ts';
import { readStatus } from './wait-for-end.ts';

/** Lines of a log, and why there may be more than could be read. */
export interface DeploymentLog {
  readonly lines: readonly LogLine[];
  /** Absent if these are all lines. */
  readonly missing?: string;
}

/** The log of an environment, or the part of it about one of its services; undefined if it can't be read. */
export async function environmentLogOf(
  context: ToolContext,
  environment_id: string,
  service?: string,
): Promise<readonly LogLine[] | undefined> {
  const lines = await readOwnLog(context, environment_id);
  return lines?.filter((line) => service === undefined || line['service_id'] === service);
}

/** The ids by which lines may name a deployment: some platforms name its execution, which only the status shows. */
export async function linesNaming(
  context: ToolContext,
  subject: Subject,
  deployment: string,
  lines: readonly LogLine[],
): Promise<readonly LogLine[]> {
  const named = lines.filter((line) => line.deployment_request_id === deployment);
  if (lines.length === 0 || named.length > 0) return named;
  const status = await readStatus(context, subject);
  if (!isStatusOf(status, deployment)) return [];
  return lines.filter((line) => deploymentIdsIn(status).includes(line.deployment_request_id ?? ''));
}

/** Lines of the service's own log that were written during a deployment. */
async function linesDuring(
  context: ToolContext,
  subject: Subject,
  { startedAt, endedAt }: PastDeployment,
): Promise<DeploymentLog | undefined> {
  const log: readonly LogLine[] | undefined = (await logOf(context, subject))?.lines;
  if (!log) return undefined;
  if (startedAt === undefined) return { lines: [], missing: 'the platform does not say when it was' };
  const window = deploymentWindow({ startedAt, endedAt });
  const lines = log.filter(({ created_at: at }) => at && isInWindow(window, at));
  const begins = firstTime(log);
  // A full log whose first line belongs to this deployment may lack earlier lines of it.
  const isCut =
    begins === undefined ||
    (lines.length === 0
      ? Date.parse(begins) > Date.parse(startedAt)
      : log.length >= maximumLogLines && isInWindow(window, begins));
  if (lines.length > 0 || !isCut)
    context.leftOut(
      `Its lines are those that the log of the service has from ${startedAt} to ${endedAt ?? 'now'}: the platform does not say which deployment they are from.`,
    );
  return {
    lines,
    ...(isCut && {
      missing:
        begins === undefined ? 'the log of the service is empty' : `the log of the service begins at ${begins} only`,
    }),
  };
}

/**
 * Log lines of one deployment of a service: those that name it in the log of the environment, which has only the latest
 * deployments, or else those of the service's own log during the deployment. Undefined if no log can be read.
 * @param history the deployments of the service, if they were read
 * @param lines its lines in the log of the environment, if that was read
 */
export async function logOfDeployment(
  context: ToolContext,
  subject: Subject,
  deployment: string,
  known: {
    readonly history?: readonly HistoryItem[];
    readonly status?: LenientServiceStatus | null;
    readonly lines?: readonly LogLine[];
  } = {},
): Promise<DeploymentLog | undefined> {
  const all =
    known.lines ??
    (subject.environmentId === undefined ? [] : await environmentLogOf(context, subject.environmentId, subject.id));
  const named = await linesNaming(context, subject, deployment, all ?? []);
  if (named.length > 0) return { lines: named };
  const history = known.history ?? rowsIn(await readAspect(context, subject, 'deployments'));
  const past = deploymentIn(history, deployment, known.status);
  return past
    ? linesDuring(context, subject, past)
    : { lines: [], missing: 'the history of the service shows no such deployment' };
}
