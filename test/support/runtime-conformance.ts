import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type {
  Observation,
  Runtime,
  RuntimeCall,
  RuntimeLogLine,
  Phase,
  RuntimeOperation,
  ServiceToRun,
  Task,
} from '../../src/platform/runtime/index.ts';
import { statePathOf } from '../../src/platform/engine/index.ts';
import type { DeploymentAction } from '../../src/contract/index.ts';
import { systemRandom } from '../../src/platform/common/index.ts';

/** A runtime to try, and what it can run. */
export interface RuntimeUnderTest {
  /** Creates the runtime as a process does that has just started. What ran before goes on. */
  readonly create: () => Runtime;
  /** A container that gets up, and one that doesn't. Their ids are new with each call. */
  readonly good: () => ServiceToRun;
  readonly bad: () => ServiceToRun;
  /** A job that ends well, and a line that each run of it logs once. */
  readonly job: () => ServiceToRun;
  readonly jobSays: string;
  readonly inputs: RuntimeCall['inputs'];
  /** Lets time pass until the next observation. Default: it passes by itself. */
  readonly waitUntil?: (moment: number) => void;
  readonly now: () => number;
}

const { signal } = new AbortController();
const confirm = async (): Promise<void> => undefined;

/** The end of an operation, and all that was told on the way. */
interface Ended {
  readonly observation: Observation;
  readonly lines: readonly RuntimeLogLine[];
  readonly record?: string;
}

const phaseOf = (operation: RuntimeOperation): Phase => ({
  state: 'DEPLOYING',
  step: 'DEPLOYMENT',
  operation,
  limitSeconds: 60,
  onFailure: 'DEPLOYMENT_ERROR',
});

/** What every runtime has to do, whatever it runs services on. */
export function describeRuntime(setUp: () => RuntimeUnderTest): void {
  const fencingTokens = new Map<string, number>();
  const fencingTokenOf = (deploymentId: string): number =>
    fencingTokens.get(deploymentId) ?? fencingTokens.set(deploymentId, fencingTokens.size + 1).get(deploymentId)!;

  const taskOf = (
    service: ServiceToRun,
    deploymentId: string,
    action: DeploymentAction,
    phase: Phase,
    records: Pick<Task, 'record' | 'runningRecord'>,
  ): Task => {
    const beganAt = setUp().now();
    return {
      deploymentId,
      fencingToken: fencingTokenOf(deploymentId),
      action,
      phase,
      service,
      ...records,
      beganAt,
      deadline: beganAt + phase.limitSeconds * 1000,
    };
  };

  /** Carries out one phase to its end. @param interrupted whether another process takes over with each observation */
  const carryOut = async (task: Task, interrupted = false): Promise<Ended> => {
    const { create, inputs, waitUntil } = setUp();
    const call = { inputs, confirm, signal };
    let runtime = create();
    const lines: RuntimeLogLine[] = [];
    let cursor: string | null = null;
    let { record } = task;
    await runtime.begin(task, call);
    if (interrupted) await create().begin(task, call);
    for (let observations = 1; ; observations += 1) {
      // A process that has just begun needs a moment for what it carries out itself.
      if (interrupted && observations % 4 === 0) runtime = create();
      const observation: Observation = await runtime.observe(
        { ...task, ...(record !== undefined && { record }) },
        cursor,
        call,
      );
      lines.push(...observation.lines);
      cursor = observation.cursor;
      record = observation.record ?? record;
      if (observation.outcome !== 'ongoing') return { observation, lines, ...(record !== undefined && { record }) };
      if (waitUntil) waitUntil(observation.nextPollAt);
      else await delay(Math.max(50, observation.nextPollAt - setUp().now()));
    }
  };

  /** Carries out an action, phase by phase, until one fails. */
  const act = async (
    service: ServiceToRun,
    action: DeploymentAction,
    runningRecord?: string,
    interrupted = false,
  ): Promise<Ended & { readonly deploymentId: string }> => {
    const deploymentId = systemRandom.uuid();
    let record = action === 'DEPLOY' ? undefined : runningRecord;
    const lines: RuntimeLogLine[] = [];
    for (const phase of statePathOf(service.kind, action).phases) {
      const task = taskOf(service, deploymentId, action, phase, {
        ...(record !== undefined && { record }),
        ...(runningRecord !== undefined && { runningRecord }),
      });
      const ended = await carryOut(task, interrupted);
      record = ended.record ?? record;
      lines.push(...ended.lines);
      if (ended.observation.outcome === 'failed') return { ...ended, lines, deploymentId };
    }
    return {
      observation: { outcome: 'succeeded', lines: [], cursor: '' },
      lines,
      deploymentId,
      ...(record !== undefined && { record }),
    };
  };

  test('a container is deployed, restarted, stopped, and removed', async () => {
    const service = setUp().good();
    const deployed = await act(service, 'DEPLOY');
    expect(deployed.observation).toMatchObject({ outcome: 'succeeded' });
    expect(deployed.lines).not.toEqual([]);
    for (const action of ['RESTART', 'STOP', 'DELETE'] as const)
      expect((await act(service, action, deployed.record)).observation).toMatchObject({ outcome: 'succeeded' });
  });

  test('processes that take over at any moment bring it to the same end, and tell no line twice', async () => {
    const service = setUp().good();
    const { observation, lines, record } = await act(service, 'DEPLOY', undefined, true);
    expect(observation).toMatchObject({ outcome: 'succeeded' });
    const told = lines.map(({ at, pod, message }) => `${at} ${pod} ${message}`);
    expect(new Set(told).size).toBe(told.length);
    await act(service, 'DELETE', record);
  });

  test('a job runs once, even if processes take over at any moment', async () => {
    const { job, jobSays } = setUp();
    const { observation, lines, record } = await act(job(), 'DEPLOY', undefined, true);
    expect(observation).toMatchObject({ outcome: 'succeeded' });
    expect(lines.filter(({ message }) => message.endsWith(jobSays))).toHaveLength(1);
    const service = job();
    for (const action of ['STOP', 'DELETE'] as const)
      expect((await act(service, action, record)).observation).toMatchObject({ outcome: 'succeeded' });
  });

  test('a look tells what runs of what was deployed', async () => {
    const { create, good, now } = setUp();
    const service = good();
    const { record, deploymentId } = await act(service, 'DEPLOY');
    const version = { deploymentId, service, ...(record !== undefined && { record }), runningSince: now() };
    expect(await create().observeRunning([version], signal)).toEqual([
      { serviceId: service.id, wanted: 1, running: 1, ends: [], changes: [] },
    ]);
    expect(await create().observeRunning([], signal)).toEqual([]);
    await act(service, 'DELETE', record);
  });

  test('a worker that was away undoes nothing of what was done meanwhile', async () => {
    const { create, good, inputs, now } = setUp();
    const service = good();
    const late = taskOf(service, systemRandom.uuid(), 'STOP', statePathOf(service.kind, 'STOP').phases[0], {});
    const { record, deploymentId } = await act(service, 'DEPLOY');
    const tasks = [late, { ...late, action: 'DELETE' as const, phase: statePathOf(service.kind, 'DELETE').phases[0] }];
    for (const task of tasks)
      await create()
        .begin(task, { inputs, confirm, signal })
        .catch((error: unknown) => expect(String(error)).toContain('A later deployment'));
    const version = { deploymentId, service, ...(record !== undefined && { record }), runningSince: now() };
    expect(await create().observeRunning([version], signal)).toMatchObject([{ wanted: 1, running: 1, changes: [] }]);
    await act(service, 'DELETE', record);
  });

  test('one that does not get up fails with a reason that is in its log', async () => {
    const service = setUp().bad();
    const { observation, lines } = await act(service, 'DEPLOY');
    expect(observation.outcome).toBe('failed');
    expect(lines.map(({ message }) => message).join('\n')).toContain(
      (observation as { why: { message: string } }).why.message,
    );
    await act(service, 'DELETE');
  });

  test('what is not there can be stopped, removed and abandoned', async () => {
    const service = setUp().good();
    for (const action of ['STOP', 'DELETE'] as const)
      expect((await act(service, action)).observation).toMatchObject({ outcome: 'succeeded' });
    const runtime = setUp().create();
    for (const operation of ['pull', 'rollOut', 'route'] as const) {
      await runtime.abandon(taskOf(service, systemRandom.uuid(), 'DEPLOY', phaseOf(operation), {}), signal);
    }
  });

  test('an abandoned rollout leaves the version that runs, with its log', async () => {
    const { create, inputs, good, now } = setUp();
    const service = good();
    const { record, deploymentId } = await act(service, 'DEPLOY');
    const task = taskOf(service, systemRandom.uuid(), 'DEPLOY', phaseOf('rollOut'), {
      ...(record !== undefined && { record, runningRecord: record }),
    });
    await create().begin(task, { inputs, confirm, signal });
    await create().abandon(task, signal);
    const lines = await create().logs(
      { deploymentId, service, ...(record !== undefined && { record }), runningSince: now() - 3_600_000 },
      100,
      signal,
    );
    expect(lines).not.toEqual([]);
    expect((await act(service, 'RESTART', record)).observation).toMatchObject({ outcome: 'succeeded' });
    await act(service, 'DELETE', record);
  });

  test('it says where a service is reached, the same each time, and looks after what services share', async () => {
    const { create, good } = setUp();
    const service = good();
    const { record } = await act(service, 'DEPLOY');
    const addresses = create().addressesOf(service, record);
    expect(create().addressesOf(service, record)).toEqual(addresses);
    for (const { url } of addresses) expect(URL.canParse(url)).toBe(true);
    for (const reconcile of [create(), create()].flatMap((runtime) => runtime.reconcile ?? [])) await reconcile(signal);
    await act(service, 'DELETE', record);
  });

  test('it accepts what it can run, and pauses as long for the same seed', () => {
    const runtime = setUp().create();
    expect(runtime.refusalOf(setUp().good())).toBeUndefined();
    for (const pause of ['queueing', 'canceling', 'upgradeQueueing', 'upgrading'] as const) {
      expect(runtime.pauseBefore(pause, 'seed')).toBe(runtime.pauseBefore(pause, 'seed'));
      expect(runtime.pauseBefore(pause, 'seed')).toBeGreaterThanOrEqual(0);
    }
  });
}
