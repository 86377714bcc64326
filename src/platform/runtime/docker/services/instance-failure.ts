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
 * The engine's data of a container that has ended. Without `unasked`, the container no longer exists; with it, that is
 * why the engine could not be queried, as a part of a sentence.
 */
interface EndedContainer {
  readonly container?: DockerContainer | undefined;
  readonly unasked?: string;
  /** The engine of its node, if the platform has an address for it: only such engines report when they were started. */
  readonly engine?: DockerClient;
}

/**
 * Inspects the container of an instance on the engine of its node.
 * @throws DockerError of an engine that the platform has an address for
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

/** Returns why an instance isn't ready. */
export async function unreadiness(context: NodeReach, task: DockerTask, signal: AbortSignal): Promise<Condition> {
  const { container, unasked } = await containerOf(context, task, signal);
  return healthProblem(container?.State.Health)?.condition ?? condition('HEALTH_UNKNOWN', { unasked });
}

/**
 * Whether the engine stopped an instance because of its health check. If the instance exits in time, no other failure
 * is reported.
 */
export async function wasUnhealthy(context: NodeReach, task: DockerTask, signal: AbortSignal): Promise<boolean> {
  return healthProblem((await containerOf(context, task, signal)).container?.State.Health)?.isDeadly ?? false;
}

/** Whether the engine could not start an instance. */
const isStartFailure = ({ Status }: DockerTask): boolean =>
  /starting container failed|OCI runtime|executable file not found/i.test(Status.Err ?? '');

/** Returns how a start of its node's engine caused the end of an instance; undefined if it did not. */
async function startOfEngine(
  docker: DockerClient,
  task: DockerTask,
  container: DockerContainer | undefined,
  signal: AbortSignal,
): Promise<Condition | undefined> {
  const start = await engineStart({ docker }, signal);
  if (start === undefined) return undefined;
  if (cameTooEarly(task, [start])) return condition('ENGINE_JUST_STARTED', {});
  // A container that the engine was just starting has no such time, or the zero time.
  const started = Date.parse(container?.State.StartedAt ?? '');
  if (!(started > 0) && isStartFailure(task)) return undefined;
  return endedWithEngine(task, started > 0 ? started : Date.parse(task.CreatedAt), [start])
    ? condition('ENDED_WITH_ENGINE', {})
    : undefined;
}

/**
 * Returns why an instance failed, from the container's own state if it is known: the engine's message for a task omits
 * causes.
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
  // A container that exits on the engine's signal has succeeded, as the engine reports it.
  if (/unhealthy/i.test(said) || (state === 'complete' && problem?.isDeadly))
    return problem === undefined
      ? condition('UNHEALTHY', { unasked })
      : condition('ENDED_BY_ENGINE', { cause: problem.condition });
  const code = container?.State.ExitCode ?? status?.ExitCode;
  // A container that could not be started has no exit code of its own.
  if (isStartFailure(task) || (state === 'rejected' && said !== ''))
    return condition('START_FAILED', { node: await nodeOf(context, task, signal), said });
  if (code !== undefined && (state === 'failed' || state === 'complete'))
    return condition('EXITED', {
      code,
      ...(code === killed && { unasked, mayLackMemory: unasked === undefined && engine !== undefined }),
    });
  return condition('ENDED', { state, said: said === '' ? undefined : said });
}
