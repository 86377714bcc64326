import { condition, killed, type Condition } from '../../../../contract/index.ts';
import type { NodeReach, RegistryAccess } from '../docker-context.ts';
import { cameTooEarly, endedWithEngine, engineStart } from '../engine-start.ts';
import { healthProblem } from './probes.ts';
import {
  inspectDockerContainer,
  isDockerError,
  type DockerClient,
  type DockerContainer,
  type DockerTask,
} from '../api/index.ts';
import { isObstructed, obstruction } from '../cleanup/left-links.ts';
import { whyNotAsked } from '../nodes/every-node.ts';
import { nodeOf, pullFailure } from '../nodes/node-failure.ts';
import { answerMilliseconds } from '../waits.ts';

/**
 * What an engine says of a container that has ended. Without `unasked` it is gone; with it, that is why nobody could
 * look, as a part of a sentence.
 */
interface EndedContainer {
  readonly container?: DockerContainer | undefined;
  readonly unasked?: string;
  /** The engine of its node, if the platform has the address of that: only such engines tell when they were started. */
  readonly engine?: DockerClient;
}

/**
 * Asks the engine of the node on which an instance ran.
 * @throws DockerError of an engine that the platform has the address of
 */
async function containerOf(
  context: NodeReach,
  { Status, NodeID: nodeId }: DockerTask,
  signal: AbortSignal,
): Promise<EndedContainer> {
  const { docker, nodeEngines } = context;
  if (nodeId === undefined) return {};
  const asked = await nodeEngines.of(nodeId, signal);
  const hasAddress = asked !== undefined && (asked === docker || docker.engines.includes(asked));
  const known = hasAddress ? { engine: asked } : {};
  const id = Status.ContainerStatus?.ContainerID;
  if (id === undefined || id === '') return known;
  if (asked === undefined) return { unasked: await whyNotAsked(context, nodeId, signal) };
  try {
    return {
      ...known,
      container: await inspectDockerContainer(asked, id, {
        signal,
        ...(!hasAddress && { timeoutMilliseconds: answerMilliseconds }),
      }),
    };
  } catch (error) {
    if (isDockerError(error, 'not found')) return known;
    if (hasAddress || !isDockerError(error)) throw error;
    return { unasked: error.reason };
  }
}

/** Why an instance isn't ready. */
export async function unreadiness(context: NodeReach, task: DockerTask, signal: AbortSignal): Promise<Condition> {
  const { container, unasked } = await containerOf(context, task, signal);
  return healthProblem(container?.State.Health)?.condition ?? condition('HEALTH_UNKNOWN', { unasked: unasked });
}

/**
 * Whether the engine ended an instance because of its health check. One that ends in time then has no failure
 * otherwise.
 */
export async function wasUnhealthy(context: NodeReach, task: DockerTask, signal: AbortSignal): Promise<boolean> {
  return healthProblem((await containerOf(context, task, signal)).container?.State.Health)?.isDeadly ?? false;
}

/** Whether the engine tried to start an instance, and could not. */
const isStartFailure = ({ Status }: DockerTask): boolean =>
  /starting container failed|OCI runtime|executable file not found/i.test(Status.Err ?? '');

/**
 * What the start of the engine of its node has to do with the end of an instance; undefined if it has nothing to do
 * with it.
 */
async function startOfEngine(
  docker: DockerClient,
  task: DockerTask,
  container: DockerContainer | undefined,
  signal: AbortSignal,
): Promise<Condition | undefined> {
  const start = await engineStart({ docker }, signal);
  if (start === undefined) return undefined;
  if (cameTooEarly(task, [start])) return condition('ENGINE_JUST_STARTED', {});
  // One that the engine was just starting has no such time, or one before all others.
  const started = Date.parse(container?.State.StartedAt ?? '');
  if (!(started > 0) && isStartFailure(task)) return undefined;
  return endedWithEngine(task, started > 0 ? started : Date.parse(task.CreatedAt), [start])
    ? condition('ENDED_WITH_ENGINE', {})
    : undefined;
}

/**
 * Why an instance failed, from the container's own state where it is known: the engine's text for a task leaves causes
 * out.
 */
export async function instanceFailure(
  context: NodeReach & RegistryAccess,
  task: DockerTask,
  signal: AbortSignal,
): Promise<Condition> {
  const { Err: said = '', ContainerStatus: status, State: state } = task.Status;
  if (isObstructed(task)) return obstruction(context, task, signal);
  const { container, unasked, engine } = await containerOf(context, task, signal);
  if (container?.State.OOMKilled) return condition('OUT_OF_MEMORY', {});
  if (/no such image/i.test(said)) return pullFailure(context, task, said, signal);
  const restarted = engine && (await startOfEngine(engine, task, container, signal));
  if (restarted !== undefined) return restarted;
  const problem = healthProblem(container?.State.Health);
  // One that obeys the engine's signal has ended well, as far as the engine tells.
  if (/unhealthy/i.test(said) || (state === 'complete' && problem?.isDeadly))
    return problem === undefined
      ? condition('UNHEALTHY', { unasked: unasked })
      : condition('ENDED_BY_ENGINE', { cause: problem.condition });
  const code = container?.State.ExitCode ?? status?.ExitCode;
  // What could not be started has no exit code of its own.
  if (isStartFailure(task) || (state === 'rejected' && said !== ''))
    return condition('START_FAILED', { node: await nodeOf(context, task, signal), said });
  if (code !== undefined && (state === 'failed' || state === 'complete'))
    return condition('EXITED', {
      code,
      ...(code === killed && { unasked: unasked, mayLackMemory: unasked === undefined && engine !== undefined }),
    });
  return condition('ENDED', { state, said: said === '' ? undefined : said });
}
