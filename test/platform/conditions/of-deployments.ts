import { type Condition, condition } from '../../../src/contract/index.ts';
import type { DockerService, DockerTask } from '../../../src/platform/runtime/docker/api/index.ts';
import { attemptLines, runEnd, type RunSeen } from '../../../src/platform/runtime/docker/jobs/job-attempts.ts';
import { runToEnd } from '../../../src/platform/runtime/docker/jobs/job-run.ts';
import { digestOfVariables } from '../../../src/platform/runtime/docker/terraform/plan.ts';
import { dockerServiceName } from '../../../src/platform/runtime/docker/names.ts';
import { observeRollOut } from '../../../src/platform/runtime/docker/services/roll-out.ts';
import { rolloutFailure } from '../../../src/platform/runtime/docker/services/rollout-failure.ts';
import type { RuntimeCall, Task } from '../../../src/platform/runtime/index.ts';
import {
  contextWith,
  ended,
  exited,
  fails,
  instance,
  labels,
  node,
  now,
  service,
  signal,
  since,
  version,
} from './fake-swarm.ts';
import { type MadeCondition, read, shown } from './made-condition.ts';

const call = { inputs: async () => ({ variables: [] }), confirm: async () => undefined, signal } as RuntimeCall;
const template = { ContainerSpec: { Image: 'web:1', Labels: labels } };
const spec = { Name: dockerServiceName(version.service), Labels: labels, TaskTemplate: template };
const record = (more: object) => JSON.stringify({ image: 'web:1', entrypoint: [], command: [], ...more });

const probe = { type: { tcp: { port: 80 } }, initial_delay_seconds: 0, failure_threshold: 1, period_seconds: 1 };
const rollout = {
  deploymentId: 'd',
  beganAt: since,
  phase: { operation: 'rollOut' },
  service: {
    ...service,
    spec: {
      tag: '1',
      min_running_instances: 1,
      ports: [],
      healthchecks: { readiness_probe: { ...probe, timeout_seconds: 1 } },
    },
  },
  fencingToken: 1,
} as unknown as Task;

const container = (state: object) => ({ '/nodes': [node('b', 'ready')], '/containers/c1/json': { State: state } });
const exitedWith = (code: number) => container({ ExitCode: code });

/** Why a rollout with this instance fails. @param obstructedSince since when it can't join its network */
const failedRollout = async (answers: object, mine: DockerTask, obstructedSince?: number) =>
  rolloutFailure(
    await contextWith({ ...answers }),
    rollout,
    { UpdateStatus: { State: 'paused' } } as unknown as DockerService,
    { mine: [mine], engineStarts: [], ...(obstructedSince !== undefined && { obstructedSince }) },
    signal,
  );

/** What an observation of a rollout tells last. */
const observedRollout = async (answers: object, task: Task, cursor: object | null) =>
  (await observeRollOut(await contextWith({ ...answers }), task, cursor && JSON.stringify(cursor), call)).lines.at(-1)!
    .condition;

const starting = instance({
  Status: { State: 'starting', Timestamp: '2026-11-20T10:20:00Z', ContainerStatus: { ContainerID: 'c1' } },
});
const obstructed = ended('rejected', 'network sandbox join failed: error creating vxlan interface: file exists');

const job = {
  deploymentId: 'd',
  beganAt: since,
  service: { ...service, kind: 'job', spec: { max_nb_restart: 1, max_duration_seconds: 30, source: {} } },
} as unknown as Task;

/** How a run ends of which the engine has these tasks. */
const runFailure = async (answers: object, seen: Partial<RunSeen>, from = now): Promise<Condition | undefined> =>
  (
    await runEnd(
      await contextWith({ ...answers }),
      job,
      { tasks: [], attempts: 'under way', lost: new Map(), told: {}, ...seen },
      { since: from },
      signal,
    )
  )?.failure;

const terraform = {
  ...job,
  isPlan: true,
  action: 'DEPLOY',
  service: { ...service, kind: 'terraform', spec: { timeout_sec: 60 } },
} as unknown as Task;
const secretFor = () => 'secret';

/** What the log tells of a plan that was made with variables of this digest. */
const planned = async (variables: string): Promise<Condition | undefined> => {
  const context = await contextWith({ '/services': fails(404, 'none'), '/': [] }, { secretFor });
  const progress = { told: {}, reported: {}, read: [], since, variables, end: { at: since, isTold: true } };
  return (await runToEnd.observe(context, terraform, JSON.stringify(progress), call)).lines.at(-1)!.condition;
};

/** What the log tells of a run that begins while an earlier one may go on, on a node that is down. */
const besideEarlier = async (): Promise<Condition | undefined> => {
  const context = await contextWith({
    '/services/create': { ID: 's' },
    '/services': fails(404, 'none'),
    '/nodes': [node('b', 'down')],
    '/tasks': [instance({ DesiredState: 'remove' })],
    '/networks': [{ Id: 'n' }],
    '/info': { Architecture: 'x86_64', Swarm: { NodeID: 'a' } },
    '/': [],
  });
  const beginning = { ...context, placement: { rules: [] }, nodeEngines: { of: async () => undefined } };
  const task = {
    ...job,
    action: 'DEPLOY',
    fencingToken: 1,
    record: record({}),
    service: {
      ...job.service,
      spec: { ...job.service.spec, cpu: 100, memory: 100, source: { image: { tag: '1' } }, healthchecks: {} },
    },
  } as unknown as Task;
  return (await runToEnd.observe(beginning, task, null, call)).lines.at(-1)!.condition;
};

/** Why rollouts and runs fail. */
export const ofDeployments: readonly MadeCondition[] = [
  read('INSTANCES_FAILED', 'log', 'app_crashed', () => failedRollout(exitedWith(3), ended('failed'))),
  read('INSTANCES_FAILED', 'log', 'out_of_memory', () =>
    failedRollout(container({ OOMKilled: true }), ended('failed')),
  ),
  shown('INSTANCES_NOT_STARTED', 'log', () => failedRollout({}, obstructed, since)),
  read('NOT_READY_IN_TIME', 'log', 'readiness_probe_failing', () =>
    failedRollout(
      container({ Health: { Log: [{ ExitCode: 1, Output: 'not ready: port 80: status 503' }] } }),
      starting,
    ),
  ),
  shown('REPLACED_EXTERNALLY', 'log', () => observedRollout({}, rollout, null)),
  read('NOT_ROLLED_BACK', 'log', 'app_crashed', () =>
    observedRollout(
      { '/services': { ID: 'on-the-engine', Version: { Index: 1 }, Spec: spec }, '/': [] },
      {
        ...rollout,
        runningRecord: record({ spec: { TaskTemplate: { ...template, Networks: [{ Target: 'gone' }] } } }),
      },
      { told: {}, reported: {}, failure: condition('INSTANCES_FAILED', { instances: 1, cause: exited(3) }) },
    ),
  ),
  read(
    'RUN_ATTEMPT_FAILED',
    'log',
    'app_crashed',
    async () => {
      const context = await contextWith(exitedWith(3));
      return (await attemptLines(context, job, [ended('failed')], new Map(), {}, signal)).lines.at(-1)!.condition;
    },
    { kind: 'job', confidence: 'low' },
  ),
  read(
    'RUN_FAILED',
    'log',
    'app_crashed',
    () => runFailure(exitedWith(3), { tasks: [ended('failed')], attempts: 'used up' }),
    { kind: 'job' },
  ),
  read(
    'RUN_LOST',
    'log',
    'node_lost',
    () => {
      const why = condition('LOST_WITH_NODE', { node: 'node-b', since: new Date(since).toISOString() });
      return runFailure({}, { tasks: [ended('failed')], lost: new Map([['task1', { why }]]) });
    },
    { kind: 'job' },
  ),
  read(
    'RUN_UNHEALTHY',
    'log',
    'liveness_probe_failing',
    () =>
      runFailure(container({ Health: { Log: [{ ExitCode: 1, Output: 'not alive: exit code 3' }] } }), {
        tasks: [ended('complete')],
      }),
    { kind: 'job' },
  ),
  read('TIME_LIMIT_EXCEEDED', 'log', 'time_limit', () => runFailure({}, { tasks: [instance()] }, since), {
    kind: 'job',
  }),
  shown('VARIABLES_CHANGED', 'log', () => planned('others')),
  shown('PLAN_UNREADABLE', 'log', () => planned(digestOfVariables({ secretFor }, []))),
  shown('EARLIER_RUN_MAY_GO_ON', 'log', besideEarlier),
  shown('RUN_TAKEN_AWAY', 'log', async () => {
    const context = await contextWith({ '/services': fails(404, 'none'), '/': [] });
    const cursor = JSON.stringify({ told: {}, reported: {}, read: [], since });
    return (await runToEnd.observe(context, job, cursor, call)).lines.at(-1)!.condition;
  }),
];
