import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedId } from '../../../src/platform/seed/index.ts';
import { succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import type { Json } from '../../support/test-platform.ts';
import {
  controlled,
  type ControlledPlatform,
  startControlledPlatform,
} from '../testing/control/controlled-platform.ts';

// The platform starts on 2026-03-01 at noon, UTC.
let platform: ControlledPlatform;
let connectors: Connectors;
let client: TestClient & { readonly client: Client };
const user = userAnswering(agree);

/** How far the time of the platform, which the server in front of it has too, is ahead of this machine's. */
let ahead = 0;

const connect = async (): Promise<void> => {
  ahead = Date.parse(String((await platform.mustControl('GET', '/time'))['now'])) - Date.now();
  connectors = connectorsTo(platform.url, platform.token, { clock: { now: () => Date.now() + ahead } });
  client = (await connectors.modern(user)) as typeof client;
};

beforeAll(async () => {
  platform = await startControlledPlatform({ timeScale: 0 });
  await connect();
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const succeeded = succeeding((tool, args) => client.call(tool, args));
const advance = async (to: string): Promise<void> => {
  await platform.mustControl('POST', '/time/advance', { to });
  ahead = Date.parse(to) - Date.now();
};
const exists = async (environment_id: unknown): Promise<boolean> =>
  (await platform.call('get_environment', { environment_id })).status === 200;
const eventsOf = async (environment_id: unknown): Promise<Json[]> =>
  (
    (await platform.must('list_events', { organization_id: platform.organizationId, page_size: 50 }))[
      'events'
    ] as Json[]
  ).filter(({ target_id: id }) => id === environment_id);

const staging = seedId('environment/shop/staging');
const tomorrow = '2026-03-02T18:00:00.000Z';

test('a copy gets an end, which is shown, extended, removed and set again, and is gone then, with the reason', async () => {
  const { id } = await platform.must('clone_environment', { environment_id: staging, name: 'trial' });
  const environment = { environment_id: 'shop/trial' };
  const set = await succeeded('set_environment_end', { ...environment, ends_at: tomorrow, reason: 'For the demo.' });
  expect(set).toMatchObject({ ends_at: tomorrow, end_reason: 'For the demo.' });
  const question = user.questions.at(-1)!.message;
  expect(question).toContain('End until now: none.');
  expect(question).toContain(`At ${tomorrow} the platform deletes it by itself`);
  expect(question).toContain('Deletes database orders-db');

  for (const [tool, args] of [
    ['get_environment_status', environment],
    ['get_environment_overview', { environment: 'shop/trial' }],
  ] as const)
    expect(textOf(await client.call(tool, args))).toMatch(/It ends at 2026-03-02T18:00:00.000Z.*\(For the demo\.\)/);
  expect(textOf(await client.call('get_organization_overview', {}))).toContain(`it is deleted at ${tomorrow}`);
  expect(textOf(await client.call('list_environments', { project_id: 'shop' }))).toContain(tomorrow);

  expect(textOf(await client.call('find_resource', { name: 'trial', kind: 'environment' }))).toContain(tomorrow);
  const { contents } = await client.client.readResource({ uri: 'infra://environment/shop%2Ftrial/status' });
  expect(JSON.stringify(contents)).toContain(tomorrow);

  const later = '2026-03-03T18:00:00.000Z';
  const extended = await succeeded('set_environment_end', { ...environment, ends_at: later });
  expect(extended).toMatchObject({ ends_at: later, end_reason: 'For the demo.' });
  expect(user.questions.at(-1)!.message).toContain(`End until now: ${tomorrow} (For the demo.).`);
  const asked = user.questions.length;
  expect(textOf(await client.call('set_environment_end', { ...environment, ends_at: later }))).toMatch(
    /^There is nothing to change: it ends then already/,
  );
  expect(user.questions).toHaveLength(asked);
  expect((await eventsOf(id))[0]).toMatchObject({ event_type: 'UPDATE', target_type: 'ENVIRONMENT' });
  await advance('2026-03-02T19:00:00Z');
  expect(await exists(id)).toBe(true);
  expect(await succeeded('unset_environment_end', environment)).not.toHaveProperty('ends_at');
  await advance('2026-03-03T19:00:00Z');
  expect(await exists(id)).toBe(true);
  expect(textOf(await client.call('unset_environment_end', environment))).toMatch(/^There is nothing to change/);
  expect((await platform.call('unset_environment_end', { environment_id: id })).status).toBe(400);

  await platform.must('set_environment_end', {
    environment_id: id,
    ends_at: '2026-03-04T18:00:00Z',
    reason: 'The demo is over.',
  });
  await connectors.close();
  platform = controlled(await platform.restart());
  await connect();
  await advance('2026-03-04T18:00:00Z');
  expect(await exists(id)).toBe(false);
  const deletion = (await eventsOf(id)).find(({ event_type: type }) => type === 'TRIGGER_DELETE');
  expect(deletion).toMatchObject({ triggered_by: 'end of the environment', origin: 'SERVICE_INTERNAL' });
  expect(deletion?.['change']).toMatch(/Its end, 2026-03-04T18:00:00.000Z, which .* set: The demo is over\./);
});

test('an empty environment is deleted at its end too', async () => {
  const { id } = await platform.must('create_environment', {
    project_id: seedId('project/shop'),
    cluster_id: platform.seed['cluster_id'],
    name: 'empty',
    mode: 'DEVELOPMENT',
  });
  await platform.must('set_environment_end', { environment_id: id, ends_at: '2026-03-05T18:00:00Z' });
  await advance('2026-03-05T18:00:00Z');
  expect(await exists(id)).toBe(false);
  expect((await eventsOf(id)).map(({ event_type: type }) => type)).toEqual(['DELETE', 'UPDATE', 'CREATE']);
});

test('a deletion that is refused is told once and made later', async () => {
  const { id } = await platform.must('clone_environment', { environment_id: staging, name: 'kept for a while' });
  const environment = { environment_id: id };
  await platform.must('set_environment_end', { ...environment, ends_at: '2026-03-06T18:00:00Z' });
  await platform.must('create_deployment_window', {
    organization_id: platform.organizationId,
    name: 'evening',
    target_type: 'ENVIRONMENT',
    target_id: id,
    begins: '2026-03-06 17:00',
    ends: '2026-03-06 19:00',
    time_zone: 'UTC',
  });
  await advance('2026-03-06T18:59:00Z');
  expect(await exists(id)).toBe(true);
  const failures = (await eventsOf(id)).filter(({ event_type: type }) => type === 'DELETE_FAILED');
  expect(failures.map(({ change }) => change)).toEqual([expect.stringContaining('deployment window')]);
  await advance('2026-03-06T19:10:00Z');
  expect(await exists(id)).toBe(false);
});

test('PRODUCTION never gets an end, and what has one does not become PRODUCTION', async () => {
  const production = { environment_id: seedId('environment/shop/production') };
  const refused = await platform.call('set_environment_end', { ...production, ends_at: '2999-01-01T00:00:00Z' });
  expect([refused.status, refused.body['message']]).toEqual([400, expect.stringContaining('never ends by itself')]);
  const environment = { environment_id: staging };
  await platform.must('set_environment_end', { ...environment, ends_at: '2999-01-01T00:00:00Z' });
  const changed = await platform.call('update_environment', { ...environment, name: 'staging', mode: 'PRODUCTION' });
  expect([changed.status, changed.body['message']]).toEqual([400, expect.stringContaining('Remove its end first')]);
  const past = await platform.call('set_environment_end', { ...environment, ends_at: '2001-01-01T00:00:00Z' });
  expect([past.status, past.body['message']]).toEqual([400, expect.stringContaining('ends_at')]);
});
