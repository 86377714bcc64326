import { onTestFinished } from 'vitest';
import {
  condition,
  type Condition,
  readCondition,
  type Reason,
  type ServiceKind,
} from '../../../src/contract/index.ts';
import { backupNotes } from '../../../src/platform/engine/backups/backup-notes.ts';
import type { EngineContext } from '../../../src/platform/engine/index.ts';
import { startScheduledRun } from '../../../src/platform/engine/job-runs.ts';
import { observeWork } from '../../../src/platform/runtime/docker/observe-work.ts';
import { clusterMachines } from '../../../src/platform/engine/cluster-nodes.ts';
import {
  type ClusterNode,
  ConditionError,
  type Runtime,
  type Task,
  RuntimeUnreachable,
  runtimesOf,
  simulatedRuntimeName,
} from '../../../src/platform/runtime/index.ts';
import { silentLog, type PlatformClock } from '../../../src/platform/common/index.ts';
import { createSimulatedRuntime } from '../../../src/platform/runtime/simulated/index.ts';
import { eventually } from '../../support/eventually.ts';
import {
  addEnvironment,
  clusterId,
  type EngineFixture,
  manualClock,
  openEngineFixture,
  specs,
} from '../engine/engine-fixture.ts';
import { contextWith, signal, since, version } from './fake-swarm.ts';
import { type MadeCondition, read, shown } from './made-condition.ts';

/** What a runtime does otherwise than the simulated one. */
type Otherwise = (clock: PlatformClock) => Partial<Runtime>;

/** An engine at work with such a runtime. */
async function withRuntime(otherwise: Otherwise, clock: PlatformClock): Promise<EngineFixture> {
  const runtime = { ...createSimulatedRuntime({ clock, timeScale: 0 }), ...otherwise(clock) };
  const runtimes = runtimesOf({ [simulatedRuntimeName]: runtime });
  const fixture = await openEngineFixture({ clock, engine: { runtimes } });
  onTestFinished(() => fixture.close());
  return fixture;
}

/** The newest condition with this reason that a log tells, once there is one. */
const told = ({ db }: EngineFixture, reason: Reason): Promise<Condition> =>
  eventually(async () => {
    const rows = await db.selectFrom('log_line').select('condition').orderBy('seq').execute();
    const found = rows
      .flatMap(({ condition: stored }) => (stored === null ? [] : [readCondition(stored)]))
      .findLast((each) => each.reason === reason);
    if (found === undefined) throw new Error(`No log tells of ${reason}.`);
    return found;
  });

/** What the log tells of the deployment of services of these kinds. */
async function deployed(reason: Reason, otherwise: Otherwise, ...kinds: readonly ServiceKind[]): Promise<Condition> {
  const clock = manualClock();
  const fixture = await withRuntime(otherwise, clock);
  const services = Object.fromEntries(kinds.map((kind) => [kind, { kind }]));
  const { environmentId, ids } = await addEnvironment(fixture.db, 'one', services);
  await fixture.order({ environmentId, serviceIds: Object.values(ids) });
  await fixture.settled(clock);
  return told(fixture, reason);
}

const failing: Otherwise = () => ({
  observe: async () => ({ outcome: 'failed', why: condition('CANCELED', {}), lines: [], cursor: '' }),
});
const withoutEnd: Otherwise = (clock) => ({
  observe: async () => ({ outcome: 'ongoing', nextPollAt: clock.now() + 600_000, lines: [], cursor: '' }),
});

async function canceled(reason: Reason = 'CANCELED', more: Partial<Runtime> = {}): Promise<Condition> {
  const clock = manualClock();
  const fixture = await withRuntime((now) => ({ ...withoutEnd(now), ...more }), clock);
  const { environmentId, ids } = await addEnvironment(fixture.db, 'one', { web: { kind: 'container' } });
  await fixture.order({ environmentId, serviceIds: Object.values(ids) });
  await eventually(async () => {
    const { phase } = await fixture.db.selectFrom('deployment_service').select('phase').executeTakeFirstOrThrow();
    if (phase === null) throw new Error('It has not begun.');
  });
  await fixture.db.write((trx) => fixture.engine.cancel(trx, environmentId));
  fixture.engine.wake();
  await fixture.settled(clock);
  return told(fixture, reason);
}

/** What the log of a service tells when its cluster could not be looked at for a while, and can be again. */
async function reachedAgain(): Promise<Condition> {
  let looks = 0;
  const observeRunning: Runtime['observeRunning'] = async () => {
    looks += 1;
    if (looks < 4) throw new RuntimeUnreachable('nothing listens');
    return [];
  };
  const fixture = await withRuntime(() => ({ observationInterval: 1, observeRunning }), { now: Date.now });
  const { environmentId, ids } = await addEnvironment(fixture.db, 'one', { web: { kind: 'container' } });
  await fixture.order({ environmentId, serviceIds: Object.values(ids) });
  await fixture.settled();
  // From now on.
  looks = 0;
  return told(fixture, 'CLUSTER_REACHABLE');
}

/** What is told of a cluster with these machines. */
async function ofCluster(nodes: NonNullable<Runtime['nodes']>): Promise<Condition | undefined> {
  const fixture = await openEngineFixture({ started: false });
  onTestFinished(() => fixture.close());
  const runtimes = runtimesOf({ [simulatedRuntimeName]: { ...fixture.runtime, nodes } });
  const clock = { now: () => since };
  const cluster = { id: clusterId, runtime: simulatedRuntimeName };
  return (await clusterMachines({ db: fixture.db, clock, runtimes }, cluster, signal)).conditions?.[0];
}

const machine = { id: 'a', name: 'node-a', state: 'READY', availability: 'ACTIVE', changedAt: since };
const withMachine = (more: Partial<ClusterNode>): Promise<Condition | undefined> =>
  ofCluster(async () => [{ ...machine, boundServiceIds: [], labels: {}, ...more } as unknown as ClusterNode]);

/** What is told of a database that waits for its node. */
async function stranded(): Promise<readonly Condition[]> {
  const fixture = await openEngineFixture({ started: false });
  onTestFinished(() => fixture.close());
  await addEnvironment(fixture.db, 'one', { shop: { kind: 'database' } });
  const service = await fixture.db.selectFrom('service').selectAll().executeTakeFirstOrThrow();
  const problem = condition('WAITING_FOR_NODE', { node: 'node-b', since: new Date(since).toISOString() });
  const facts = { seen: { wanted: 1, running: 0 }, restarts: 0, changes: [], problem };
  const notes = await backupNotes(
    fixture.db,
    [{ ...service, deployed_state: 'DEPLOYED' }],
    new Map([[service.id, facts]]),
  );
  return [problem, ...notes.values()];
}

/** What the log of a job tells of a run that is due then, in milliseconds before now; another one is under way. */
async function due(before: number): Promise<Condition> {
  const fixture = await openEngineFixture({ started: false });
  onTestFinished(() => fixture.close());
  const { environmentId, ids } = await addEnvironment(fixture.db, 'one', { job: { kind: 'job' } });
  await fixture.order({ environmentId, serviceIds: [ids['job']!] });
  const spec = JSON.stringify(specs['job']);
  await fixture.db.updateTable('service').set({ deployed_spec: spec }).execute();
  await fixture.db.updateTable('deployment_service').set({ phase: 0 }).execute();
  const context = { db: fixture.db, log: silentLog } as unknown as EngineContext;
  await fixture.db.write((trx) => startScheduledRun(context)(trx, ids['job']!, since, since - before));
  return told(fixture, before === 0 ? 'RUN_SKIPPED' : 'RUNS_MISSED');
}

const denied = condition('PULL_DENIED', { image: 'acme/web:1', registry: 'registry.example.test' });

/** What the platform itself says, whatever the runtime is. */
export const ofEngine: readonly MadeCondition[] = [
  shown('CANCELED', 'log', () => canceled()),
  shown('MAY_GO_ON', 'log', () =>
    canceled('MAY_GO_ON', { abandon: () => Promise.reject(new RuntimeUnreachable('nothing listens')) }),
  ),
  shown('NOT_BEGUN', 'log', () => deployed('NOT_BEGUN', failing, 'database', 'container')),
  shown('STEP_OVERDUE', 'log', () => deployed('STEP_OVERDUE', withoutEnd, 'container')),
  read('RUNTIME_FAILED', 'log', 'image_pull_denied', () =>
    deployed('RUNTIME_FAILED', () => ({ begin: () => Promise.reject(new ConditionError(denied)) }), 'container'),
  ),
  shown('SCHEDULE_NOT_BEGUN', 'log', () => deployed('SCHEDULE_NOT_BEGUN', failing, 'job')),
  shown('RUN_SKIPPED', 'log', () => due(0)),
  shown('RUNS_MISSED', 'log', () => due(3_600_000)),
  shown('PHASE_FAILED', 'log', async () => {
    const { docker: _, ...context } = await contextWith({});
    context.work.begin('a', () => Promise.reject(new Error('it is broken')));
    const phase = { key: 'a', pod: 'a', begin: async () => undefined, onSuccess: () => ({}) };
    const task = { service: version.service } as unknown as Task;
    return eventually(async () => {
      const { outcome, lines } = await observeWork(context, task, null, phase);
      if (outcome !== 'failed') throw new Error(`It is ${outcome}.`);
      return lines.at(-1)!.condition!;
    });
  }),
  shown('CLUSTER_REACHABLE', 'log', reachedAgain),
  shown('NODE_DOWN', 'answer', () => withMachine({ state: 'DOWN' })),
  shown('NODE_NOT_ANSWERING', 'answer', () => withMachine({ state: 'UNKNOWN' })),
  shown('NODE_DRAINED', 'answer', () => withMachine({ takes: 'none' })),
  shown('NODE_PAUSED', 'answer', () => withMachine({ takes: 'its own' })),
  shown('NODES_UNREADABLE', 'answer', () => ofCluster(() => Promise.reject(new Error('nothing listens.')))),
  read('DATA_ON_NODE', 'status', 'database_node_lost', stranded, { kind: 'database' }),
  shown('OTHER', 'log', () => readCondition('What an earlier program stored.')),
];
