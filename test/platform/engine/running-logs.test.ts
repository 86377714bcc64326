import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { condition } from '../../../src/contract/index.ts';
import { withoutKnownLines } from '../../../src/platform/engine/stored-lines.ts';
import {
  runtimesOf,
  simulatedRuntimeName,
  type Runtime,
  type InstanceEnd,
  RuntimeProblem,
  RuntimeUnreachable,
  type RuntimeLogLine,
} from '../../../src/platform/runtime/index.ts';
import { addEnvironment, type EngineFixture, openEngineFixture } from './engine-fixture.ts';

const line = (at: number, message: string, pod = 'web-1-old'): RuntimeLogLine => ({ at, message, pod, version: '1' });

let fixture: EngineFixture;
let service: string;
let environmentId: string;
/** What the runtime does with the next rollout, what it still has of logs, and which instances ended. */
let rollOut: { readonly fails: boolean; readonly lines: readonly RuntimeLogLine[]; readonly goesOn?: boolean };
let logged: RuntimeLogLine[];
let ends: InstanceEnd[];
let askedFor: string[];
let unreadable: Error | undefined;

const runtime: Runtime = {
  refusalOf: () => undefined,
  begin: async () => undefined,
  abandon: async () => undefined,
  commits: async () => [],
  addressesOf: () => [],
  sweep: async () => ({ removed: [], left: [] }),
  upgradeFails: () => true,
  simulatedCondition: () => false,
  pauseBefore: () => 0,
  observationInterval: 20,
  observe: async ({ phase }) => {
    if (phase.operation !== 'rollOut') return { outcome: 'succeeded', lines: [], cursor: '' };
    if (rollOut.goesOn) return { outcome: 'ongoing', nextPollAt: Date.now() + 50, lines: [], cursor: '' };
    return {
      ...(rollOut.fails
        ? { outcome: 'failed', why: condition('PHASE_FAILED', { said: 'it does not start' }) }
        : { outcome: 'succeeded', record: '{}' }),
      lines: rollOut.lines,
      cursor: '',
    };
  },
  observeRunning: async (versions) =>
    versions.map(({ service: { id } }) => ({ serviceId: id, wanted: 1, running: 1, ends, changes: [] })),
  logs: async ({ deploymentId }, limit) => {
    askedFor.push(deploymentId);
    if (unreadable) throw unreadable;
    return logged.slice(-limit);
  },
};

beforeAll(async () => {
  [logged, ends, askedFor] = [[], [], []];
  fixture = await openEngineFixture({ engine: { runtimes: runtimesOf({ [simulatedRuntimeName]: runtime }) } });
  const added = await addEnvironment(fixture.db, 'staging', { web: { kind: 'container' } });
  [environmentId, service] = [added.environmentId, added.ids['web']!];
});
afterAll(() => fixture.close());

const deploy = async (): Promise<string> => {
  const id = await fixture.order({ environmentId, serviceIds: [service] });
  await fixture.settled();
  return id;
};
/** Begins a deployment that goes on until the runtime is told otherwise. */
const beginDeploying = async (): Promise<void> => {
  rollOut = { fails: false, goesOn: true, lines: [] };
  await fixture.order({ environmentId, serviceIds: [service] });
  await expect
    .poll(
      async () =>
        (
          await fixture.db
            .selectFrom('service')
            .select('deployed_state')
            .where('id', '=', service)
            .executeTakeFirstOrThrow()
        ).deployed_state,
    )
    .toBe('DEPLOYING');
};
const messages = async (tail?: number): Promise<string[]> =>
  (await fixture.engine.logs(fixture.db, service, tail)).results.map(({ message }) => message);

describe('the log of a service that really runs', () => {
  test('has the lines that were copied and those that the runtime still has, each once', async () => {
    logged = [line(1000, 'begins'), line(1000, 'begins'), line(2000, 'ready')];
    rollOut = { fails: false, lines: logged.slice(0, 2) };
    await deploy();
    expect(await messages()).toEqual(['begins', 'begins', 'ready']);
  });

  test('tells no line of an instance that ended a second time', async () => {
    const long = 'x'.repeat(5000);
    logged = [...logged, line(3000, long)];
    ends = [{ id: 'end', pod: 'web-1-old', at: 4000, why: condition('EXITED', { code: 1 }), lines: logged }];
    await expect
      .poll(() => messages())
      .toContain('Instance web-1-old failed: it ended with exit code 1. It is started again.');
    expect((await messages()).map((message) => message.slice(0, 8))).toEqual([
      'begins',
      'begins',
      'ready',
      'xxxxxxxx',
      'Instance',
    ]);
  });

  test('has what the version before says, after a deployment that failed, without losing why', async () => {
    const { id: serving } = await fixture.db
      .selectFrom('deployment')
      .select('id')
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow();
    rollOut = { fails: true, lines: [line(5000, 'no database', 'web-1-new')] };
    await deploy();
    logged = [...logged, ...Array.from({ length: 30 }, (_, index) => line(6000 + index, `request ${index}`))];
    askedFor = [];
    expect(await messages()).toEqual(expect.arrayContaining(['no database', 'request 0', 'request 29']));
    expect(askedFor).toEqual([serving]);
    // Half of the room is for what was stored.
    const newest = await messages(6);
    expect(newest).toContain('no database');
    expect(newest.slice(-3)).toEqual(['request 27', 'request 28', 'request 29']);
  });

  test('has what the version before says while the next one is deployed, marked by version, and nothing of the new one twice', async () => {
    const [{ id: serving }] = (await fixture.db
      .selectFrom('deployment')
      .select('id')
      .orderBy('seq')
      .limit(1)
      .execute()) as [{ id: string }];
    await beginDeploying();
    logged = [
      ...logged,
      line(7000, 'request during the deployment'),
      { ...line(7001, 'the new one begins', 'web-1-new'), version: '' },
    ];
    askedFor = [];
    const { results } = await fixture.engine.logs(fixture.db, service);
    expect(results.find(({ message }) => message === 'request during the deployment')).toMatchObject({
      version: '1',
      pod_name: 'web-1-old',
    });
    expect(results.map(({ message }) => message)).not.toContain('the new one begins');
    expect(askedFor).toEqual([serving]);
    rollOut = { fails: false, lines: [] };
    await fixture.settled();
  });

  test.each([
    new RuntimeUnreachable('the swarm has no leader at present.'),
    new RuntimeProblem('the swarm has no leader at present.'),
  ])('has the stored lines, and says why nothing else, while the runtime can not be asked: $name', async (error) => {
    await deploy();
    const before = await messages();
    unreadable = error;
    onTestFinished(() => void (unreadable = undefined));
    const told =
      'What the running instances log could not be read: the swarm has no leader at present. The lines here were stored before.';
    const read = await messages();
    expect(before).toEqual(expect.arrayContaining(read.slice(0, -1)));
    expect([read.length > 1, read.at(-1)]).toEqual([true, told]);
    // However few lines are asked for.
    expect(await messages(1)).toEqual([told]);
  });

  test('has nothing more of a version that was stopped, while the next one is deployed', async () => {
    await fixture.order({ environmentId, serviceIds: [service], action: 'STOP' });
    await fixture.settled();
    await beginDeploying();
    askedFor = [];
    expect(await messages()).not.toContain('request during the deployment');
    expect(askedFor).toEqual([]);
    rollOut = { fails: false, lines: [] };
    await fixture.settled();
  });
});

test('a line that was logged twice within a millisecond is left as often as it is not known', () => {
  const row = { created_at: '2026-01-01T00:00:00.000Z', pod_name: 'web-1', message: 'tick' };
  expect(withoutKnownLines([row, row, row], [row])).toHaveLength(2);
  expect(withoutKnownLines([row], [row, row])).toEqual([]);
  expect(withoutKnownLines([row], [{ ...row, pod_name: 'web-2' }])).toEqual([row]);
});
