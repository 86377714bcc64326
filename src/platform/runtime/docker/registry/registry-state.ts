import { condition, type Condition } from '../../../../contract/index.ts';
import {
  type DockerCall,
  type DockerClient,
  dockerInfo,
  type DockerNode,
  type DockerService,
  type DockerTask,
  listDockerNodes,
  listDockerServices,
  listDockerTasks,
} from '../api/index.ts';
import { isUp } from '../instance-states.ts';
import { anyRegistry, labelFilter, labelledRegistryPart, registryFactsOf, type RegistryPart } from '../labels.ts';
import { nodeName, takesInstances } from '../nodes/node-facts.ts';
import { boundNode } from '../nodes/placement.ts';

/** The services of a registry that exist. */
export type RegistryServices = { readonly [Part in RegistryPart]?: DockerService };

/** Finds the services of one platform's registry, or of any. @param labels those of the platform */
export async function findRegistry(
  docker: DockerClient,
  labels: Readonly<Record<string, string>> | undefined,
  call: DockerCall = {},
): Promise<RegistryServices> {
  const services = await listDockerServices(
    docker,
    { label: [...anyRegistry['label']!, ...(labels ? labelFilter(labels)['label']! : [])] },
    call,
  );
  return Object.fromEntries(services.map((service) => [labelledRegistryPart(service.Spec.Labels), service]));
}

/** Returns why none of these tasks runs, as the engine reports it. */
const reasonOf = (tasks: readonly DockerTask[]): string => {
  const newest = tasks.toSorted((one, other) => other.CreatedAt.localeCompare(one.CreatedAt));
  const failed = newest.find(({ Status }) => Status.Err !== undefined && Status.Err !== '');
  return failed?.Status.Err ?? newest[0]?.Status.State ?? 'the engine has not started it yet';
};

/** Returns why a node runs nothing, as a word; undefined if it runs instances. */
const awayText = ({ Status, Spec }: DockerNode): string | undefined => {
  if (Status.State !== 'ready') return Status.State;
  return Spec.Availability === 'drain' ? 'drained' : undefined;
};

/** The state of a cluster's registry. */
export interface RegistryState {
  /** The name of the node that stores the images. */
  readonly node: string;
  /** The names of the active nodes without a running forwarder. */
  readonly withoutForwarder: readonly string[];
  readonly isReadOnly: boolean;
  /**
   * Why no image can be pushed to it now, whose message is a part of a sentence; undefined if one can, as far as the
   * engine knows.
   */
  readonly problem?: Condition;
  /** What to do about the problem, as sentences; undefined if it resolves itself. */
  readonly remedy?: string;
}

/** What to do about a registry whose node left the swarm with the images. @param name of its service */
export const beginEmptyText = (name: string): string =>
  `To start with an empty registry on another node: docker service rm ${name}. Applications have to be deployed again then.`;

/** What to do about a node that runs nothing. */
const nodeRemedy = (node: DockerNode): string =>
  node.Status.State === 'ready'
    ? `To let it run services again: docker node update --availability active ${nodeName(node)}.`
    : `Start the engine of ${nodeName(node)}, and make sure that the managers reach it.`;

const serviceRemedy = (service: string): string =>
  `See what the engine reports about it, and fix that: docker service ps --no-trunc ${service}.`;

/**
 * Reads the state of a registry, as a manager knows it.
 * @returns undefined if there is none
 */
export async function readRegistryState(
  docker: DockerClient,
  { registry, forwarder }: RegistryServices,
  call: DockerCall = {},
): Promise<RegistryState | undefined> {
  if (registry === undefined) return undefined;
  const parts = [registry, ...(forwarder ? [forwarder] : [])].map(({ ID: id }) => id);
  const [
    nodes,
    tasks,
    {
      Swarm: { NodeID: own },
    },
  ] = await Promise.all([
    listDockerNodes(docker, {}, call),
    listDockerTasks(docker, { service: parts }, call),
    dockerInfo(docker, call),
  ]);
  const [kept, forwarded] = [registry, forwarder].map((service) =>
    tasks.filter(({ ServiceID: id }) => id === service?.ID),
  ) as [DockerTask[], DockerTask[]];
  const home = nodes.find(({ ID: id }) => id === boundNode(registry.Spec.TaskTemplate));
  const builder = nodes.find(({ ID: id }) => id === own);
  const isForwarded = (id: string): boolean => forwarded.some((task) => task.NodeID === id && isUp(task));
  const { isReadOnly } = registryFactsOf(registry.Spec.Labels);
  const problemOf = (): Pick<RegistryState, 'problem' | 'remedy'> => {
    if (home === undefined)
      return { problem: condition('REGISTRY_NODE_GONE', {}), remedy: beginEmptyText(registry.Spec.Name) };
    const homeAway = awayText(home);
    if (homeAway !== undefined)
      return {
        problem: condition('REGISTRY_NODE_AWAY', { node: nodeName(home), state: homeAway }),
        remedy: nodeRemedy(home),
      };
    if (!kept.some(isUp))
      return {
        problem: condition('REGISTRY_NOT_RUNNING', { node: nodeName(home), said: reasonOf(kept) }),
        remedy: serviceRemedy(registry.Spec.Name),
      };
    const builderAway = builder && awayText(builder);
    if (builder !== undefined && builderAway !== undefined)
      return {
        problem: condition('BUILDER_NODE_AWAY', { node: nodeName(builder), state: builderAway }),
        remedy: nodeRemedy(builder),
      };
    if (!isForwarded(own)) {
      const problem = condition('REGISTRY_NOT_FORWARDED', {
        node: builder ? nodeName(builder) : own,
        said: reasonOf(forwarded.filter(({ NodeID: id }) => id === own)),
      });
      return { problem, ...(forwarder && { remedy: serviceRemedy(forwarder.Spec.Name) }) };
    }
    return isReadOnly ? { problem: condition('REGISTRY_BEING_CLEANED', {}) } : {};
  };
  return {
    node: home ? nodeName(home) : (boundNode(registry.Spec.TaskTemplate) ?? ''),
    isReadOnly,
    ...problemOf(),
    withoutForwarder: nodes
      .filter((node) => takesInstances(node) && !isForwarded(node.ID))
      .map(nodeName)
      .toSorted(),
  };
}
