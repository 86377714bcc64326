import { performance } from 'node:perf_hooks';
import { addEnvironment, openWorld } from '../test/platform/engine/world.ts';

/**
 * How fast the engine is on this machine: orders accepted and states passed in a second, how long a read takes while
 * 200 deployments run, and what memory is left in use after them. Prints one JSON line.
 */
const environments = 200;
const ordersEach = 4;

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

const perSecond = (count: number, milliseconds: number): number => Math.round((count / milliseconds) * 1000);
const round = (milliseconds: number): number => Math.round(milliseconds * 100) / 100;

/** Orders accepted while nothing else runs, then carried out without their simulated waits. */
async function throughput() {
  const world = await openWorld({ started: false });
  const targets = [];
  for (let count = 0; count < environments; count += 1) targets.push(await addEnvironment(world.db, `bench ${count}`, { app: { kind: 'application' } }));
  const submitting = performance.now();
  for (let turn = 0; turn < ordersEach; turn += 1) {
    for (const { environmentId, ids } of targets) await world.order({ environmentId, serviceIds: Object.values(ids) });
  }
  const submitted = performance.now();
  await world.engine.start();
  await world.settled();
  const ended = performance.now();
  const { states } = await world.db.selectFrom('deployment_event').select(({ fn }) => fn.countAll<number>().as('states')).executeTakeFirstOrThrow();
  await world.close();
  return {
    submits_per_second: perSecond(environments * ordersEach, submitted - submitting),
    deployments_per_second: perSecond(environments * ordersEach, ended - submitted),
    transitions_per_second: perSecond(states, ended - submitted),
  };
}

/** Status reads while 200 deployments run at a tenth of their time. */
async function latency() {
  const world = await openWorld({ timeScale: 0.1 });
  const services: string[] = [];
  for (let count = 0; count < environments; count += 1) {
    const { environmentId, ids } = await addEnvironment(world.db, `bench ${count}`, { app: { kind: 'application' } });
    services.push(ids['app']!);
    await world.order({ environmentId, serviceIds: [ids['app']!] });
  }
  const took: number[] = [];
  const open = () => world.db.selectFrom('deployment').select('id').where('ended_at', 'is', null).limit(1).executeTakeFirst();
  for (let turn = 0; turn % 50 !== 0 || (await open()) !== undefined; turn += 1) {
    const began = performance.now();
    await world.engine.serviceStatus(world.db, services[turn % services.length]!);
    took.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await world.close();
  return { status_ms_median: round(percentile(took, 0.5)), status_ms_p99: round(percentile(took, 0.99)) };
}

const results = { ...(await throughput()), ...(await latency()), rss_mb: Math.round(process.memoryUsage().rss / 2 ** 20) };
process.stdout.write(`${JSON.stringify(results)}\n`);
