import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pollIntervalFor, createWatches, type Watches } from '../../src/server/browse/resources/watches.ts';
import { seedId } from '../../src/platform/seed/index.ts';
import { eventually } from '../support/eventually.ts';
import { unknownId, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import {
  resourceServersOf,
  protocolVersions,
  type ResourceServers,
  type ResourceClient,
} from '../support/resource-clients.ts';

let platform: TestPlatform;
let content: ResourceServers;

beforeAll(async () => {
  platform = await startTestPlatform();
  content = resourceServersOf(platform.url, platform.tokens.admin);
});
afterAll(async () => {
  await content.close();
  await platform.close();
});

// A job logs nothing until it is deployed again.
const job = (part: string): string =>
  `infra://service/job/${encodeURIComponent('shop/staging/nightly-report')}/${part}`;
const [status, logs] = [job('status'), job('logs')];
const deploy = () => platform.must('deploy_job', { job_id: seedId('service/shop/staging/nightly-report') });

/** Watches that look again at once, and count their looks. */
function hasty(): Watches & { readonly looks: () => number } {
  let looks = 0;
  const watches = createWatches({ clock: { now: Date.now }, pollInterval: () => ((looks += 1), 10) });
  return { ...watches, looks: () => looks };
}

/** Waits until each of so many things has been looked at again, twice. */
const lookedAt = async (things: number, { looks }: ReturnType<typeof hasty>): Promise<void> => {
  const before = looks();
  await eventually(() => expect(looks()).toBeGreaterThan(before + 4 * things));
};

describe.each(protocolVersions)('a client of the %s era', (era) => {
  let watches: ReturnType<typeof hasty>;
  let server: ResourceClient;

  const connect = async (): Promise<void> => {
    watches = hasty();
    server = await content.connect(era, { watches });
  };

  test('is told of a deployment by the status and the logs it listens to, and of nothing once it left', async () => {
    await connect();
    const { agreed, stop } = await server.watch([status, logs]);
    expect(agreed).toEqual([status, logs]);
    await lookedAt(2, watches);
    expect(server.updatedUris).toEqual([]);
    await deploy();
    await eventually(() => expect(new Set(server.updatedUris)).toEqual(new Set([status, logs])));
    expect(await server.text(status)).toContain('deployment_id: ');
    await stop();
    await eventually(() => expect(watches.size()).toBe(0));
    const [told, looks] = [server.updatedUris.length, watches.looks()];
    await deploy();
    await server.text(status);
    expect(server.updatedUris).toHaveLength(told);
    expect(watches.looks()).toBe(looks);
  });

  test('is told soon of what a call of the same server deployed, by all that it listens to', async () => {
    let looks = 0;
    const usual = createWatches({
      clock: { now: Date.now },
      pollInterval: (circumstances) => ((looks += 1), pollIntervalFor(circumstances)),
    });
    server = await content.connect(era, { watches: usual });
    const all = [status, logs, 'infra://environment/shop/staging/status'];
    const { stop } = await server.watch(all);
    await eventually(() => expect(looks).toBe(all.length));
    await server.client.callTool({ name: 'deploy_service', arguments: { service: 'shop/staging/nightly-report' } });
    // Looked at as seldom as what stands still it would take longer.
    await eventually(() => expect(new Set(server.updatedUris)).toEqual(new Set(all)));
    await stop();
  });

  test('is agreed to only what can be watched', async () => {
    await connect();
    const { agreed } = await server.watch([
      'infra://organization',
      job('variables'),
      'infra://nowhere',
      'infra://service/job/shop%2Fstaging%2Fnothing/status',
      `infra://service/job/${unknownId}/logs`,
      'skill://tune-alert/SKILL.md',
      status,
    ]);
    expect(agreed).toEqual([status]);
    expect(watches.size()).toBe(1);
  });

  test('stops the looking when it goes away', async () => {
    await connect();
    await server.watch([status, logs]);
    expect(watches.size()).toBe(2);
    await server.client.close();
    await eventually(() => expect(watches.size()).toBe(0));
  });
});

test('something is looked at as moving while it is deployed, and as still before and after', async () => {
  const slow = await startTestPlatform({ timeScale: 0.1 });
  const slowContent = resourceServersOf(slow.url, slow.tokens.admin);
  const moods: boolean[] = [];
  const watches = createWatches({ clock: { now: Date.now }, pollInterval: ({ moving }) => (moods.push(moving), 10) });
  const server = await slowContent.connect('modern', { watches });
  const { stop } = await server.watch([status]);
  await eventually(() => expect(moods).toContain(false));
  expect(moods).not.toContain(true);
  await slow.must('deploy_job', { job_id: seedId('service/shop/staging/nightly-report') });
  await eventually(() => expect(moods).toContain(true));
  await eventually(() => expect(moods.at(-1)).toBe(false));
  await stop();
  await slowContent.close();
  await slow.close();
});

test('what people read is recorded, what is looked at for them is not', async () => {
  const watches = hasty();
  const server = await content.connect('modern', { watches });
  const recorded = () =>
    content.log.lines.filter(
      ({ message, fields }) => message === 'call ended' && 'tool' in fields && fields.tool === 'service_status',
    );
  const before = recorded().length;
  await server.text(status);
  expect(recorded()).toHaveLength(before + 1);
  const { stop } = await server.watch([status]);
  await lookedAt(1, watches);
  await stop();
  expect(recorded()).toHaveLength(before + 1);
});

test('two listeners of one client cause no more requests than one', async () => {
  const watches = hasty();
  const server = await content.connect('modern', { watches });
  const first = await server.watch([status]);
  const second = await server.watch([status, logs]);
  expect(watches.size()).toBe(2);
  await first.stop();
  expect(watches.size()).toBe(2);
  await second.stop();
  await eventually(() => expect(watches.size()).toBe(0));
});
