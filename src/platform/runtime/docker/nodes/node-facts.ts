import type { DockerNode } from '../api/index.ts';

/** The name of a node. */
export const nodeName = ({ Description }: Pick<DockerNode, 'Description'>): string => Description.Hostname;

/** Puts nodes in the order of their names. */
export const byNodeName = (one: DockerNode, other: DockerNode): number => nodeName(one).localeCompare(nodeName(other));

/** Whether a node is there and takes instances. */
export const takesInstances = ({ Spec, Status }: DockerNode): boolean =>
  Status.State === 'ready' && Spec.Availability === 'active';

/** How a node was set to take no instances, in a word; undefined if it was not. */
export const restText = ({ Spec: { Availability } }: Pick<DockerNode, 'Spec'>): 'drained' | 'paused' | undefined =>
  Availability === 'active' ? undefined : Availability === 'drain' ? 'drained' : 'paused';
