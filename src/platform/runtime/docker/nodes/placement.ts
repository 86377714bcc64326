import type { DockerServiceSpec } from '../api/index.ts';

type TaskTemplate = Pick<DockerServiceSpec['TaskTemplate'], 'Placement'>;

const nodeConstraint = 'node.id==';
const nodeLabel = 'node.labels.';

/** Where instances may run, in the words of the engine. */
export interface PlacementParts {
  /** The only node that has what they need: their volumes, or their image. */
  readonly boundTo?: string | undefined;
  /** What nodes have to be, such as `node.labels.disk==ssd`. */
  readonly constraints?: readonly string[];
  /** The label of nodes whose values they are spread over. */
  readonly spreadOver?: string | undefined;
}

/** Where instances may run, as a part of their template; empty if that is anywhere. */
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

/** The node that instances are bound to; undefined if they may run on several. */
export const boundNode = ({ Placement }: TaskTemplate): string | undefined =>
  Placement?.Constraints?.find((each) => each.startsWith(nodeConstraint))?.slice(nodeConstraint.length);

/**
 * The label of nodes whose values instances are spread over; undefined if they are spread over the nodes themselves.
 */
export const spreadLabel = ({ Placement }: TaskTemplate): string | undefined =>
  Placement?.Preferences?.[0]?.Spread.SpreadDescriptor.slice(nodeLabel.length);
