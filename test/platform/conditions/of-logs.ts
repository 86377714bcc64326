import { onTestFinished } from 'vitest';
import type { Condition } from '../../../src/contract/index.ts';
import { runToEnd } from '../../../src/platform/runtime/docker/jobs/job-run.ts';
import { newLines, runningLines } from '../../../src/platform/runtime/docker/observation/instance-logs.ts';
import {
  type RuntimeCall,
  RuntimeProblem,
  type Task,
  runtimesOf,
  simulatedRuntimeName,
} from '../../../src/platform/runtime/index.ts';
import { addEnvironment, openEngineFixture } from '../engine/engine-fixture.ts';
import {
  contextWith,
  ended,
  fails,
  frame,
  instance,
  labels,
  node,
  service,
  signal,
  since,
  version,
} from './fake-swarm.ts';
import { type MadeCondition, read, shown } from './made-condition.ts';

/** What the first of these lines of an instance says. */
async function logged(text: string, times = 1): Promise<Condition | undefined> {
  const context = await contextWith({
    '/nodes': [],
    '/services': Buffer.concat(Array.from({ length: times }, () => frame(text))),
  });
  const task = { service, beganAt: since } as unknown as Task;
  return (await newLines(context, task, [instance()], {}, signal)).lines[0]?.condition;
}

/** What is said of the log of an instance that runs. @param state of its node */
const running = async (state: string): Promise<Condition | undefined> => {
  const Status = { State: 'running', Timestamp: '', ContainerStatus: { ContainerID: 'c1' } };
  const context = await contextWith({
    '/logs': fails(500, 'the agent is gone'),
    '/tasks': [instance({ Status })],
    '/nodes': [node('b', state)],
  });
  return (await runningLines(context, version, 10, signal)).at(-1)?.condition;
};

/** What the log of a service says that runs on a cluster which does not answer. */
async function unread(): Promise<Condition | undefined> {
  const fixture = await openEngineFixture();
  onTestFinished(() => fixture.close());
  const { environmentId, ids } = await addEnvironment(fixture.db, 'one', { web: { kind: 'container' } });
  await fixture.order({ environmentId, serviceIds: [ids['web']!] });
  await fixture.settled();
  const runtime = { ...fixture.runtime, logs: () => Promise.reject(new RuntimeProblem('nothing listens.')) };
  const engine = fixture.anotherEngine({ runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }) });
  return (await engine.logs(fixture.db, ids['web']!)).results.at(-1)?.condition;
}

const job = {
  deploymentId: 'd',
  beganAt: since,
  service: { ...service, kind: 'job', spec: { max_nb_restart: 0, max_duration_seconds: 3000, source: {} } },
} as unknown as Task;

/** What is said of a run that has ended long ago, and whose log is not here. */
async function withoutEnd(): Promise<Condition | undefined> {
  const context = await contextWith({
    '/logs': fails(500, 'the agent is gone'),
    '/tasks': [ended('complete')],
    '/nodes': [node('b', 'ready')],
    '/services': { ID: 's', Version: { Index: 1 }, Spec: { Labels: labels, TaskTemplate: {} } },
  });
  const progress = { told: { task1: 'complete' }, reported: {}, read: [], since, end: { at: since, isTold: false } };
  return (await runToEnd.observe(context, job, JSON.stringify(progress), { signal } as RuntimeCall)).lines.at(-1)
    ?.condition;
}

/** What logs say for themselves. */
export const ofLogs: readonly MadeCondition[] = [
  read('PROGRAM_NOT_STARTED', 'log', 'app_crashed', () => logged('infra-entrypoint: serve was not found')),
  shown('LINES_LEFT_OUT', 'log', () => logged('again', 1001)),
  shown('LOG_INCOMPLETE', 'log', () => running('ready')),
  shown('LOG_ON_LOST_NODE', 'log', () => running('down')),
  shown('LOG_UNREADABLE', 'log', unread),
  shown('LOG_END_UNREADABLE', 'log', withoutEnd),
];
