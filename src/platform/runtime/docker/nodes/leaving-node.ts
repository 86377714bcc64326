import type { DockerServiceSpec } from '../api/index.ts';
import { leavingOf, withLeaving } from '../labels.ts';

const exclusionOf = (nodeId: string): string => `node.id!=${nodeId}`;

const withConstraints = (spec: DockerServiceSpec, Constraints: readonly string[]): DockerServiceSpec => ({
  ...spec,
  TaskTemplate: { ...spec.TaskTemplate, Placement: { ...spec.TaskTemplate.Placement, Constraints } },
});

/** Returns the same service, allowed on all of its nodes again. */
export function notLeaving(spec: DockerServiceSpec): DockerServiceSpec {
  const nodeId = leavingOf(spec.Labels);
  if (nodeId === undefined) return spec;
  const kept = (spec.TaskTemplate.Placement?.Constraints ?? []).filter((each) => each !== exclusionOf(nodeId));
  return { ...withConstraints(spec, kept), Labels: withLeaving(spec.Labels, undefined) };
}

/**
 * Returns the same service without instances on a node. The engine replaces the instances there, in the order of the
 * service's update config, and leaves the others alone. Allowing the node again replaces none.
 */
export function leaving(spec: DockerServiceSpec, nodeId: string): DockerServiceSpec {
  const before = notLeaving(spec);
  return {
    ...withConstraints(before, [...(before.TaskTemplate.Placement?.Constraints ?? []), exclusionOf(nodeId)]),
    Labels: withLeaving(spec.Labels, nodeId),
  };
}
