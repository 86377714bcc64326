import type { DockerServiceSpec } from '../api/index.ts';

type TaskTemplate = Pick<DockerServiceSpec['TaskTemplate'], 'Placement'>;

const nodeConstraint = 'node.id==';
const nodeLabel = 'node.labels.';

/** Where instances may run, in the engine's terms. */
export interface PlacementParts {
  /** The only node that has what the instances need: their volumes, or their image. */
  readonly boundTo?: string | undefined;
  /** The constraints for nodes, such as `node.labels.disk==ssd`. */
  readonly constraints?: readonly string[];
  /** The label of nodes whose values the instances are spread over. */
  readonly spreadOver?: string | undefined;
}

/** Returns where instances may run, as a part of their template; empty if that is anywhere. */
export function placementOf({ boundTo, constraints = [], spreadOver }: PlacementParts): TaskTemplate {
  const all = [...(boundTo === undefined ? [] : [`${nodeConstraint}${boundTo}`]), ...constraints];
  if (all.length === 0 && spreadOver === undefined) return {};
  return {
    Placement: {
      ...(all.length > 0 && { Constraints: all }),
      ...(spreadOver !== undefined && { Preferences: [{ Spread: { SpreadDescriptor: `${nodeLabel}${spreadOver}` } }] }),
    },
  };
}

/** Returns the node that instances are bound to; undefined if they may run on several. */
export const boundNode = ({ Placement }: TaskTemplate): string | undefined =>
  Placement?.Constraints?.find((each) => each.startsWith(nodeConstraint))?.slice(nodeConstraint.length);

/**
 * Returns the label of nodes whose values instances are spread over; undefined if they are spread over the nodes
 * themselves.
 */
export const spreadLabel = ({ Placement }: TaskTemplate): string | undefined =>
  Placement?.Preferences?.[0]?.Spread.SpreadDescriptor.slice(nodeLabel.length);
