import type { ResolvedVariable, Task } from '../index.ts';
import type { DockerContext } from './docker-context.ts';
import type { DockerContainerSpec, DockerServiceSpec } from './engine/index.ts';
import { jobSpecOf } from './job.ts';
import type { DockerRecord } from './record.ts';
import { serviceSpecOf } from './service-spec.ts';

/** How long the engine waits before it tries a failed run again, in nanoseconds. */
const retryDelay = 1e9;

/** What a job's spec needs beside the task. */
export interface JobParts {
  readonly record: DockerRecord;
  readonly variables: readonly ResolvedVariable[];
  readonly files: Pick<DockerContainerSpec, 'Secrets' | 'Configs'>;
  /** The node of the engine, which has the images that were built there. */
  readonly nodeId: string;
}

/**
 * The engine's service for one run of a job: one instance, which is started again as often as it may fail, and stays ended.
 * It has no secret in it. The engine's own mode for jobs is not used: it leaves the containers of a deleted job running, and
 * those that have ended until it is started again.
 */
export function jobSpecFor(context: Pick<DockerContext, 'platformId'>, task: Task, parts: JobParts): DockerServiceSpec {
  const { max_nb_restart: retries } = jobSpecOf(task);
  // Nothing updates a run.
  const { UpdateConfig: _, ...spec } = serviceSpecOf(context, task, parts);
  // The engine takes 0 attempts for any number.
  const RestartPolicy = retries === 0 ? { Condition: 'none' as const } : { Condition: 'on-failure' as const, MaxAttempts: retries, Delay: retryDelay };
  return { ...spec, TaskTemplate: { ...spec.TaskTemplate, RestartPolicy } };
}
