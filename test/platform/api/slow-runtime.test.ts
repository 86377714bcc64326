import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Runtime } from '../../../src/platform/runtime/index.ts';
import { holdWrites } from '../../support/test-store.ts';
import { type TestPlatform, startTestPlatform } from '../../support/test-platform.ts';

/** A method of the runtime that is called, and answers when the test lets it. */
const held = () => {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    entered: entered.promise,
    release: released.resolve,
    pass: async () => {
      entered.resolve();
      await released.promise;
    },
  };
};

let logs: ReturnType<typeof held>;
let observation: ReturnType<typeof held>;
let platform: TestPlatform;
/** What happened, in order. */
let events: string[];

const slow = (simulated: Runtime): Runtime => ({
  ...simulated,
  logs: async (version, limit, signal) => {
    await logs.pass();
    return simulated.logs(version, limit, signal);
  },
  observe: async (task, cursor, call) => {
    await observation.pass();
    return simulated.observe(task, cursor, call);
  },
});

beforeEach(async () => {
  [logs, observation, events] = [held(), held(), []];
  platform = await startTestPlatform({ runtime: slow });
});
afterEach(async () => {
  logs.release();
  observation.release();
  await platform.close();
});

type Call = Parameters<TestPlatform['must']>;

/** Calls an operation that must be accepted, and notes when it is answered. */
const noted = async (...[name, input]: Call) => {
  const answer = await platform.must(name, input);
  events.push(name);
  return answer;
};

const service = () => ({ application_id: platform.seed['application_id'] });
const environment = () => ({ environment_id: platform.seed['environment_id'] });
const state = async () => (await platform.must('get_application_status', service()))['state'];

test('nobody waits for a log that the runtime is slow to give', async () => {
  const log = noted('get_application_logs', service());
  await logs.entered;
  await noted('list_projects', { organization_id: platform.organizationId });
  await noted('create_project', { organization_id: platform.organizationId, name: 'meanwhile' });
  logs.release();
  const { results } = await log;
  expect(events).toEqual(['list_projects', 'create_project', 'get_application_logs']);
  expect((results as unknown[]).length).toBeGreaterThan(0);
});

test('nobody waits for an observation, and what is decided meanwhile holds', async () => {
  await noted('deploy_application', service());
  await observation.entered;
  expect(await state()).toBe('BUILDING');
  await noted('create_project', { organization_id: platform.organizationId, name: 'meanwhile' });
  await noted('cancel_deployment', environment());
  expect(await state()).toBe('CANCELING');
  observation.release();
  await expect.poll(state, { interval: 10 }).toBe('CANCELED');
});

test('a read is answered while another connection holds the write lock, also the first with its token', async () => {
  const release = await holdWrites(platform.dataDir, platform.organizationId);
  const created = noted('create_project', { organization_id: platform.organizationId, name: 'waits' });
  // Long enough that the creation has come as far as the lock.
  await setTimeout(50);
  const read = await platform.call(
    'list_projects',
    { organization_id: platform.organizationId },
    { authorization: `Token ${platform.tokens.read}` },
  );
  events.push('list_projects');
  await release();
  await created;
  expect(read.status).toBe(200);
  expect(events).toEqual(['list_projects', 'create_project']);
});
