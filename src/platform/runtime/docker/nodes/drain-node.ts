import { setTimeout as delay } from 'node:timers/promises';
import {
  type DockerClient,
  type DockerNode,
  type DockerService,
  type DockerServiceSpec,
  type DockerTask,
  inspectDockerNode,
  inspectDockerService,
  ignoring,
  isDockerError,
  listDockerNodes,
  listDockerServices,
  listDockerTasks,
  updateDockerNode,
  updateDockerService,
} from '../api/index.ts';
import { fits } from './fitting-nodes.ts';
import { isUnschedulable } from '../instance-states.ts';
import { isPlatforms, labelledRegistryPart, leavingFilter, leavingOf } from '../labels.ts';
import { leaving, notLeaving } from './leaving-node.ts';
import { nodeName, takesInstances } from './node-facts.ts';
import { boundNode } from './placement.ts';
import { placementMilliseconds } from '../waits.ts';

const pollMilliseconds = 300;
/** How long a service may take to leave the node, in milliseconds. */
const leaveMilliseconds = 10 * 60_000;
/** How long the instances that stay on a node may take to stop, in milliseconds. */
const endMilliseconds = 60_000;

/** A service with instances on the node. */
interface ServiceThere {
  readonly id: string;
  /** Its name for people, which is also its network alias. */
  readonly name: string;
}

/** The effects of draining a node. */
export interface DrainPlan {
  readonly node: { readonly id: string; readonly name: string };
  /** The services that move to other nodes without interruption. */
  readonly moving: readonly ServiceThere[];
  /** The services that can't run elsewhere and stop with the node. */
  readonly staying: readonly (ServiceThere & { readonly why: string })[];
  /**
   * The number of instances of services that don't belong to any platform: the engine stops them first, then starts
   * them elsewhere.
   */
  readonly others: number;
}

/**
 * Finds a node by its name or id.
 * @throws Error with the names of the nodes, or with the ids of those that share the name
 */
function findNode(nodes: readonly DockerNode[], wanted: string): DockerNode {
  const found = nodes.filter((node) => nodeName(node) === wanted || node.ID === wanted);
  if (found.length === 1) return found[0]!;
  if (found.length > 1)
    throw new Error(
      `Several nodes are called ${wanted}: give the id of one, ${found.map(({ ID }) => ID).join(' or ')}.`,
    );
  throw new Error(`The cluster has no node ${wanted}. It has: ${nodes.map(nodeName).toSorted().join(', ')}.`);
}

/** The platform's own services have no network aliases, and are named by their role. */
const serviceThere = ({ ID, Spec }: DockerService): ServiceThere => ({
  id: ID,
  name:
    labelledRegistryPart(Spec.Labels) === 'registry'
      ? "the platform's registry"
      : (Spec.TaskTemplate.Networks?.[0]?.Aliases?.[0] ?? Spec.Name),
});

/** Returns why a service can run on no other node; undefined if it can. */
function reasonToStay(
  { TaskTemplate }: DockerServiceSpec,
  node: DockerNode,
  others: readonly DockerNode[],
): string | undefined {
  if (boundNode(TaskTemplate) === node.ID) return 'its storage or its image is there';
  if (TaskTemplate.RestartPolicy?.Condition !== 'any') return 'it is a running job, which would start again';
  return others.some((other) => fits(other, TaskTemplate))
    ? undefined
    : 'no other node that takes instances fits its placement rules';
}

/**
 * Determines what draining a node would do. Changes nothing.
 * @param name of the node, or its id
 * @throws Error if there is no such node, or no other one
 */
export async function planDrain(docker: DockerClient, name: string): Promise<DrainPlan> {
  const nodes = await listDockerNodes(docker);
  const node = findNode(nodes, name);
  const others = nodes.filter((each) => each !== node && takesInstances(each));
  if (others.length === 0)
    throw new Error(
      `No other node takes instances: the instances on ${nodeName(node)} could not move anywhere. Nothing was changed.`,
    );
  const tasks = await listDockerTasks(docker, { node: [node.ID], 'desired-state': ['running'] });
  const services = (await listDockerServices(docker)).filter(({ ID: id }) =>
    tasks.some(({ ServiceID }) => ServiceID === id),
  );
  // A service with an instance on every node has others elsewhere.
  const ours = services.filter(({ Spec }) => isPlatforms(Spec.Labels) && Spec.Mode?.Global === undefined);
  const all = ours
    .map((service) => ({ ...serviceThere(service), why: reasonToStay(notLeaving(service.Spec), node, others) }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  const strangers = new Set(services.filter(({ Spec }) => !isPlatforms(Spec.Labels)).map(({ ID }) => ID));
  return {
    node: { id: node.ID, name: nodeName(node) },
    others: tasks.filter(({ ServiceID }) => strangers.has(ServiceID)).length,
    moving: all.flatMap(({ why, ...each }) => (why === undefined ? [each] : [])),
    staying: all.flatMap(({ why, ...each }) => (why === undefined ? [] : [{ ...each, why }])),
  };
}

/** Retries a change that conflicts with another one. @param change reads the current state first */
async function unlessStale(change: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      // Each attempt reads the state that the conflicting change left.
      return await change();
    } catch (error) {
      if (!isDockerError(error, 'stale')) throw error;
    }
  }
}

const setAvailability = (
  docker: DockerClient,
  nodeId: string,
  Availability: DockerNode['Spec']['Availability'],
): Promise<void> =>
  unlessStale(async () => {
    const node = await inspectDockerNode(docker, nodeId);
    if (node.Spec.Availability !== Availability) await updateDockerNode(docker, node, { ...node.Spec, Availability });
  });

const change = (
  docker: DockerClient,
  id: string,
  specOf: (present: DockerServiceSpec) => DockerServiceSpec,
): Promise<void> =>
  unlessStale(async () => {
    const { Version, Spec } = await inspectDockerService(docker, id);
    await updateDockerService(docker, id, Version.Index, specOf(Spec));
  }).catch(ignoring('not found'));

/** Returns why a service can't leave a node, as a part of a sentence; undefined while it still may. */
function leaveFailure(
  { UpdateStatus }: DockerService,
  unschedulable: DockerTask | undefined,
  waited: { readonly all: number; readonly unschedulable: number },
): string | undefined {
  if (unschedulable && waited.unschedulable > placementMilliseconds)
    return `no other node has room for it: ${unschedulable.Status.Err ?? 'the engine gave no reason'}`;
  if (UpdateStatus?.State === 'paused')
    return `its new instance failed: ${UpdateStatus.Message ?? 'the engine gave no reason'}`;
  return waited.all > leaveMilliseconds ? 'its new instances did not get ready in time' : undefined;
}

/**
 * Moves the instances of a service to other nodes, one after the other; each new one starts before the old one stops.
 * @throws Error if they can't be moved
 */
async function leave(docker: DockerClient, { id, name }: ServiceThere, nodeId: string): Promise<void> {
  const began = Date.now();
  let placedAt = began;
  for (;;) {
    const service = await inspectDockerService(docker, id).catch(ignoring('not found'));
    if (service === undefined) return;
    const tasks = await listDockerTasks(docker, { service: [id], 'desired-state': ['running', 'ready'] });
    if (!tasks.some(({ NodeID }) => NodeID === nodeId)) return;
    const unschedulable = tasks.find(isUnschedulable);
    if (unschedulable === undefined) placedAt = Date.now();
    // A deployment may have replaced the service in the meantime.
    if (leavingOf(service.Spec.Labels) !== nodeId) await change(docker, id, (spec) => leaving(spec, nodeId));
    else {
      const failure = leaveFailure(service, unschedulable, {
        all: Date.now() - began,
        unschedulable: Date.now() - placedAt,
      });
      if (failure !== undefined) throw new Error(`${name} could not leave the node, because ${failure}.`);
    }
    await delay(pollMilliseconds);
  }
}

/** Allows the services that were to leave the node to run on it again. This moves no instance. */
async function allowAgain(docker: DockerClient, nodeId: string): Promise<void> {
  for (const { ID: id } of await listDockerServices(docker, leavingFilter(nodeId))) {
    await change(docker, id, notLeaving);
  }
}

/** Waits until nothing runs on a node any more. @returns how many instances still do */
async function waitUntilEmpty(docker: DockerClient, nodeId: string): Promise<number> {
  for (const end = Date.now() + endMilliseconds; ;) {
    const running = (await listDockerTasks(docker, { node: [nodeId] })).filter(
      ({ Status }) => Status.State === 'running',
    ).length;
    if (running === 0 || Date.now() > end) return running;
    await delay(pollMilliseconds);
  }
}

/**
 * Describes the state of a node that was not drained, as a part of a sentence.
 * @param before its availability before that
 */
function afterFailure(name: string, before: DockerNode['Spec']['Availability'], isUndone: boolean): string {
  if (!isUndone)
    return `may still be paused, which could not be undone: drain it again, or set it back with docker node update --availability ${before} ${name}`;
  return before === 'active' ? 'is active again' : `is still set to ${before}`;
}

/**
 * Drains a node by a plan. First the node stops accepting new instances; then services start theirs elsewhere before
 * those here stop, whereas the engine's own drain stops them first; then the node is drained. After an interruption it
 * can be repeated: the remaining steps can be seen on the engine.
 * @param say receives a message for each step
 * @returns how many instances still run there after a minute
 * @throws Error if a service can't be moved. Then the node is available as before, unless the error says otherwise, and
 *   services that have moved stay where they are
 */
export async function drainNode(
  docker: DockerClient,
  { node: { id, name }, moving }: DrainPlan,
  say: (text: string) => void,
): Promise<number> {
  const {
    Spec: { Availability: before },
  } = await inspectDockerNode(docker, id);
  if (before === 'active') await setAvailability(docker, id, 'pause');
  try {
    for (const service of moving) {
      say(`Moving ${service.name}`);
      // One after the other: each needs room for one more instance.
      await leave(docker, service, id);
    }
  } catch (error) {
    const isUndone = await allowAgain(docker, id)
      .then(() => setAvailability(docker, id, before))
      .then(
        () => true,
        () => false,
      );
    throw new Error(
      `${(error as Error).message} The node ${name} was not drained, and ${afterFailure(name, before, isUndone)}; what has moved stays where it is.`,
      { cause: error },
    );
  }
  say(`Draining ${name}`);
  await setAvailability(docker, id, 'drain');
  await allowAgain(docker, id);
  return waitUntilEmpty(docker, id);
}
