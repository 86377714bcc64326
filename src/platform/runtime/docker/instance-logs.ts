import type { RunningVersion, RuntimeLogLine, Task } from '../index.ts';
import type { DockerContext } from './docker-context.ts';
import { type DockerLogLine, isDockerError, listDockerTasks, readDockerContainerLogs, readDockerServiceLogs, readDockerTaskLogs, type DockerTask } from './engine/index.ts';
import { labelledDeployment } from './labels.ts';
import { dockerServiceName, podName } from './names.ts';
import { versionShown } from './version.ts';

/** How long to read logs, in milliseconds. A node that is lost would keep the read waiting. */
const timeoutMilliseconds = 5000;

const taskIdLabel = 'com.docker.swarm.task.id';

const taskIdOf = ({ details }: DockerLogLine): string => details[taskIdLabel] ?? '';

const isUnreadable = (error: unknown): boolean => isDockerError(error, 'not found', 'timeout', 'failed');

type Selection = { readonly tail?: number; readonly since?: string };

/** Lines that were read, and whether these are all: those that came before a failure of the read are kept. */
interface ReadLines {
  readonly lines: readonly DockerLogLine[];
  readonly isComplete: boolean;
}

/** Reads to the end. */
async function linesOf(read: AsyncGenerator<DockerLogLine, void>): Promise<ReadLines> {
  const lines: DockerLogLine[] = [];
  try {
    for await (const line of read) lines.push(line);
    return { lines, isComplete: true };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return { lines, isComplete: false };
  }
}

/** The states of instances that the engine leaves out of a service's log: those that aren't ready yet, and those that ended before they were. */
const leftOut: readonly DockerTask['Status']['State'][] = ['starting', 'failed', 'complete'];

/** The lines of a service. Those of instances that the engine leaves out are read from their containers, where they are on this engine. */
async function readLines({ docker }: DockerContext, service: Task['service'], tasks: readonly DockerTask[], selection: Selection, signal: AbortSignal): Promise<ReadLines> {
  const limits = { ...selection, signal, timeoutMilliseconds };
  const apart = await Promise.all(tasks.map(async ({ ID: taskId, Status: { State: state, ContainerStatus: status } }) => {
    if (!leftOut.includes(state) || !status?.ContainerID) return undefined;
    const { lines, isComplete } = await linesOf(readDockerContainerLogs(docker, status.ContainerID, limits));
    return isComplete ? { taskId, lines: lines.map((line) => ({ ...line, details: { ...line.details, [taskIdLabel]: taskId } })) } : undefined;
  }));
  const read = apart.filter((each) => each !== undefined);
  const together = await linesOf(readDockerServiceLogs(docker, dockerServiceName(service), limits));
  return { lines: [...together.lines.filter((line) => !read.some(({ taskId }) => taskId === taskIdOf(line))), ...read.flatMap(({ lines }) => lines)], isComplete: together.isComplete };
}

const toRuntimeLine = (service: Task['service'], version: string, slots: ReadonlyMap<string, number | undefined>, line: DockerLogLine): RuntimeLogLine => {
  const taskId = taskIdOf(line);
  return { at: Date.parse(line.timestamp), message: line.text, pod: podName(service, slots.get(taskId), taskId), version };
};

const slotsOf = (tasks: readonly DockerTask[]): ReadonlyMap<string, number | undefined> => new Map(tasks.map(({ ID, Slot }) => [ID, Slot]));

/** Nanoseconds have no fixed number of digits; padded they compare as text. */
const comparable = (timestamp: string): string => timestamp.replace(/(?:\.(\d+))?Z$/, (_, digits: string = '') => `.${digits.padEnd(9, '0')}Z`);

/** The last line that was reported of each instance, by the id of its task. */
export type ReportedUntil = Readonly<Record<string, string>>;

/** Since when lines can be new, for the engine: seconds since 1970, with the fraction of the last line that was reported of each instance. */
function newSince({ beganAt }: Task, tasks: readonly DockerTask[], reported: ReportedUntil): string {
  const [first] = tasks.map(({ ID }) => reported[ID] ?? '').toSorted();
  if (first === undefined || first === '') return String(Math.floor(beganAt / 1000) - 1);
  const [, second, fraction] = /^(.*)\.(\d{9})Z$/.exec(first)!;
  return `${Date.parse(`${second!}Z`) / 1000}.${fraction!}`;
}

/**
 * How many lines one observation tells at most, and how many are read of each instance: the platform keeps no more of a
 * deployment. An engine finds the newest lines from the end of a log; without a number it would go through all of it.
 */
const mostLines = 1000;

/** The newest of many lines. How many there were is not known. */
const bounded = (lines: readonly RuntimeLogLine[]): readonly RuntimeLogLine[] => {
  const left = lines.length - mostLines;
  return left <= 0 ? lines : [{ ...lines[left]!, message: `Lines were left out here: more than ${mostLines} came at once.` }, ...lines.slice(left)];
};

/** The lines of a deployment's instances after those that were reported, oldest first; and whether these are all until now. */
export async function newLines(
  context: DockerContext, task: Task, tasks: readonly DockerTask[], reported: ReportedUntil, signal: AbortSignal,
): Promise<{ readonly lines: readonly RuntimeLogLine[]; readonly reported: ReportedUntil; readonly isComplete: boolean }> {
  const slots = slotsOf(tasks);
  const { lines: read, isComplete } = await readLines(context, task.service, tasks, { since: newSince(task, tasks, reported), tail: mostLines + 1 }, signal);
  const fresh = read.filter((line) => {
    const id = taskIdOf(line);
    return slots.has(id) && comparable(line.timestamp) > (reported[id] ?? '');
  });
  const ordered = fresh.toSorted((one, other) => comparable(one.timestamp).localeCompare(comparable(other.timestamp)));
  const until = Object.fromEntries(ordered.map((line) => [taskIdOf(line), comparable(line.timestamp)]));
  return { lines: bounded(ordered.map((line) => toRuntimeLine(task.service, versionShown(task), slots, line))), reported: { ...reported, ...until }, isComplete };
}

/** The newest lines of a running version. What runs of a job are deployments, which have their lines. */
export async function runningLines(context: DockerContext, version: RunningVersion, limit: number, signal: AbortSignal): Promise<readonly RuntimeLogLine[]> {
  if (version.service.kind === 'job') return [];
  const tasks = await listDockerTasks(context.docker, { service: [dockerServiceName(version.service)] }, { signal }).catch((error: unknown) => {
    if (isUnreadable(error)) return [];
    throw error;
  });
  const { lines } = await readLines(context, version.service, tasks, { tail: limit }, signal);
  const slots = slotsOf(tasks);
  // The engine still has lines of other versions.
  const own = new Set(tasks.filter(({ Spec }) => labelledDeployment(Spec.ContainerSpec.Labels) === version.deploymentId).map(({ ID }) => ID));
  const versionOf = (line: DockerLogLine): string => (own.has(taskIdOf(line)) ? versionShown(version) : '');
  return lines.map((line) => toRuntimeLine(version.service, versionOf(line), slots, line)).toSorted((one, other) => one.at - other.at).slice(-limit);
}

/** The last lines of one instance; none if the engine has dropped them. */
export async function lastLines({ docker }: DockerContext, version: RunningVersion, task: DockerTask, limit: number, signal: AbortSignal): Promise<readonly RuntimeLogLine[]> {
  const { lines } = await linesOf(readDockerTaskLogs(docker, task.ID, { tail: limit, signal, timeoutMilliseconds }));
  const pod = podName(version.service, task.Slot, task.ID);
  return lines.map(({ timestamp, text: message }) => ({ at: Date.parse(timestamp), message, pod, version: versionShown(version) }));
}
