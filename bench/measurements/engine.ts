import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { terminalOutcome } from '../../src/contract/index.ts';
import { addEnvironment, openEngineFixture } from '../../test/platform/engine/engine-fixture.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { heapUsed, withHeapProbe } from '../process-memory.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import type { BundledProgram } from '../program.ts';
import { type PlatformProcess, startPlatformProcess } from '../server-processes.ts';
import { connectDirect, type DirectClient } from '../clients/direct-client.ts';

const environments = 200;
const ordersEach = 10;
const commits = 2000;
const reads = 1000;

/** Durable single-row transactions of SQLite per second: the basis of the engine's steps. */
async function bareCommits(directory: string, times: number): Promise<Figure> {
  const database = new DatabaseSync(join(directory, 'commits.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE row (text TEXT)');
  const insert = database.prepare('INSERT INTO row VALUES (?)');
  const { perSecond } = await load(times, 1, async () => insert.run('x'.repeat(200)));
  database.close();
  return { name: 'bare commits of SQLite', value: perSecond, unit: 'per s' };
}

/** Submits deployments while the engine is stopped, then runs them without simulated waits. */
async function throughput(times: BenchContext['repetitions']): Promise<Figure[]> {
  const fixture = await openEngineFixture({ started: false });
  const environmentFixtures: Awaited<ReturnType<typeof addEnvironment>>[] = [];
  for (let count = 0; count < times(environments); count += 1)
    environmentFixtures.push(await addEnvironment(fixture.db, `bench ${count}`, { app: { kind: 'application' } }));
  const orders = environmentFixtures.length * ordersEach;
  let order = 0;
  const submits = await load(orders, 1, () => {
    const { environmentId, ids } = environmentFixtures[(order += 1) % environmentFixtures.length]!;
    return fixture.order({ environmentId, serviceIds: Object.values(ids) });
  });
  const startedAt = performance.now();
  await fixture.engine.start();
  await fixture.settled();
  const seconds = (performance.now() - startedAt) / 1000;
  const { states } = await fixture.db
    .selectFrom('deployment_event')
    .select(({ fn }) => fn.countAll<number>().as('states'))
    .executeTakeFirstOrThrow();
  await fixture.close();
  return [
    { name: 'submits', value: submits.perSecond, unit: 'per s' },
    { name: 'transitions', value: states / seconds, unit: 'per s' },
    { name: 'deployments', value: orders / seconds, unit: 'per s' },
  ];
}

/** Creates environments with one application each, through the API. @returns the ids of the applications. */
async function applications(
  direct: DirectClient,
  { project_id, cluster_id }: PlatformProcess['ids'],
  count: number,
): Promise<string[]> {
  const git_repository = { url: 'https://git.example.com/acme/shop.git', branch: 'main' };
  return Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const { id } = await direct.call('create_environment', {
        project_id,
        cluster_id,
        name: `bench ${number}`,
        mode: 'STAGING',
      });
      return (
        await direct.call('create_application', {
          environment_id: id,
          name: 'app',
          git_repository,
          build_mode: 'DOCKER',
        })
      )['id'] as string;
    }),
  );
}

/** Whether a deployment of an application is running. */
async function isRunning(direct: DirectClient, application_id: string): Promise<boolean> {
  const { state } = await direct.call('get_application_status', { application_id });
  return state !== 'READY' && terminalOutcome('DEPLOY', state as string) === undefined;
}

/** Latency of a read on an idle platform, and while 200 deployments run at a time scale of 0.1. */
async function latency(program: BundledProgram, times: BenchContext['repetitions']): Promise<Figure[]> {
  const platform = await startPlatformProcess(program, await program.directory('platform'), 0.1);
  const direct = connectDirect(platform.url, platform.token, 8);
  const ids = await applications(direct, platform.ids, times(environments));
  let turn = 0;
  const read = () => direct.call('get_application_status', { application_id: ids[(turn += 1) % ids.length] });
  const idle = await load(times(reads), 1, read);
  await Promise.all(ids.map((application_id) => direct.call('deploy_application', { application_id })));
  const busy = await load(times(reads), 1, read);
  const running = (await Promise.all(ids.map((id) => isRunning(direct, id)))).filter(Boolean).length;
  await direct.close();
  await platform.close();
  const [idleMedian, idleP99]: Figure[] = [
    { name: 'read, idle: median', value: idle.median, unit: 'ms' },
    { name: 'read, idle: p99', value: idle.p99, unit: 'ms' },
  ];
  return [
    idleMedian!,
    relativeTo(idleMedian!, { name: 'read, while 200 deployments run: median', value: busy.median, unit: 'ms' }),
    idleP99!,
    relativeTo(idleP99!, { name: 'read, while 200 deployments run: p99', value: busy.p99, unit: 'ms' }),
    { name: 'deployments still running after the last read', value: (running / ids.length) * 100, unit: '%' },
  ];
}

/** The platform's heap after some traffic, and after ten times as much. */
async function memory(program: BundledProgram, times: BenchContext['repetitions']): Promise<Figure[]> {
  const platform = await startPlatformProcess(withHeapProbe(program), await program.directory('platform'));
  const direct = connectDirect(platform.url, platform.token, 8);
  const ids = await applications(direct, platform.ids, 20);
  let turn = 0;
  const traffic = async (): Promise<void> => {
    const application_id = ids[(turn += 1) % ids.length];
    await direct.call('deploy_application', { application_id });
    for (let count = 0; count < 5; count += 1) await direct.call('get_application_status', { application_id });
    await direct.call('get_application_logs', { application_id });
  };
  const settled = async (): Promise<number> => {
    while ((await Promise.all(ids.map((id) => isRunning(direct, id)))).some(Boolean)) await pause(50);
    return heapUsed(platform.child);
  };
  const some = times(300);
  await load(some, 8, traffic);
  const early: Figure = { name: `platform's heap after ${some} deployments`, value: await settled(), unit: 'MB' };
  await load(some * 9, 8, traffic);
  const late: Figure = { name: `platform's heap after ${some * 10} deployments`, value: await settled(), unit: 'MB' };
  await direct.close();
  await platform.close();
  return [early, relativeTo(early, late)];
}

async function measure({ program: build, repetitions: times }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const reference = await bareCommits(await program.directory('commits'), times(commits));
  const rates = (await throughput(times)).map((figure) => relativeTo(reference, figure));
  return [reference, ...rates, ...(await latency(program, times)), ...(await memory(program, times))];
}

export const engine: Measurement = {
  name: 'engine',
  about: 'Deployments: rate of submission and completion, their effect on reads, and memory after many of them.',
  measure,
};
