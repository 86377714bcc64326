import type { ResolvedVariable, Task } from '../../index.ts';
import type { DockerContext } from '../docker-context.ts';
import type { DockerContainerSpec, DockerServiceSpec } from '../engine/index.ts';
import type { PlacementParts } from '../nodes/placement.ts';
import type { DockerRecord } from '../record.ts';
import { serviceSpecOf } from '../services/service-spec.ts';

/** What the spec of a run needs beside the task. */
export interface RunParts {
  readonly record: DockerRecord;
  readonly variables: readonly ResolvedVariable[];
  readonly files: Pick<DockerContainerSpec, 'Secrets' | 'Configs'>;
  /** Where it may run: bound to the node with its image if no registry has that; for Terraform to the one with its volume. */
  readonly placement?: PlacementParts;
}

/**
 * The engine's service for one run: one instance, which stays ended. The engine itself tries nothing again: it would also do so while it doesn't reach
 * the node of an instance that goes on. It has no secret in it. The engine's own mode for jobs is not used: it leaves the containers of a deleted job
 * running, and those that have ended until it is started again.
 */
export function runSpecFor(context: Pick<DockerContext, 'platformId'>, task: Task, parts: RunParts): DockerServiceSpec {
  // An attempt that fails is no reason to stop: the next one is an update too.
  const UpdateConfig = { Parallelism: 1, Order: 'stop-first' as const, FailureAction: 'continue' as const };
  const spec = serviceSpecOf(context, task, parts);
  return { ...spec, UpdateConfig, TaskTemplate: { ...spec.TaskTemplate, RestartPolicy: { Condition: 'none' } } };
}
