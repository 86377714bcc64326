import { isOnlyBuilt } from '../builds/image-reach.ts';
import { TaskRefused } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import { type DockerNode, type DockerServiceSpec, type DockerTask, listDockerNodes } from '../engine/index.ts';
import { isUnplaced } from '../instance-states.ts';
import { byNodeName, nodeName, restText } from './node-facts.ts';

/** What is asked of nodes; what instances consist of tells why they are bound to one. */
type TaskTemplate = Pick<DockerServiceSpec['TaskTemplate'], 'Placement'> & Partial<Pick<DockerServiceSpec['TaskTemplate'], 'ContainerSpec'>>;

/** One constraint: what a node has by a key, and what it should. */
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

/** What a node has by the key of a constraint; empty if it has nothing. */
function valueOn({ ID, Spec, Description }: DockerNode, key: string): string {
  const label = labelOf(key);
  if (label !== undefined) return Spec.Labels?.[label] ?? '';
  return { 'node.id': ID, 'node.hostname': Description.Hostname, 'node.role': Spec.Role }[key.toLowerCase()] ?? '';
}

/** Engines compare without regard to case. */
const isMet = (node: DockerNode, { key, isEqual, value }: Constraint): boolean => (valueOn(node, key).toLowerCase() === value.toLowerCase()) === isEqual;

const constraintsOf = ({ Placement }: TaskTemplate): Constraint[] => (Placement?.Constraints ?? []).map(readConstraint);

/** Whether a node is what instances need it to be. It may be away. */
export function fits(node: DockerNode, template: TaskTemplate): boolean {
  return constraintsOf(template).every((each) => isMet(node, each));
}

const isOfIds = ({ key }: Constraint): boolean => key.toLowerCase() === 'node.id';

/** What is missing of a node, in words. */
const lackOf = (node: DockerNode, { key, text }: Constraint): string => {
  const [label, value] = [labelOf(key), valueOn(node, key)];
  if (label === undefined) return `is not ${text}`;
  return value === '' ? `has no label ${label}` : `has ${label}=${value}`;
};

/** What binds instances to one node. */
const bindingOf = ({ ContainerSpec }: TaskTemplate): string => {
  const hasVolume = ContainerSpec?.Mounts?.some(({ Type }) => Type === 'volume') ?? false;
  const isImageThere = ContainerSpec !== undefined && isOnlyBuilt(ContainerSpec.Image);
  return hasVolume === isImageThere ? 'Its storage or its image' : hasVolume ? 'Its storage' : 'Its image';
};

/** Why none of the nodes is what instances need, in words; undefined if one is, or if instances need nothing in particular. */
export function misfitText(nodes: readonly DockerNode[], template: TaskTemplate): string | undefined {
  const all = constraintsOf(template);
  const [ids, asked] = [all.filter(isOfIds), all.filter((each) => !isOfIds(each))];
  if (asked.length === 0 || nodes.some((node) => fits(node, template))) return undefined;
  const candidates = nodes.filter((node) => ids.every((each) => isMet(node, each))).toSorted(byNodeName);
  const lacks = candidates.map((node) => `${node.Description.Hostname} ${asked.filter((each) => !isMet(node, each)).map((each) => lackOf(node, each)).join(' and ')}`);
  const bound = candidates.length === 0 || ids.length === 0 ? '' : ` ${bindingOf(template)} is on ${candidates.map(({ Description }) => Description.Hostname).join(' and ')}, and nowhere else.`;
  return `No node of the cluster fits: the placement rules ask for ${asked.map(({ text }) => text).join(' and ')}, and ${lacks.join('; ') || 'none is known'}.${bound} `
    + 'Whoever runs the platform labels a node (docker node update --label-add), or changes the rules in the clusters file.';
}

/** Requires that a node is what instances need. @throws TaskRefused with what each node lacks */
export async function requireFittingNode({ docker }: Pick<DockerContext, 'docker'>, template: TaskTemplate, signal: AbortSignal): Promise<void> {
  if (constraintsOf(template).every(isOfIds)) return;
  const text = misfitText(await listDockerNodes(docker, {}, { signal }), template);
  if (text !== undefined) throw new TaskRefused(`${text} Nothing was changed.`);
}

/** Why a node takes no instances, as a part of a sentence; undefined if it does. */
function closedText(node: DockerNode): string | undefined {
  const state = node.Status.State === 'ready' ? restText(node) : node.Status.State;
  return state && `${nodeName(node)} is ${state}`;
}

/** That instances wait for a node, with what the engine says and which of those nodes that they may run on take none. Only where it says so is room what lacks. */
function waitsText(what: string, nodes: readonly DockerNode[], { Spec, Status: { Err: why = 'the engine gave no reason' } }: DockerTask): string {
  if (why.includes('insufficient resources')) return `No node has room for ${what}: ${why}.`;
  const closed = nodes.filter((node) => fits(node, Spec)).toSorted(byNodeName).flatMap((node) => closedText(node) ?? []);
  return `No node takes ${what} at present: ${why}.${closed.length === 0 ? '' : ` Of those that it may run on, ${closed.join('; ')}.`}`;
}

/** Why an instance gets no node, as a sentence; undefined if each has one. @param what waits for one, such as "an instance" */
export async function unplacedText({ docker }: Pick<DockerContext, 'docker'>, what: string, tasks: readonly DockerTask[], signal: AbortSignal): Promise<string | undefined> {
  const task = tasks.find(isUnplaced);
  if (task === undefined) return undefined;
  const nodes = await listDockerNodes(docker, {}, { signal });
  return misfitText(nodes, task.Spec) ?? waitsText(what, nodes, task);
}
