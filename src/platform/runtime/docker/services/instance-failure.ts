import type { DockerContext } from '../docker-context.ts';
import { cameTooEarly, endedWithEngine, engineStart } from '../engine-start.ts';
import { healthProblem } from './probes.ts';
import { inspectDockerContainer, isDockerError, type DockerClient, type DockerContainer, type DockerTask } from '../engine/index.ts';
import { isObstructed, obstructionText } from '../cleanup/left-links.ts';
import { whyNotAsked } from '../nodes/every-node.ts';
import { onItsNode, pullFailure } from '../nodes/node-failure.ts';
import { answerMilliseconds } from '../waits.ts';

/** What an engine says of a container that has ended. Without `unseen` it is gone; with it, that is why nobody could look, as a part of a sentence. */
interface EndedContainer {
  readonly container?: DockerContainer | undefined;
  readonly unseen?: string;
  /** The engine of its node, if the platform has the address of that: only such engines tell when they were started. */
  readonly engine?: DockerClient;
}

/** Asks the engine of the node on which an instance ran. @throws DockerError of an engine that the platform has the address of */
async function containerOf(context: DockerContext, { Status, NodeID: nodeId }: DockerTask, signal: AbortSignal): Promise<EndedContainer> {
  const { docker, nodeEngines } = context;
  if (nodeId === undefined) return {};
  const asked = await nodeEngines.of(nodeId, signal);
  const hasAddress = asked !== undefined && (asked === docker || docker.engines.includes(asked));
  const known = hasAddress ? { engine: asked } : {};
  const id = Status.ContainerStatus?.ContainerID;
  if (id === undefined || id === '') return known;
  if (asked === undefined) return { unseen: await whyNotAsked(context, nodeId, signal) };
  try {
    return { ...known, container: await inspectDockerContainer(asked, id, { signal, ...(!hasAddress && { timeoutMilliseconds: answerMilliseconds }) }) };
  } catch (error) {
    if (isDockerError(error, 'not found')) return known;
    if (hasAddress || !isDockerError(error)) throw error;
    return { unseen: error.reason };
  }
}

/** A sentence's part with what can't be known of an instance. */
const unknown = (what: string, unseen: string | undefined): string => (unseen === undefined ? '' : `; ${what} can't be seen, because the engine of its node can't be asked: ${unseen}`);

/** The exit code of a program that was ended by force, such as one that exceeded its memory. */
const killed = 137;

/**
 * Why a program was ended by force, as a sentence's part. Engines lose what the kernel tells them of memory when it comes at the end of a container.
 * @param isEngineKnown whether it is certain that the program did not end with its engine
 */
const forceText = (unseen: string | undefined, isEngineKnown: boolean): string => {
  if (unseen !== undefined) return unknown('whether it exceeded its memory', unseen);
  return isEngineKnown ? ', probably because it needed more memory than its limit: its engine told no other reason' : '';
};

/** The signals whose exit codes tell why a program ended. */
const signals: Readonly<Record<number, string>> = { 134: 'SIGABRT', 137: 'SIGKILL', 139: 'SIGSEGV', 143: 'SIGTERM' };

/** Exit codes by which whatever starts programs says that it couldn't. */
const startFailures: Readonly<Record<number, string>> = { 126: 'its program can not be executed', 127: 'a program was not found' };

const exitText = (code: number): string => startFailures[code] === undefined ? endText(code) : `${startFailures[code]} (exit code ${code})`;

const endText = (code: number): string => (signals[code] === undefined ? `it ended with exit code ${code}` : `it was ended by ${signals[code]} (exit code ${code})`);

/** Why an instance isn't ready, as a sentence. */
export async function unreadiness(context: DockerContext, task: DockerTask, signal: AbortSignal): Promise<string> {
  const { container, unseen } = await containerOf(context, task, signal);
  const silence = unseen === undefined ? 'Its health check has said nothing yet.' : `What its health check says can't be seen, because the engine of its node can't be asked: ${unseen}.`;
  return healthProblem(container?.State.Health)?.text ?? silence;
}

/** Whether the engine ended an instance because of its health check. One that ends in time then has no failure otherwise. */
export async function wasUnhealthy(context: DockerContext, task: DockerTask, signal: AbortSignal): Promise<boolean> {
  return healthProblem((await containerOf(context, task, signal)).container?.State.Health)?.isDeadly ?? false;
}

/** Whether the engine tried to start an instance, and could not. */
const isStartFailure = ({ Status }: DockerTask): boolean => /starting container failed|OCI runtime|executable file not found/i.test(Status.Err ?? '');

/** What the start of the engine of its node has to do with the end of an instance, in words; undefined if it has nothing to do with it. */
async function startOfEngine(docker: DockerClient, task: DockerTask, container: DockerContainer | undefined, signal: AbortSignal): Promise<string | undefined> {
  const start = await engineStart({ docker }, signal);
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
  const { container, unseen, engine } = await containerOf(context, task, signal);
  if (container?.State.OOMKilled) return 'OOMKilled: it needed more memory than its limit';
  if (/no such image/i.test(said)) return pullFailure(context, task, said, signal);
  const restarted = engine && (await startOfEngine(engine, task, container, signal));
  if (restarted !== undefined) return restarted;
  const problem = healthProblem(container?.State.Health);
  // One that obeys the engine's signal has ended well, as far as the engine tells.
  if (/unhealthy/i.test(said) || (state === 'complete' && problem?.isDeadly)) return problem === undefined ? `its health check failed${unknown('what it said', unseen)}` : `the engine ended it. ${problem.text.replace(/\.$/, '')}`;
  const code = container?.State.ExitCode ?? status?.ExitCode;
  // What could not be started has no exit code of its own.
  if (isStartFailure(task) || (state === 'rejected' && said !== '')) return `it could not be started${await onItsNode(context, task, signal)}: ${said}`;
  if (code !== undefined && (state === 'failed' || state === 'complete')) return `${exitText(code)}${code === killed ? forceText(unseen, engine !== undefined) : ''}`;
  return said === '' ? `it is ${state}` : said;
}
