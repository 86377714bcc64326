import { condition, type Condition } from '../../../../contract/index.ts';
import type { InstanceEnd, RunningService, RunningVersion, Runtime, ServiceToRun } from '../../index.ts';
import { changesByHand } from './changed-by-hand.ts';
import type { DockerContext, NodeReach, RegistryAccess, OwnObjects } from '../docker-context.ts';
import {
  type DockerNode,
  type DockerService,
  type DockerServiceSpec,
  type DockerTask,
  listDockerNodes,
  listDockerServices,
  listDockerTasks,
  replicasOf,
} from '../api/index.ts';
import { isUp, hasFailed, wasReplaced } from '../instance-states.ts';
import { unschedulable } from '../nodes/fitting-nodes.ts';
import { instanceFailure } from '../services/instance-failure.ts';
import { lastLines } from './instance-logs.ts';
import { isStopped, labelFilter, platformLabels } from '../labels.ts';
import { notLeaving } from '../nodes/leaving-node.ts';
import { mayStillRun } from '../nodes/hidden-instances.ts';
import { downAmong, lostWithNodes, nodeCondition } from '../nodes/lost-nodes.ts';
import { dockerServiceName, podName } from '../names.ts';
import { readRecord } from '../record.ts';
import { removeSpoiled } from '../cleanup/spoiled-containers.ts';
import { crowdingOf, mayBeCrowded } from '../nodes/spreading.ts';
import { answerMilliseconds } from '../waits.ts';
import type { PlatformClock } from '../../../common/index.ts';

/**
 * How long managers may not reach a node before its instances no longer count, in milliseconds: after another manager
 * becomes the leader, each node needs a moment to report to it.
 */
const silentMilliseconds = 10_000;

/** Nodes that are not known to be down and that managers don't reach, by their ids. */
type SilentNodes = ReadonlyMap<
  string,
  {
    readonly name: string;
    /** When that was first observed, in milliseconds since the epoch. */
    readonly since: number;
  }
>;

/**
 * Whether managers don't reach a node and have not yet marked it as down. A new leader doesn't know the state of nodes
 * until they report; meanwhile a lost manager may count as a ready node.
 */
const isSilent = ({ Status, ManagerStatus }: DockerNode): boolean =>
  Status.State !== 'down' && (Status.State !== 'ready' || ManagerStatus?.Reachability === 'unreachable');

/**
 * Creates the function that returns which nodes have been silent for long, from the states of all nodes at each
 * observation.
 */
function createSilentNodes(clock: Pick<PlatformClock, 'now'>): (nodes: readonly DockerNode[]) => SilentNodes {
  let silent: SilentNodes = new Map();
  return (nodes) => {
    const now = clock.now();
    silent = new Map(
      nodes
        .filter(isSilent)
        .map(({ ID, Description }) => [ID, { name: Description.Hostname, since: silent.get(ID)?.since ?? now }]),
    );
    return new Map([...silent].filter(([, { since }]) => now - since >= silentMilliseconds));
  };
}

/** The condition that it is unknown whether instances run; undefined if none is on a silent node. */
export function silence(
  service: Pick<ServiceToRun, 'id' | 'name'>,
  tasks: readonly DockerTask[],
  silent: SilentNodes,
): Condition | undefined {
  const hidden = tasks.filter((task) => isUp(task) && silent.has(task.NodeID ?? ''));
  if (hidden.length === 0) return undefined;
  const node = [...new Set(hidden.map(({ NodeID }) => silent.get(NodeID!)!.name))].toSorted().join(', ');
  const since = Math.min(...hidden.map(({ NodeID }) => silent.get(NodeID!)!.since));
  const pods = hidden.map(({ ID, Slot }) => podName(service, Slot, ID)).toSorted();
  return condition('NODE_UNREACHABLE', {
    node,
    since: new Date(since).toISOString().replace(/\.\d+Z$/, 'Z'),
    instances: pods,
  });
}

/**
 * How long an instance that replaces a failed one has to run before it counts, in milliseconds: a crash loop must not
 * appear as a service that starts and stops.
 */
const settleMilliseconds = 4000;

/**
 * The upper limit for an instance that failed repeatedly: each recent failure adds to the delay. Older failures don't
 * count.
 */
const longestSettleMilliseconds = 60_000;
const recentMilliseconds = 300_000;

/** How many lines are reported of an instance that ended: the engine drops them when more have ended. */
const keptLines = 100;

/** How many of a service's ends are reported: only the newest. */
const mostEnds = 50;

/** State of a service that is kept between two observations. It saves requests for what can't have changed. */
interface Remembered {
  /** The instances that ran, by the ids of their tasks; all of them were up. */
  readonly steady?: string;
  readonly ends: readonly InstanceEnd[];
}

interface Watched {
  readonly version: RunningVersion;
  readonly recorded: DockerServiceSpec;
}

/**
 * The versions that should have running instances. A service that is not rolled out as replicas, such as a job, isn't
 * kept running.
 */
const watchedOf = (versions: readonly RunningVersion[]): Watched[] =>
  versions.flatMap((version) => {
    const recorded = readRecord(version.record)?.spec;
    return recorded?.Mode?.Replicated === undefined ? [] : [{ version, recorded }];
  });

/** A fingerprint of a service's instances, which is unchanged while all of them are the same and up. */
const steadyOf = (wanted: number, tasks: readonly DockerTask[]): string | undefined =>
  tasks.length === wanted && tasks.every(isUp)
    ? tasks
        .map(({ ID }) => ID)
        .toSorted()
        .join(' ')
    : undefined;

const byService = (tasks: readonly DockerTask[]): Map<string, DockerTask[]> =>
  Map.groupBy(tasks, ({ ServiceID: id }) => id);

/** Returns the ends among a service's tasks, with their causes. Known ones are not queried again. */
async function endsOf(
  context: NodeReach & RegistryAccess,
  version: RunningVersion,
  tasks: readonly DockerTask[],
  known: readonly InstanceEnd[],
  signal: AbortSignal,
): Promise<InstanceEnd[]> {
  const { service, runningSince } = version;
  const failed = tasks.filter(
    (task) =>
      hasFailed(task) &&
      !wasReplaced(task, tasks) &&
      Date.parse(task.Status.Timestamp) >= runningSince &&
      !known.some(({ id }) => id === task.ID),
  );
  const fresh = await Promise.all(
    failed.map(async (task) => ({
      id: task.ID,
      pod: podName(service, task.Slot, task.ID),
      at: Date.parse(task.Status.Timestamp),
      why: await instanceFailure(context, task, signal),
      lines: await lastLines(context, version, task, keptLines, signal),
    })),
  );
  const lost = await lostWithNodes(context, version, tasks, known, signal);
  return [...known.filter(({ at }) => at >= runningSince), ...fresh, ...lost]
    .toSorted((one, other) => one.at - other.at)
    .slice(-mostEnds);
}

/** Returns why instances are missing that didn't end by themselves; undefined if no cause is known. */
async function missingCause(
  context: Pick<DockerContext, 'docker'>,
  tasks: readonly DockerTask[],
  signal: AbortSignal,
): Promise<Condition | undefined> {
  const lost = await nodeCondition(context, tasks, signal);
  if (lost !== undefined) return lost;
  return unschedulable(
    context,
    'an instance',
    tasks.filter(({ DesiredState }) => DesiredState === 'running'),
    signal,
  );
}

/** The condition that instances share fewer nodes than they could use; undefined if they don't. */
function crowdingCondition(
  template: DockerServiceSpec['TaskTemplate'],
  up: readonly DockerTask[],
  nodes: readonly DockerNode[],
): Condition | undefined {
  const crowding = mayBeCrowded(template, up) ? crowdingOf(template, up, nodes) : undefined;
  return crowding && condition('INSTANCES_CROWDED', { ...crowding, isMoving: false });
}

/**
 * How many instances are up, without those that have only just replaced a failed one. An instance that was lost with
 * its node did not fail.
 */
function settledCount(tasks: readonly DockerTask[], allEnds: readonly InstanceEnd[], now: number): number {
  const ends = allEnds.filter(({ withNode }) => withNode !== true);
  const lastEnd = ends.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  const settle = Math.min(
    longestSettleMilliseconds,
    settleMilliseconds * ends.filter(({ at }) => now - at < recentMilliseconds).length,
  );
  return tasks.filter(isUp).filter(({ Status }) => {
    const since = Date.parse(Status.Timestamp);
    return since < lastEnd || now - since >= settle || lastEnd === Number.NEGATIVE_INFINITY;
  }).length;
}

const gone = (serviceId: string, wanted: number, ends: readonly InstanceEnd[]): RunningService => ({
  serviceId,
  wanted,
  running: 0,
  ends,
  changes: [condition('REMOVED_EXTERNALLY', {})],
});

/**
 * Creates the function that observes what runs. It makes three requests for all services; ends are queried only where
 * something changed since the last observation, and for stopped services while a node is down. An instance on a node
 * that managers have not reached for a while doesn't count.
 */
export function createObserver(
  context: OwnObjects & NodeReach & RegistryAccess & Pick<DockerContext, 'clock' | 'leftLinks'>,
): Runtime['observeRunning'] {
  const { docker, clock, platformId } = context;
  let remembered = new Map<string, Remembered>();
  const silentNodes = createSilentNodes(clock);

  return async (versions, signal) => {
    const call = { signal, timeoutMilliseconds: answerMilliseconds };
    const filters = labelFilter(platformLabels(platformId));
    const services = new Map((await listDockerServices(docker, filters, call)).map((each) => [each.Spec.Name, each]));
    const current = byService(
      await listDockerTasks(docker, { ...filters, 'desired-state': ['running', 'ready', 'accepted'] }, call),
    );
    const nodes = await listDockerNodes(docker, {}, call);
    const [silent, down] = [silentNodes(nodes), downAmong(nodes)];
    const watched = watchedOf(versions).map((each) => {
      const present: DockerService | undefined = services.get(dockerServiceName(each.version.service));
      const wanted = present && isStopped(present.Spec.Labels) ? 0 : replicasOf(each.recorded);
      const tasks = (present && current.get(present.ID)) ?? [];
      const before = remembered.get(each.version.service.id);
      const steady = steadyOf(wanted, tasks);
      return {
        ...each,
        present,
        wanted,
        tasks,
        steady,
        before,
        isQuiet:
          present !== undefined && steady !== undefined && steady === before?.steady && (wanted > 0 || down.size === 0),
      };
    });
    const restless = watched.flatMap(({ present, isQuiet }) => (present && !isQuiet ? [present.Spec.Name] : []));
    const all =
      restless.length === 0
        ? new Map<string, DockerTask[]>()
        : byService(await listDockerTasks(docker, { service: restless }, call));
    const restlessTasks = [...all.values()].flat();
    await context.leftLinks.removeFor(restlessTasks, signal);
    await removeSpoiled(context, restlessTasks, signal);
    const next = new Map<string, Remembered>();
    const observed = await Promise.all(
      watched.map(
        async ({ version, recorded, present, wanted, tasks, steady, before, isQuiet }): Promise<RunningService> => {
          const serviceId = version.service.id;
          const known = before?.ends ?? [];
          const history = (present && all.get(present.ID)) ?? [];
          const ends = isQuiet
            ? known.filter(({ at }) => at >= version.runningSince)
            : await endsOf(context, version, history, known, signal);
          next.set(serviceId, { ends, ...(steady !== undefined && { steady }) });
          if (present === undefined) return gone(serviceId, wanted, ends);
          const running = settledCount(
            tasks.filter(({ NodeID }) => !silent.has(NodeID ?? '')),
            ends,
            clock.now(),
          );
          const problem =
            wanted === 0
              ? mayStillRun(version.service, history, down)
              : running < wanted
                ? (silence(version.service, tasks, silent) ??
                  (isQuiet ? undefined : await missingCause(context, history, signal)))
                : crowdingCondition(present.Spec.TaskTemplate, tasks.filter(isUp), nodes);
          return {
            serviceId,
            wanted,
            running,
            ends,
            changes: changesByHand(recorded, wanted, notLeaving(present.Spec)),
            ...(problem !== undefined && { problem }),
          };
        },
      ),
    );
    remembered = next;
    return observed;
  };
}
