import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanEnvironment } from '../support/started-program.ts';
import { isLanding } from '../suites.ts';
import { expectCarriedOutOnce, prepareExamination, untilAllEnded } from './expectations.ts';
import { beyondLease } from './faults.ts';
import { createEnvironments } from './load.ts';
import { mustCall } from './platform-calls.ts';
import { type Fleet, type FleetHome, type FleetOptions, fleetToken, openFleetHome } from './platform-fleet.ts';
import { type Moment, type RecordedEngine, startRecordedEngine } from './recorded-engine.ts';

let home: FleetHome;
beforeAll(async () => {
  home = await openFleetHome();
});
afterAll(() => home.close());

const program = fileURLToPath(new URL('./recorded-platform.ts', import.meta.url));

/**
 * How processes are started whose services run on an engine of the tests.
 * @param ahead how far their clocks are wrong, in milliseconds
 */
const onEngine =
  ({ url }: RecordedEngine, ahead: readonly number[] = []): FleetOptions['programOf'] =>
  (place, databaseUrl, keysDir) => ({
    command: [process.execPath, '--import', import.meta.resolve('tsx'), program],
    env: cleanEnvironment({
      PLACE: String(place),
      DATA_DIR: join(keysDir, `data-${place}`),
      KEYS_DIR: keysDir,
      DATABASE_URL: databaseUrl,
      ENGINE_URL: url,
      TOKEN: fleetToken,
      AHEAD: String(ahead[place] ?? 0),
    }),
  });

/** All rows that tell of a deployment, but those that change with time alone. */
const courseOf = ({ rows }: Fleet, deploymentId: string) =>
  rows(
    `
  select to_jsonb(deployment) as row from deployment where id = $1
  union all select to_jsonb(part) from deployment_service part where deployment_id = $1
  union all select to_jsonb(step) from deployment_step step where deployment_id = $1
  union all select to_jsonb(event) from deployment_event event where deployment_id = $1
  union all select to_jsonb(line) from log_line line where deployment_id = $1
  union all select to_jsonb(service) from service where last_deployment_id = $1
  union all select to_jsonb(event) from audit_event event where change ->> 'deployment_id' = $1`,
    [deploymentId],
  );

/** Whether each effect was made once for each token, by tokens that only grow. */
const expectEffectsInOrder = ({ calls }: RecordedEngine): void => {
  const effects = calls.filter(({ moment, isRefused }) => moment === 'applied' && !isRefused);
  for (const own of Map.groupBy(effects, ({ serviceId }) => serviceId).values())
    expect(own.map(({ token }) => token)).toEqual(own.map(({ token }) => token).toSorted((one, other) => one - other));
  expect(
    new Set(effects.map(({ deploymentId, serviceId, step, token }) => `${deploymentId} ${serviceId} ${step} ${token}`))
      .size,
  ).toBe(effects.length);
};

/** Moments at which a process is stopped, what follows, and whether the engine refuses it something. */
type Stop = readonly [Moment, string, boolean];
const beforeFence: Stop = ['prepared', 'asks whether the deployment is still its own, and does nothing', false];
const atFence: Stop = ['confirmed', 'is refused its effect by the engine, whose fencing token is greater', true];
const afterEffect: Stop = ['applied', 'has made its effect, and writes nothing of it', false];
const stops = isLanding ? [atFence] : [beforeFence, atFence, afterEffect];

describe('a process that is stopped until its lease is gone, and then goes on', () => {
  test.each(stops)('%s: it %s', async (moment, _, isRefusedHere) => {
    const engine = await startRecordedEngine();
    const fleet = await home.startFleet({ programOf: onEngine(engine) });
    await prepareExamination(fleet);
    const [environment] = await createEnvironments(fleet, 1);
    const held = engine.holdNext((call) => call.moment === moment);
    const accepted = await mustCall(fleet.platforms[0]!.url, 'deploy_environment', { environment_id: environment!.id });
    const { deploymentId, place, token, answer } = await held;
    expect(deploymentId).toBe(accepted['deployment_request_id']);
    // The effect came, and its answer travels while the process is stopped.
    if (moment === 'applied') answer();
    const stopped = fleet.platforms[place]!;
    stopped.signal('SIGSTOP');
    await untilAllEnded(fleet);
    const others = engine.calls.filter((call) => call.deploymentId === deploymentId && call.place !== place);
    expect(others.length).toBeGreaterThan(0);
    expect(Math.min(...others.map((call) => call.token))).toBeGreaterThan(token);
    const course = await courseOf(fleet, deploymentId);

    if (moment !== 'applied') answer();
    stopped.signal('SIGCONT');
    // It works again: it takes deployments of its own, after what it was in the middle of.
    let worksAgain = false;
    while (!worksAgain) {
      const next = await mustCall(stopped.url, 'deploy_environment', { environment_id: environment!.id });
      await untilAllEnded(fleet);
      worksAgain = engine.calls.some(
        (call) => call.deploymentId === next['deployment_request_id'] && call.place === place,
      );
      if (!worksAgain) await setTimeout(100);
    }
    // On a slow machine others may lose their lease as well, and be refused with a later token.
    const refused = engine.calls.filter((call) => call.isRefused && call.token === token);
    expect(new Set(refused.map((call) => call.place))).toEqual(new Set(isRefusedHere ? [place] : []));
    const lastEffect = engine.calls.findLastIndex(
      (call) => call.deploymentId === deploymentId && call.moment === 'applied' && !call.isRefused,
    );
    expect(engine.calls[lastEffect]!.place).not.toBe(place);
    expect(
      (await courseOf(fleet, deploymentId))
        .filter((row) => !course.some((before) => JSON.stringify(before) === JSON.stringify(row)))
        .map(({ row }) => row),
    ).toEqual([]);
    expectEffectsInOrder(engine);
    await expectCarriedOutOnce(fleet);
    // However often it was claimed: never again by the one that was stopped.
    const claims = await fleet.rows<{ owner: string }>(
      'select owner from noted_claim where deployment_id = $1 order by seq',
      [deploymentId],
    );
    expect(claims.slice(1).map(({ owner }) => owner)).not.toContain(claims[0]!.owner);
    expect(claims.length).toBeGreaterThan(1);
  });
});

/**
 * Notes every worker whose lease others took for expired while it was good for another second by the clock of the
 * database. On a slow machine a worker may lose its lease rightly.
 */
const noteTakenLeases = `
  create table noted_taken_lease (owner text not null, left_ms bigint not null);
  create function note_taken_lease() returns trigger language plpgsql as $$
    begin
      insert into noted_taken_lease values (old.id, old.lease_until_ms - extract(epoch from clock_timestamp()) * 1000);
      return null;
    end $$;
  create trigger note_taken_lease after delete on worker for each row when (old.lease_until_ms > extract(epoch from clock_timestamp()) * 1000 + 1000) execute function note_taken_lease()`;

describe('clocks that are wrong', () => {
  test('by two minutes, ahead, behind, and one that jumps, take nothing from anybody and date nothing wrong', async () => {
    const engine = await startRecordedEngine();
    const fleet = await home.startFleet({ programOf: onEngine(engine, [120_000, -120_000, 0]) });
    await prepareExamination(fleet);
    await fleet.rows(noteTakenLeases);
    const environments = await createEnvironments(fleet, 6);
    // Steps that take longer than leases, so that they have to be renewed, and would be taken over if anybody took them
    // for expired.
    const held = environments.map(({ containerId }) =>
      engine.holdNext((call) => call.serviceId === containerId && call.moment === 'confirmed'),
    );
    await Promise.all(
      environments.map(({ id }, index) =>
        mustCall(fleet.platforms[index % 3]!.url, 'deploy_environment', { environment_id: id }),
      ),
    );
    const waiting = await Promise.all(held);
    fleet.platforms[2]!.signal('SIGUSR2');
    await setTimeout(beyondLease);
    for (const { answer } of waiting) answer();
    await untilAllEnded(fleet);
    expect(new Set(waiting.map(({ place }) => place)).size).toBeGreaterThan(1);
    expect(await fleet.rows('select * from noted_taken_lease')).toEqual([]);
    expect(
      await fleet.rows(`select id from deployment where created_at > now() - interval '1 hour' and (created_at > now() or ended_at > now() or ended_at < created_at)
      union all select deployment_id from deployment_event where created_at > now()`),
    ).toEqual([]);
    expectEffectsInOrder(engine);
    await expectCarriedOutOnce(fleet);
  });
});
