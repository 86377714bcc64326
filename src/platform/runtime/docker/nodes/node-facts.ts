import type { DockerNode } from '../api/index.ts';

/** The name of a node. */
export const nodeName = ({ Description }: Pick<DockerNode, 'Description'>): string => Description.Hostname;

/** Compares nodes by their names. */
export const byNodeName = (one: DockerNode, other: DockerNode): number => nodeName(one).localeCompare(nodeName(other));

/** Whether a node is ready and accepts instances. */
export const takesInstances = ({ Spec, Status }: DockerNode): boolean =>
  Status.State === 'ready' && Spec.Availability === 'active';

/** The setting by which a node accepts no instances, as one word; undefined if it accepts them. */
export const restText = ({ Spec: { Availability } }: Pick<DockerNode, 'Spec'>): 'drained' | 'paused' | undefined =>
  Availability === 'active' ? undefined : Availability === 'drain' ? 'drained' : 'paused';
