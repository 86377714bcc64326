import { condition, type Condition } from '../../../../contract/index.ts';
import { conditionLine, type RunningVersion, type RuntimeLogLine, RuntimeProblem, type Task } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import {
  type DockerError,
  type DockerLogLine,
  type DockerLogSelection,
  isDockerError,
  listDockerTasks,
  readDockerContainerLogs,
  readDockerServiceLogs,
  readDockerTaskLogs,
  type DockerTask,
} from '../api/index.ts';
import { engineTaskLabel, labelledDeployment } from '../labels.ts';
import { dockerServiceName, podName } from '../names.ts';
import { downNodes } from '../nodes/lost-nodes.ts';
import { versionShown } from '../version.ts';

/**
 * The timeout for reading logs, in milliseconds. A lost node that is not yet known to be down keeps the read waiting.
 */
const timeoutMilliseconds = 5000;

const taskIdOf = ({ details }: DockerLogLine): string => details[engineTaskLabel] ?? '';

const isUnreadable = (error: unknown): error is DockerError => isDockerError(error, 'not found', 'timeout', 'failed');

type Selection = { readonly tail?: number; readonly since?: string };

/** Lines that were read, and whether they are complete: lines that came before a failure of the read are kept. */
interface ReadLines {
  readonly lines: readonly DockerLogLine[];
  readonly isComplete: boolean;
  /** Why the lines are incomplete, as a part of a sentence; absent for a log that is gone. */
  readonly why?: string;
}

/** Reads a log to its end. */
async function linesOf(read: AsyncGenerator<DockerLogLine, void>): Promise<ReadLines> {
  const lines: DockerLogLine[] = [];
  try {
    for await (const line of read) lines.push(line);
    return { lines, isComplete: true };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return { lines, isComplete: false, ...(error.kind !== 'not found' && { why: error.reason }) };
  }
}

/**
 * The states of instances that the engine leaves out of a service's log: those that aren't ready yet, and those that
 * ended before they were.
 */
const leftOut: readonly DockerTask['Status']['State'][] = ['starting', 'failed', 'complete'];

const withTaskId = (taskId: string, lines: readonly DockerLogLine[]): readonly DockerLogLine[] =>
  lines.map((line) => ({ ...line, details: { ...line.details, [engineTaskLabel]: taskId } }));

/**
 * Reads a service's log from the engine. That read waits for nodes that are down until its timeout: while there are
 * any, the instances on other nodes are read one by one.
 */
async function linesOfEngine(
  { docker }: Pick<DockerContext, 'docker'>,
  service: Task['service'],
  tasks: readonly DockerTask[],
  down: ReadonlySet<string>,
  limits: DockerLogSelection,
): Promise<ReadLines> {
  if (down.size === 0) return linesOf(readDockerServiceLogs(docker, dockerServiceName(service), limits));
  const begun = tasks.filter(({ Status }) => Status.ContainerStatus?.ContainerID);
  const reached = begun.filter(({ NodeID: node }) => !down.has(node ?? ''));
  const read = await Promise.all(
    reached.map(async ({ ID: taskId }) => ({ taskId, ...(await linesOf(readDockerTaskLogs(docker, taskId, limits))) })),
  );
  const why = read.find((each) => each.why !== undefined)?.why;
  return {
    lines: read.flatMap(({ taskId, lines }) => withTaskId(taskId, lines)),
    isComplete: reached.length === begun.length && read.every(({ isComplete }) => isComplete),
    ...(why !== undefined && { why }),
  };
}

/**
 * Reads the lines of a service. Lines of instances that the engine leaves out are read from their containers, if they
 * are on this engine.
 * @param down the ids of nodes that are down
 */
async function readLines(
  context: Pick<DockerContext, 'docker'>,
  service: Task['service'],
  tasks: readonly DockerTask[],
  down: ReadonlySet<string>,
  selection: Selection,
  signal: AbortSignal,
): Promise<ReadLines> {
  const limits = { ...selection, signal, timeoutMilliseconds };
  const apart = await Promise.all(
    tasks.map(async ({ ID: taskId, Status: { State: state, ContainerStatus: status } }) => {
      if (!leftOut.includes(state) || !status?.ContainerID) return undefined;
      const { lines, isComplete } = await linesOf(readDockerContainerLogs(context.docker, status.ContainerID, limits));
      return isComplete ? { taskId, lines: withTaskId(taskId, lines) } : undefined;
    }),
  );
  const read = apart.filter((each) => each !== undefined);
  const together = await linesOfEngine(context, service, tasks, down, limits);
  return {
    ...together,
    lines: [
      ...together.lines.filter((line) => !read.some(({ taskId }) => taskId === taskIdOf(line))),
      ...read.flatMap(({ lines }) => lines),
    ],
  };
}

/**
 * Returns the condition of a line with which the platform's entrypoint reports that it could not start the program; see
 * `entrypoint.c`.
 */
function notStarted(message: string): { readonly condition: Condition } | undefined {
  const why = /^infra-entrypoint: (.+ (?:was not found|can't be started: .+))$/.exec(message)?.[1];
  return why === undefined ? undefined : { condition: condition('PROGRAM_NOT_STARTED', { why }) };
}

const toRuntimeLine = (
  service: Task['service'],
  version: string,
  slots: ReadonlyMap<string, number | undefined>,
  line: DockerLogLine,
): RuntimeLogLine => {
  const taskId = taskIdOf(line);
  return {
    at: Date.parse(line.timestamp),
    message: line.text,
    pod: podName(service, slots.get(taskId), taskId),
    version,
    ...notStarted(line.text),
  };
};

const slotsOf = (tasks: readonly DockerTask[]): ReadonlyMap<string, number | undefined> =>
  new Map(tasks.map(({ ID, Slot }) => [ID, Slot]));

/** The number of fractional digits varies; padded timestamps compare as text. */
const comparable = (timestamp: string): string =>
  timestamp.replace(/(?:\.(\d+))?Z$/, (_, digits: string = '') => `.${digits.padEnd(9, '0')}Z`);

/** The timestamp of the last reported line of each instance, by the id of its task. */
export type ReportedUntil = Readonly<Record<string, string>>;

/**
 * The time from which lines can be new, for the engine: seconds since 1970, with the fraction of the earliest of the
 * instances' last reported lines.
 */
function newSince({ beganAt }: Task, tasks: readonly DockerTask[], reported: ReportedUntil): string {
  const [first] = tasks.map(({ ID }) => reported[ID] ?? '').toSorted();
  if (first === undefined || first === '') return String(Math.floor(beganAt / 1000) - 1);
  const [, second, fraction] = /^(.*)\.(\d{9})Z$/.exec(first)!;
  return `${Date.parse(`${second!}Z`) / 1000}.${fraction!}`;
}

/**
 * How many lines one observation reports at most, and how many are read of each instance: the platform keeps no more of
 * a deployment. An engine finds the newest lines from the end of a log; without a limit it would read all of it.
 */
const mostLines = 1000;

/** Whether a line reports that others were left out. */
export const isOmission = ({ condition: told }: Pick<RuntimeLogLine, 'condition'>): boolean =>
  told?.reason === 'LINES_LEFT_OUT';

/** The newest of many lines. How many there were in total is not known. */
const bounded = (lines: readonly RuntimeLogLine[]): readonly RuntimeLogLine[] => {
  const left = lines.length - mostLines;
  if (left <= 0) return lines;
  return [conditionLine(condition('LINES_LEFT_OUT', { most: mostLines }), lines[left]!), ...lines.slice(left)];
};

/**
 * Returns the lines of a deployment's instances after the reported ones, oldest first, and whether they are complete up
 * to now.
 */
export async function newLines(
  context: Pick<DockerContext, 'docker'>,
  task: Task,
  tasks: readonly DockerTask[],
  reported: ReportedUntil,
  signal: AbortSignal,
): Promise<{
  readonly lines: readonly RuntimeLogLine[];
  readonly reported: ReportedUntil;
  readonly isComplete: boolean;
}> {
  const slots = slotsOf(tasks);
  const down = new Set((await downNodes(context, signal)).keys());
  const { lines: read, isComplete } = await readLines(
    context,
    task.service,
    tasks,
    down,
    { since: newSince(task, tasks, reported), tail: mostLines + 1 },
    signal,
  );
  const fresh = read.filter((line) => {
    const id = taskIdOf(line);
    return slots.has(id) && comparable(line.timestamp) > (reported[id] ?? '');
  });
  const ordered = fresh.toSorted((one, other) => comparable(one.timestamp).localeCompare(comparable(other.timestamp)));
  const until = Object.fromEntries(ordered.map((line) => [taskIdOf(line), comparable(line.timestamp)]));
  return {
    lines: bounded(ordered.map((line) => toRuntimeLine(task.service, versionShown(task), slots, line))),
    reported: { ...reported, ...until },
    isComplete,
  };
}

/**
 * Returns the newest lines of a running version, and reports which of its instances' logs can't be read. Runs of a job
 * and of Terraform are deployments, which have their own lines.
 * @throws DockerError if the engine, or the swarm behind it, is unavailable
 * @throws RuntimeProblem if the engine can't list the instances
 */
export async function runningLines(
  context: Pick<DockerContext, 'clock' | 'docker'>,
  version: RunningVersion,
  limit: number,
  signal: AbortSignal,
): Promise<readonly RuntimeLogLine[]> {
  if (version.service.kind === 'job' || version.service.kind === 'terraform') return [];
  const tasks = await listDockerTasks(
    context.docker,
    { service: [dockerServiceName(version.service)] },
    { signal, timeoutMilliseconds },
  ).catch((error: unknown) => {
    if (isDockerError(error, 'not found')) return undefined;
    throw isDockerError(error, 'failed') ? new RuntimeProblem(error.reason, { cause: error }) : error;
  });
  if (tasks === undefined) return [];
  const down = await downNodes(context, signal);
  const { lines, why } = await readLines(
    context,
    version.service,
    tasks,
    new Set(down.keys()),
    { tail: limit },
    signal,
  );
  const slots = slotsOf(tasks);
  // The engine still returns lines of other versions.
  const ownTasks = tasks.filter(({ Spec }) => labelledDeployment(Spec.ContainerSpec.Labels) === version.deploymentId);
  const own = new Set(ownTasks.map(({ ID }) => ID));
  const versionOf = (line: DockerLogLine): string => (own.has(taskIdOf(line)) ? versionShown(version) : '');
  const unread = ownTasks.flatMap(({ ID, Slot, NodeID, Status }): RuntimeLogLine[] => {
    const node = Status.ContainerStatus?.ContainerID ? down.get(NodeID ?? '') : undefined;
    const pod = podName(version.service, Slot, ID);
    return node
      ? [
          conditionLine(condition('LOG_ON_LOST_NODE', { instance: pod, node: node.node, since: node.since }), {
            at: node.at,
            pod,
            version: versionShown(version),
          }),
        ]
      : [];
  });
  const partly: RuntimeLogLine[] =
    why === undefined
      ? []
      : [
          conditionLine(condition('LOG_INCOMPLETE', { said: why }), {
            at: context.clock.now(),
            pod: 'engine',
            version: versionShown(version),
          }),
        ];
  return [...lines.map((line) => toRuntimeLine(version.service, versionOf(line), slots, line)), ...unread, ...partly]
    .toSorted((one, other) => one.at - other.at)
    .slice(-limit);
}

/** Returns the last lines of one instance; none if the engine has dropped them, or doesn't reach their node. */
export async function lastLines(
  context: Pick<DockerContext, 'docker'>,
  version: RunningVersion,
  task: DockerTask,
  limit: number,
  signal: AbortSignal,
): Promise<readonly RuntimeLogLine[]> {
  if ((await downNodes(context, signal)).has(task.NodeID ?? '')) return [];
  const { lines } = await linesOf(
    readDockerTaskLogs(context.docker, task.ID, { tail: limit, signal, timeoutMilliseconds }),
  );
  const pod = podName(version.service, task.Slot, task.ID);
  return lines.map(({ timestamp, text: message }) => ({
    at: Date.parse(timestamp),
    message,
    pod,
    version: versionShown(version),
    ...notStarted(message),
  }));
}
