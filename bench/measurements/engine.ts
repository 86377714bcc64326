import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { addEnvironment, openEngineFixture } from '../../test/platform/engine/engine-fixture.ts';
import { createApplications, isUnderWay } from '../applications.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { heapUsed, withProbe } from '../probe.ts';
import type { BundledProgram } from '../program.ts';
import { startPlatformProcess } from '../server-processes.ts';
import { type Summary, summarise } from '../statistics.ts';
import { connectDirect } from '../clients/direct-client.ts';

const environments = 200;
const ordersEach = 10;
const commits = 2000;
const reads = 2000;
/** Milliseconds between the reads whose latency is measured. */
const betweenReads = 3;

/** The durations of a task that is repeated with pauses, in milliseconds. */
async function timed(count: number, milliseconds: number, task: () => Promise<unknown>): Promise<Summary> {
  const durations: number[] = [];
  while (durations.length < count) {
    const began = performance.now();
    await task();
    durations.push(performance.now() - began);
    if (milliseconds > 0) await pause(milliseconds);
  }
  return summarise(durations);
}

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

/**
 * Latency of a read at rest, and while 200 deployments run that last as long as real ones. There is a pause after each
 * read, so that they see all of a deployment.
 */
async function latency(program: BundledProgram, times: BenchContext['repetitions']): Promise<Figure[]> {
  const platform = await startPlatformProcess(program, await program.directory('platform'), 1);
  const direct = connectDirect(platform.url, platform.token, 8);
  const applications = await createApplications(direct, platform.ids, times(environments));
  let turn = 0;
  const readAll = (count: number, milliseconds: number) =>
    timed(count, milliseconds, () =>
      direct.call('get_application_status', {
        application_id: applications[(turn += 1) % applications.length]!.application_id,
      }),
    );
  await readAll(times(reads), 0);
  const rest = await readAll(times(reads), betweenReads);
  await Promise.all(applications.map(({ application_id }) => direct.call('deploy_application', { application_id })));
  const busy = await readAll(times(reads), betweenReads);
  const running = (await Promise.all(applications.map((one) => isUnderWay(direct, one)))).filter(Boolean).length;
  await direct.close();
  await platform.close();
  const [restMedian, restP99]: Figure[] = [
    { name: 'read, at rest: median', value: rest.median, unit: 'ms' },
    { name: 'read, at rest: p99', value: rest.p99, unit: 'ms' },
  ];
  return [
    restMedian!,
    relativeTo(restMedian!, { name: 'read, with 200 deployments running: median', value: busy.median, unit: 'ms' }),
    restP99!,
    relativeTo(restP99!, { name: 'read, with 200 deployments running: p99', value: busy.p99, unit: 'ms' }),
    { name: 'deployments still running after the last read', value: (running / applications.length) * 100, unit: '%' },
  ];
}

/** The platform's heap after some traffic, and after ten times as much. */
async function memory(program: BundledProgram, times: BenchContext['repetitions']): Promise<Figure[]> {
  const platform = await startPlatformProcess(withProbe(program), await program.directory('platform'));
  const direct = connectDirect(platform.url, platform.token, 8);
  const applications = await createApplications(direct, platform.ids, 20);
  let turn = 0;
  const traffic = async (): Promise<void> => {
    const { application_id } = applications[(turn += 1) % applications.length]!;
    await direct.call('deploy_application', { application_id });
    for (let count = 0; count < 5; count += 1) await direct.call('get_application_status', { application_id });
    await direct.call('get_application_logs', { application_id });
  };
  const settled = async (): Promise<number> => {
    while ((await Promise.all(applications.map((one) => isUnderWay(direct, one)))).some(Boolean)) await pause(50);
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
