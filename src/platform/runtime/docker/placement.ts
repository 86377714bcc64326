import type { DockerServiceSpec } from './engine/index.ts';

type TaskTemplate = Pick<DockerServiceSpec['TaskTemplate'], 'Placement'>;

const nodeConstraint = 'node.id==';

/** Binds instances to one node. */
export const boundTo = (nodeId: string): Required<TaskTemplate> => ({ Placement: { Constraints: [`${nodeConstraint}${nodeId}`] } });

/** The node that instances are bound to; undefined if they may run anywhere. */
export const boundNode = ({ Placement }: TaskTemplate): string | undefined =>
  Placement?.Constraints?.find((each) => each.startsWith(nodeConstraint))?.slice(nodeConstraint.length);
