import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { hurriedClock } from '../support/hurried-clock.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;

// An upgrade takes longer than the first wait, which takes a tenth of a second.
beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 0.12 });
  connectors = connectorsTo(platform.url, platform.tokens.admin, { clock: hurriedClock() });
  client = await connectors.modern(userAnswering(agree));
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const clusterNamed = async (name: string): Promise<Json> => {
  const { structuredContent } = await client.call('list_clusters');
  return ((structuredContent as Json)['results'] as Json[]).find((row) => row['name'] === name)!;
};

const waiting = async (args: Json): Promise<{ answer: Json; text: string }> => {
  const result = await client.call('wait_for_deployment', args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return { answer: result.structuredContent as Json, text: textOf(result) };
};

test('a lock is listed with its owner, reason and end', async () => {
  expect(await clusterNamed('main')).not.toHaveProperty('locked_by');
  const lock = await platform.must('lock_cluster', {
    cluster_id: seedId('cluster/main'),
    reason: 'The network is rebuilt',
    ttl_in_days: 2,
  });
  const until = new Date(Date.parse(String(lock['locked_at'])) + 2 * 86_400_000).toISOString();
  expect(await clusterNamed('main')).toMatchObject({
    is_locked: true,
    locked_by: lock['owner_name'],
    lock_reason: 'The network is rebuilt',
    locked_until: until,
  });
  expect(textOf(await client.call('list_clusters'))).toContain(`${until} (in 2d)`);
});

test('the plans of lock and upgrade say that a lock refuses upgrades, and it does', async () => {
  const locked = await client.call('upgrade_cluster', { cluster_id: 'main' });
  expect([locked.isError, textOf(locked)]).toEqual([true, expect.stringContaining('The network is rebuilt')]);
  await platform.must('unlock_cluster', { cluster_id: seedId('cluster/main') });
  expect(textOf(await client.call('upgrade_cluster', { cluster_id: 'main', dry_run: true }))).toContain(
    'A lock of the cluster refuses it.',
  );
  expect(textOf(await client.call('lock_cluster', { cluster_id: 'main', reason: 'x', dry_run: true }))).toContain(
    'and so are upgrades of the cluster',
  );
});

test('an upgrade is waited for, and its version told', async () => {
  const before = (await clusterNamed('main'))['version'];
  const upgraded = await client.call('upgrade_cluster', { cluster_id: 'main' });
  expect([upgraded.isError ?? false, textOf(upgraded)]).toEqual([
    false,
    expect.stringContaining(`Next: wait_for_deployment {"cluster":"${seedId('cluster/main')}"}`),
  ]);
  // Both begin before it ends.
  const untilEnded = waiting({ cluster: 'main' });
  const running = await waiting({ cluster: 'main', seconds: 1 });
  expect(running.answer).toMatchObject({ outcome: 'running', version: before });
  expect(running.text).toContain('not ended');
  const { answer, text } = await untilEnded;
  expect(answer).toMatchObject({ subject: 'cluster main', outcome: 'succeeded', state: 'DEPLOYED' });
  expect(answer['version']).not.toBe(before);
  expect(text).toContain(`version: ${String(answer['version'])}`);
  expect(answer).toMatchObject({ from_version: before });
});

test('an upgrade that has ended is told with both versions, and who asked for it', async () => {
  const { answer, text } = await waiting({ cluster: 'main', seconds: 5 });
  expect(answer).toMatchObject({
    outcome: 'not_seen',
    last_upgrade: {
      by: expect.any(String),
      at: expect.any(String),
      versions: expect.stringMatching(/^1\.\d+ → 1\.\d+$/),
    },
  });
  const { by, versions } = answer['last_upgrade'] as Json;
  expect(String(versions).endsWith(` → ${String(answer['version'])}`)).toBe(true);
  expect(text).toContain(`Last upgrade asked for: ${String(versions)}, by ${String(by)}`);
  expect(text).not.toContain('or none was started');
});

test('the versions of an ended upgrade are told, however much else its event has', async () => {
  const others = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`member_${index}`, 'a; version: 9']));
  const more = (text: unknown): string => JSON.stringify({ ...others, ...JSON.parse(String(text)) });
  const proxy = await startRecordingProxy(platform.url, {
    alter: (_, path, body) =>
      path.includes('/events')
        ? {
            ...(body as Json),
            events: ((body as Json)['events'] as Json[]).map((event) => ({
              ...event,
              change: more(event['change']),
              original_change: more(event['original_change']),
            })),
          }
        : body,
  });
  const through = connectorsTo(proxy.url, platform.tokens.admin, { clock: hurriedClock() });
  try {
    const { structuredContent } = await (
      await through.modern()
    ).call('wait_for_deployment', { cluster: 'main', seconds: 5 });
    expect(structuredContent).toMatchObject({ last_upgrade: { versions: expect.stringMatching(/^1\.\d+ → 1\.\d+$/) } });
  } finally {
    await through.close();
    await proxy.close();
  }
});

test('where no upgrade is under way, that is said, and no success claimed', async () => {
  const { answer, text } = await waiting({ cluster: 'production', seconds: 5 });
  expect(answer).toMatchObject({ outcome: 'not_seen', state: 'DEPLOYED' });
  expect(text).toContain('No upgrade is under way: it ended before, or none was started.');
  expect(answer).not.toHaveProperty('last_upgrade');
});

test('a cluster is not waited for beside an environment', async () => {
  const result = await client.call('wait_for_deployment', { cluster: 'main', environment: 'shop/staging' });
  expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining('exactly one of')]);
});
