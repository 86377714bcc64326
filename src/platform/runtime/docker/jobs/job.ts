import type { ServiceToRun, Task } from '../../index.ts';
import { autoDeployRefusal, deploysByItself, sourceRefusal } from '../builds/service-source.ts';
import { probeRefusal } from '../services/probes.ts';

type Job = Extract<ServiceToRun, { kind: 'job' }>;

/** A job's own command line; parts that are absent are the image's. */
type JobCommand = Pick<NonNullable<NonNullable<Job['spec']['schedule']>['on_start']>, 'entrypoint' | 'arguments'>;

/** The configuration of a task's job. @throws Error for another kind of service */
export function jobSpecOf({ service }: Pick<Task, 'service'>): Job['spec'] {
  if (service.kind !== 'job') throw new Error(`A ${service.kind} is no job.`);
  return service.spec;
}

/**
 * Returns the command that a job runs for an action; undefined if it runs none. A job without a schedule runs when it
 * is deployed.
 */
export function jobCommandOf(task: Pick<Task, 'service' | 'action'>): JobCommand | undefined {
  const { schedule = { on_start: {} } } = jobSpecOf(task);
  switch (task.action) {
    case 'STOP':
      return schedule.on_stop;
    case 'DELETE':
      return schedule.on_delete;
    default:
      return schedule.cronjob ?? schedule.on_start;
  }
}

/** Returns the same task for a job that runs this command when it is deployed. */
export const withJobCommand = (task: Task, command: JobCommand): Task =>
  task.service.kind === 'job'
    ? { ...task, service: { ...task.service, spec: { ...task.service.spec, schedule: { on_start: command } } } }
    : task;

/** Converts a job to the input of an engine spec: its port is never public, and need not be listened on. */
export function jobWorkload({ id, name, environmentId, spec: { cpu, memory, healthchecks = {}, schedule } }: Job) {
  return {
    id,
    name,
    environmentId,
    cpu,
    memory,
    healthchecks,
    ...(schedule?.cronjob ?? schedule?.on_start),
    storage: [],
    ports: [],
    instances: 1,
  };
}

/** The rules for jobs: configurations that this runtime doesn't support, and what to do instead. */
const rules: readonly { readonly isBroken: (spec: Job['spec']) => boolean; readonly why: string }[] = [
  { isBroken: deploysByItself, why: autoDeployRefusal },
  { isBroken: ({ gpu = 0 }) => gpu > 0, why: 'This cluster has no GPUs: leave out "gpu".' },
  {
    isBroken: ({ max_duration_seconds: seconds }) => seconds === 0,
    why: 'No run can end in 0 seconds: set "max_duration_seconds" to the seconds that the longest run may take.',
  },
];

/** Returns why this runtime can't run such a job; undefined if it can. */
export const jobRefusal = (spec: Job['spec']): string | undefined =>
  rules.find(({ isBroken }) => isBroken(spec))?.why ??
  probeRefusal(spec.healthchecks ?? {}) ??
  sourceRefusal({ kind: 'job', spec });
