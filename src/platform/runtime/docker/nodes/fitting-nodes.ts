import { condition, type Condition, type DataOf } from '../../../../contract/index.ts';
import { isOnlyBuilt } from '../builds/image-reach.ts';
import { TaskRefused } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { type DockerNode, type DockerServiceSpec, type DockerTask, listDockerNodes } from '../api/index.ts';
import { isUnschedulable } from '../instance-states.ts';
import { byNodeName, nodeName, restText } from './node-facts.ts';

/** The requirements for nodes; the spec of the container shows why instances are bound to one. */
type TaskTemplate = Pick<DockerServiceSpec['TaskTemplate'], 'Placement'> &
  Partial<Pick<DockerServiceSpec['TaskTemplate'], 'ContainerSpec'>>;

/** One constraint: a key, and the value that a node must have or must not have. */
interface Constraint {
  readonly text: string;
  readonly key: string;
  readonly isEqual: boolean;
  readonly value: string;
}

/** Reads a constraint as engines do: spaces around the operator don't matter. */
function readConstraint(text: string): Constraint {
  const [, key = '', operator = '', value = ''] = /^\s*(\S+?)\s*(==|!=)\s*(.*?)\s*$/.exec(text) ?? [];
  return { text, key, isEqual: operator === '==', value };
}

const labelOf = (key: string): string | undefined => /^node\.labels\.(.+)$/i.exec(key)?.[1];

/** The value of a node for the key of a constraint; empty if it has none. */
function valueOn({ ID, Spec, Description }: DockerNode, key: string): string {
  const label = labelOf(key);
  if (label !== undefined) return Spec.Labels?.[label] ?? '';
  return { 'node.id': ID, 'node.hostname': Description.Hostname, 'node.role': Spec.Role }[key.toLowerCase()] ?? '';
}

/** Engines compare case-insensitively. */
const isMet = (node: DockerNode, { key, isEqual, value }: Constraint): boolean =>
  (valueOn(node, key).toLowerCase() === value.toLowerCase()) === isEqual;

const constraintsOf = ({ Placement }: TaskTemplate): Constraint[] => (Placement?.Constraints ?? []).map(readConstraint);

/** Whether a node meets the requirements of instances. It may be unavailable. */
export function fits(node: DockerNode, template: TaskTemplate): boolean {
  return constraintsOf(template).every((each) => isMet(node, each));
}

const isOfIds = ({ key }: Constraint): boolean => key.toLowerCase() === 'node.id';

/** Why no node meets the requirements of instances. */
type Misfit = Omit<DataOf<'NO_MATCHING_NODE'>, 'ending'>;

/** The requirement that a node doesn't meet. */
const lackOf = (node: DockerNode, { key, text: asked }: Constraint): Misfit['lacking'][number]['lacks'][number] => {
  const label = labelOf(key);
  return { asked, ...(label !== undefined && { label, value: valueOn(node, key) }) };
};

/** The reason why instances are bound to one node. */
const bindingOf = ({ ContainerSpec }: TaskTemplate): string => {
  const hasVolume = ContainerSpec?.Mounts?.some(({ Type }) => Type === 'volume') ?? false;
  const isImageThere = ContainerSpec !== undefined && isOnlyBuilt(ContainerSpec.Image);
  return hasVolume === isImageThere ? 'Its storage or its image' : hasVolume ? 'Its storage' : 'Its image';
};

/**
 * Returns why none of the nodes meets the requirements of instances; undefined if one does, or if there are no
 * requirements.
 */
export function misfitOf(nodes: readonly DockerNode[], template: TaskTemplate): Misfit | undefined {
  const all = constraintsOf(template);
  const [ids, asked] = [all.filter(isOfIds), all.filter((each) => !isOfIds(each))];
  if (asked.length === 0 || nodes.some((node) => fits(node, template))) return undefined;
  const candidates = nodes.filter((node) => ids.every((each) => isMet(node, each))).toSorted(byNodeName);
  return {
    asked: asked.map(({ text }) => text),
    command: 'docker node update --label-add',
    lacking: candidates.map((node) => ({
      node: nodeName(node),
      lacks: asked.filter((each) => !isMet(node, each)).map((each) => lackOf(node, each)),
    })),
    ...(candidates.length > 0 &&
      ids.length > 0 && { bound: { what: bindingOf(template), nodes: candidates.map(nodeName) } }),
  };
}

/** Requires that a node meets the requirements of instances. @throws TaskRefused with what each node lacks */
export async function requireFittingNode(
  { docker }: Pick<DockerContext, 'docker'>,
  template: TaskTemplate,
  signal: AbortSignal,
): Promise<void> {
  if (constraintsOf(template).every(isOfIds)) return;
  const misfit = misfitOf(await listDockerNodes(docker, {}, { signal }), template);
  if (misfit !== undefined) throw new TaskRefused(condition('NO_MATCHING_NODE', { ...misfit, ending: 'refused' }));
}

/** Returns why a node accepts no instances, as a part of a sentence; undefined if it does. */
function closedText(node: DockerNode): string | undefined {
  const state = node.Status.State === 'ready' ? restText(node) : node.Status.State;
  return state && `${nodeName(node)} is ${state}`;
}

/**
 * The condition that instances wait for a node, with the engine's message and the fitting nodes that accept none. Only
 * the engine's message shows whether resources are insufficient.
 */
function waiting(
  what: string,
  nodes: readonly DockerNode[],
  { Spec, Status: { Err: said = 'the engine gave no reason' } }: DockerTask,
): Condition {
  if (said.includes('insufficient resources')) return condition('INSUFFICIENT_RESOURCES', { what, said });
  const closed = nodes
    .filter((node) => fits(node, Spec))
    .toSorted(byNodeName)
    .flatMap((node) => closedText(node) ?? []);
  return condition('NODES_CLOSED', { what, said, closed });
}

/**
 * Returns why an instance gets no node; undefined if each has one.
 * @param what waits for a node, such as "an instance"
 */
export async function unschedulable(
  { docker }: Pick<DockerContext, 'docker'>,
  what: string,
  tasks: readonly DockerTask[],
  signal: AbortSignal,
): Promise<Condition | undefined> {
  const task = tasks.find(isUnschedulable);
  if (task === undefined) return undefined;
  const nodes = await listDockerNodes(docker, {}, { signal });
  const misfit = misfitOf(nodes, task.Spec);
  return misfit ? condition('NO_MATCHING_NODE', misfit) : waiting(what, nodes, task);
}
