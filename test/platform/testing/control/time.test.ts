import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { postgresTests } from '../../../support/test-store.ts';
import { type Json, rowsOf } from '../../../support/test-platform.ts';
import {
  controlled,
  type ControlledPlatform,
  startTime,
  startControlledPlatform,
  startInstantPlatform,
} from './controlled-platform.ts';

let platform: ControlledPlatform;
/** When the test began. */
let began: number;

beforeAll(async () => {
  platform = await startControlledPlatform({ allowPrivateWebhookTargets: true, randomSeed: 'of the test' });
});
beforeEach(async () => {
  began = Date.parse(String((await time())['now']));
});
afterAll(() => platform.close());

const advance = (by: string) => platform.mustControl('POST', '/time/advance', { by });
const time = () => platform.mustControl('GET', '/time');
const after = (seconds: number) => new Date(began + seconds * 1000).toISOString();
const deploy = () => platform.must('deploy_application', { application_id: platform.seed['application_id'] });
const stateOf = async () =>
  (await platform.must('get_application_status', { application_id: platform.seed['application_id'] }))['state'];

test('time stands still until it is moved, and an advance answers when everything due is done', async () => {
  expect(await time()).toMatchObject({ now: startTime, stepped: true, time_scale: 1 });
  const { created_at: asked } = await deploy();
  expect(asked).toBe(startTime);
  await pause(50);
  expect(await stateOf()).toBe('DEPLOYMENT_QUEUED');
  // Queued at least half a second; then cloned and built for at least six.
  expect(await advance('PT0S')).toMatchObject({ now: startTime });
  expect(await stateOf()).toBe('DEPLOYMENT_QUEUED');
  const { next_due_at: due } = await time();
  expect(await platform.mustControl('POST', '/time/advance', { to: due })).toMatchObject({ now: due });
  expect(await stateOf()).toBe('BUILDING');
  await advance('PT5S');
  expect(await stateOf()).toBe('BUILDING');
  await advance('PT1H');
  expect(await stateOf()).toBe('RUNNING');
});

test('what is due on the way happens at its own time, not at the end', async () => {
  await deploy();
  await advance('P1D');
  const [latest] = rowsOf(
    await platform.must('list_application_deployments', { application_id: platform.seed['application_id'] }),
  );
  const { auditing_data: audit, total_duration: took } = latest as { auditing_data: Json; total_duration: string };
  expect(audit['created_at']).toBe(after(0));
  expect(String(audit['updated_at']) < after(60)).toBe(true);
  expect(took).toMatch(/^PT\d\dS$/);
  // A job that is scheduled runs all day long.
  const runs = rowsOf(await platform.must('list_job_deployments', { job_id: platform.seed['job_id'], page_size: 100 }));
  expect(runs.length).toBeGreaterThan(3);
});

test('an advance waits for webhooks to be delivered, and comes back for their retries', async () => {
  const answers = [500, 500, 200];
  const tries: string[] = [];
  const receiver = createServer((request, response) => {
    tries.push(String(request.headers['x-delivery-id'] ?? ''));
    request.resume();
    response.writeHead(answers.shift() ?? 200).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { id } = await platform.must('create_webhook', {
    organization_id: platform.organizationId,
    kind: 'STANDARD',
    target_url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    events: ['DEPLOYMENT_STARTED'],
    enabled: true,
  });
  await deploy();
  await advance('PT0S');
  expect(tries).toHaveLength(1);
  await advance('PT1M');
  const records = rowsOf(
    await platform.must('list_webhook_events', { organization_id: platform.organizationId, webhook_id: id }),
  );
  expect(records.map((record) => record['target_response_status_code'])).toEqual([200, 500, 500]);
  expect(records.map((record) => record['created_at'])).toEqual([after(6), after(2), after(0)]);
  receiver.close();
});

test('the API is answered while time moves on', async () => {
  let isMoving = true;
  const moving = advance('P20D').finally(() => (isMoving = false));
  for (let turn = 0; turn < 5; turn += 1) await platform.must('get_organization');
  expect(isMoving).toBe(true);
  await moving;
});

test('a platform that closes stops an advance on its way', async () => {
  const other = await startControlledPlatform();
  const moving = other.sendControl('POST', '/time/advance', { by: 'P366D' });
  await other.must('get_organization');
  await other.close();
  expect(await moving).toMatchObject({ status: 400, body: { message: expect.stringContaining('The platform stops') } });
});

test('goes on where it stood at the next start', async () => {
  await advance('PT36H');
  platform = controlled(await platform.restart());
  expect((await time())['now']).toBe(after(36 * 3600));
});

// Records in PostgreSQL can't be reset.
test.skipIf(postgresTests !== undefined)(
  'the same seed and the same requests give the same ids, states and logs',
  async () => {
    const run = async () => {
      await platform.mustControl('POST', '/reset');
      const project = await platform.must('create_project', {
        organization_id: platform.organizationId,
        name: 'again',
      });
      const deployment = await deploy();
      await advance('PT10S');
      await platform.must('deploy_environment', { environment_id: platform.seed['environment_id'] });
      await advance('PT1H');
      const logs = await platform.must('get_environment_logs', { environment_id: platform.seed['environment_id'] });
      const history = await platform.must('list_environment_deployments', {
        environment_id: platform.seed['environment_id'],
      });
      return JSON.stringify({ project, deployment, logs, history, time: await time() });
    };
    const one = await run();
    expect(await run()).toBe(one);
    // A later start draws again: nothing gets an id that something has.
    platform = controlled(await platform.restart());
    expect(
      (await platform.call('create_project', { organization_id: platform.organizationId, name: 'another' })).status,
    ).toBe(201);
  },
);

test('an advance that makes no sense is refused, and moves nothing', async () => {
  for (const [body, words] of [
    [{}, 'give either by, such as PT5M, or to'],
    [{ by: 'PT1M', to: after(60) }, 'give either by'],
    [{ by: 'five minutes' }, 'by: must be a valid duration'],
    [{ to: after(-1) }, `to: is before ${after(0)}, where time stands`],
    [{ by: 'P2Y' }, 'more than 366 days away'],
    [{ bi: 'PT1M' }, 'bi: is not known; did you mean "by"?'],
  ] as const) {
    const answer = await platform.sendControl('POST', '/time/advance', body);
    expect([answer.status, answer.body['message']]).toEqual([400, expect.stringContaining(words)]);
  }
  expect((await time())['now']).toBe(after(0));
});

test('time that passes by itself is not moved', async () => {
  const passing = await startInstantPlatform();
  expect(await passing.mustControl('GET', '/time')).toMatchObject({ stepped: false, time_scale: 0 });
  expect((await passing.sendControl('POST', '/time/advance', { by: 'PT1M' })).body['message']).toContain(
    '--stepped-time',
  );
  await passing.close();
});
