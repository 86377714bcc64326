import { afterAll, beforeAll, expect, test } from 'vitest';
import { succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { type Json, rowsOf, unknownId } from '../../support/test-platform.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import {
  controlled,
  type ControlledPlatform,
  startControlledPlatform,
} from '../testing/control/controlled-platform.ts';

// The platform starts on a Sunday at noon, UTC.
let platform: ControlledPlatform;
let connectors: Connectors;
let client: TestClient;
const user = userAnswering(agree);

beforeAll(async () => {
  platform = await startControlledPlatform({ timeScale: 0 });
  await connect();
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

async function connect(): Promise<void> {
  connectors = connectorsTo(platform.url, platform.token);
  client = await connectors.modern(user);
}

const environment_id = seedId('environment/shop/staging');
const environment = { environment_id };

const succeeded = succeeding((tool, args) => client.call(tool, args));
const advance = (to: string) => platform.mustControl('POST', '/time/advance', { to });
const told = async (tool: string, args: Json): Promise<string> => textOf(await client.call(tool, args));
const eventTypes = async (): Promise<unknown[]> => {
  const { events } = await platform.must('list_events', {
    organization_id: platform.organizationId,
    target_type: 'ENVIRONMENT',
    target_id: environment_id,
  });
  return (events as Json[]).map(({ event_type: type, sub_target_type: part, triggered_by: by }) => [type, part, by]);
};

test('a timetable is set, stops the environment, is told everywhere, survives a restart, and starts it again', async () => {
  const set = await succeeded('update_deployment_rule', {
    environment: 'shop/staging',
    auto_stop: true,
    stop_time: '19:00',
    start_time: '07:00',
    timezone: 'Europe/Paris',
  });
  expect(set).toMatchObject({ auto_stop: true, stop_time: '19:00' });
  const question = user.questions.at(-1)!.message;
  expect(question).toContain('Timetable until now: off');
  expect(question).toContain('From then on: stop at 19:00, start at 07:00, Europe/Paris');
  expect(question).toContain('Next stop: ');
  expect(question).toMatch(/^stop_time: 19:00$/m);
  expect(question).not.toContain('1970');
  const asked = user.questions.length;
  const written = (await eventTypes()).length;
  expect(
    await told('update_deployment_rule', { environment: 'shop/staging', auto_stop: true, stop_time: '19:00' }),
  ).toMatch(/^There is nothing to change[^]*19:00/);
  expect(user.questions).toHaveLength(asked);
  expect(await eventTypes()).toHaveLength(written);
  const events = await told('list_events', { environment: 'shop/staging' });
  expect(events).toContain('07:00');
  expect(events).not.toContain('1970');
  expect(await platform.must('get_environment', environment)).toMatchObject({ stops_at: '2026-03-02T18:00:00.000Z' });

  await advance('2026-03-02T18:00:00Z');
  expect(await platform.must('get_environment', environment)).toMatchObject({
    stopped_by_timetable: true,
    starts_at: '2026-03-03T06:00:00.000Z',
  });
  const sentence = 'Stopped by its timetable, by nobody else; it starts again at 2026-03-03T06:00:00.000Z';
  for (const tool of ['get_environment_status', 'get_environment_overview'])
    expect(await told(tool, tool.endsWith('status') ? environment : { environment: 'shop/staging' })).toContain(
      sentence,
    );
  expect(await told('get_organization_overview', {})).toContain(
    'stopped by its timetable until 2026-03-03T06:00:00.000Z',
  );
  const listed = await succeeded('list_environments', { project_id: 'shop' });
  expect(rowsOf(listed).find(({ name }) => name === 'staging')).toMatchObject({ stopped_by_timetable: true });
  expect((await eventTypes())[0]).toEqual(['TRIGGER_STOP', null, 'timetable']);

  await connectors.close();
  platform = controlled(await platform.restart());
  await connect();
  await advance('2026-03-03T06:00:00Z');
  const { environment: status } = await platform.must('get_environment_status', environment);
  expect(status).toMatchObject({ state: 'DEPLOYED', triggered_by: 'timetable', origin: 'SERVICE_INTERNAL' });
  expect(await platform.must('get_environment', environment)).not.toHaveProperty('stopped_by_timetable');

  await succeeded('update_deployment_rule', { environment: 'shop/staging', auto_stop: false });
  expect(await eventTypes()).toContainEqual(['UPDATE', 'DEPLOYMENT_RULE', 'operator']);
  await advance('2026-03-03T20:00:00Z');
  expect((await platform.must('get_environment_status', environment))['environment']).toMatchObject({
    state: 'DEPLOYED',
  });
  expect(await succeeded('get_deployment_rule', { environment_id: 'shop/staging' })).not.toHaveProperty('next_stop');
});

const valid = async (): Promise<Json> => {
  const { id, ...rule } = await platform.must('get_deployment_rule', environment);
  return { ...environment, deployment_rule_id: id, ...rule };
};

test.each([
  ['timezone', { timezone: 'Europe/Nowhere' }, 400],
  ['stop_time', { stop_time: '1970-01-01T07:00:00Z', start_time: '2026-01-01T07:00:30Z' }, 400],
  ['weekdays', { weekdays: [] }, 400],
  ['weekdays', { weekdays: ['Friday'] }, 400],
  ['deployment rule', { deployment_rule_id: unknownId }, 404],
  ['environment', { environment_id: unknownId }, 404],
])('%s must be right', async (member, change, expected) => {
  const before = await valid();
  const { status, body } = await platform.call('update_deployment_rule', { ...before, ...change });
  expect([status, body['message']]).toEqual([expected, expect.stringContaining(member)]);
  expect(await valid()).toEqual(before);
});
