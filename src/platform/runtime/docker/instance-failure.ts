import type { DockerContext } from './docker-context.ts';
import { cameTooEarly, endedWithEngine, engineStart } from './engine-start.ts';
import { healthProblem } from './probes.ts';
import { inspectDockerContainer, isDockerError, type DockerContainer, type DockerTask } from './engine/index.ts';
import { isObstructed, obstructionText } from './left-links.ts';

/** The states in which a task has ended although its service should run. */
const endStates: readonly DockerTask['Status']['State'][] = ['failed', 'rejected', 'complete'];

/** Whether an instance has ended by itself. One that the engine was told to end doesn't count. */
export const hasFailed = ({ Status, DesiredState }: DockerTask): boolean =>
  endStates.includes(Status.State) && !(Status.State === 'complete' && DesiredState === 'remove');

/** A task that no node has room for. */
export const isUnplaced = ({ Status }: DockerTask): boolean => Status.State === 'pending' && (Status.Err ?? '').includes('no suitable node');

/** What the engine says of a container that has ended; undefined where it doesn't know it, because it ran elsewhere or is gone. */
async function containerOf({ docker }: DockerContext, { Status }: DockerTask, signal: AbortSignal): Promise<DockerContainer | undefined> {
  const id = Status.ContainerStatus?.ContainerID;
  if (id === undefined || id === '') return undefined;
  return inspectDockerContainer(docker, id, { signal }).catch((error: unknown) => {
    if (isDockerError(error, 'not found')) return undefined;
    throw error;
  });
}

/** The signals whose exit codes tell why a program ended. */
const signals: Readonly<Record<number, string>> = { 134: 'SIGABRT', 137: 'SIGKILL', 139: 'SIGSEGV', 143: 'SIGTERM' };

/** Exit codes by which whatever starts programs says that it couldn't. */
const startFailures: Readonly<Record<number, string>> = { 126: 'its program can not be executed', 127: 'a program was not found' };

const exitText = (code: number): string => startFailures[code] === undefined ? endText(code) : `${startFailures[code]} (exit code ${code})`;

const endText = (code: number): string => (signals[code] === undefined ? `it ended with exit code ${code}` : `it was ended by ${signals[code]} (exit code ${code})`);

/** Why an instance isn't ready, as a sentence. */
export async function unreadiness(context: DockerContext, task: DockerTask, signal: AbortSignal): Promise<string> {
  const container = await containerOf(context, task, signal);
  return healthProblem(container?.State.Health)?.text ?? 'Its health check has said nothing yet.';
}

/** Whether the engine ended an instance because of its health check. One that ends in time then has no failure otherwise. */
export async function wasUnhealthy(context: DockerContext, task: DockerTask, signal: AbortSignal): Promise<boolean> {
  return healthProblem((await containerOf(context, task, signal))?.State.Health)?.isDeadly ?? false;
}

/** Whether the engine tried to start an instance, and could not. */
const isStartFailure = ({ Status }: DockerTask): boolean => /starting container failed|OCI runtime|executable file not found/i.test(Status.Err ?? '');

/** What the start of an engine has to do with the end of an instance, in words; undefined if it has nothing to do with it. */
async function startOfEngine(context: DockerContext, task: DockerTask, container: DockerContainer | undefined, signal: AbortSignal): Promise<string | undefined> {
  const start = await engineStart(context, signal);
  if (start === undefined) return undefined;
  if (cameTooEarly(task, [start])) return 'the engine had only just been started again, and could not start it yet';
  // One that the engine was just starting has no such time, or one before all others.
  const started = Date.parse(container?.State.StartedAt ?? '');
  if (!(started > 0) && isStartFailure(task)) return undefined;
  return endedWithEngine(task, started > 0 ? started : Date.parse(task.CreatedAt), [start]) ? 'it ended because the engine did, which has been started again' : undefined;
}

/** Why an instance failed, from the container's own state where it is known: the engine's text for a task leaves causes out. */
export async function instanceFailure(context: DockerContext, task: DockerTask, signal: AbortSignal): Promise<string> {
  const { Err: said = '', ContainerStatus: status, State: state } = task.Status;
  if (isObstructed(task)) return obstructionText(context, task, signal);
  const container = await containerOf(context, task, signal);
  if (container?.State.OOMKilled) return 'OOMKilled: it needed more memory than its limit';
  if (/no such image/i.test(said)) return `its image could not be pulled: ${said}`;
  const restarted = await startOfEngine(context, task, container, signal);
  if (restarted !== undefined) return restarted;
  const problem = healthProblem(container?.State.Health);
  // One that obeys the engine's signal has ended well, as far as the engine tells.
  if (/unhealthy/i.test(said) || (state === 'complete' && problem?.isDeadly)) return problem === undefined ? 'its health check failed' : `the engine ended it. ${problem.text.replace(/\.$/, '')}`;
  const code = container?.State.ExitCode ?? status?.ExitCode;
  // What could not be started has no exit code of its own.
  if (isStartFailure(task)) return `it could not be started: ${said}`;
  if (code !== undefined && (state === 'failed' || state === 'complete')) return exitText(code);
  return said === '' ? `it is ${state}` : said;
}
