import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let client: TestClient;
const user = userAnswering(agree);
const unaltered = (_: string, body: Json): Json => body;
/** Alters what is read of one service. */
let alter: (path: string, body: Json) => Json = unaltered;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, { alter: (method, path, body) => (method === 'GET' ? alter(path, body as Json) : body) });
  connectors = connectorsTo(proxy.url, platform.token);
  client = await connectors.modern(user);
});
afterEach(() => {
  alter = unaltered;
  user.questions.splice(0);
});
afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

const raw = async (path: string): Promise<Json> => (await (await fetch(`${platform.url}${path}`, { headers: { authorization: `Token ${platform.token}` } })).json()) as Json;
const container = (): Json => ({ container_id: platform.seed['container_id'] });
const stored = () => raw(`/container/${platform.seed['container_id']}`);
const portsOf = async () => (await stored())['ports'] as Json[];
/** The seeded container has a scaler with credentials; most have none. */
const withoutScaler = (path: string, body: Json): Json => (/^\/container\/[^/]+$/.test(path) ? Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'autoscaling')) : body);

async function change(tool: string, args: Json): Promise<Json> {
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return result.structuredContent as Json;
}

/** How the last question was to be answered. */
const howAsked = (): string => ('name' in user.questions.at(-1)!.requestedSchema.properties ? 'name' : 'yes');

describe('the items of a list', () => {
  test('are merged by name: a partial port keeps its public address, and the answer tells what changed', async () => {
    await change('update_container', { ...container(), ports: [{ name: 'web', internal_port: 8080, external_port: 8443, publicly_accessible: true, protocol: 'HTTP', public_path: '/shop' }] });
    const before = await portsOf();
    const { changes } = await change('update_container', { ...container(), ports: [{ name: 'web', internal_port: 8081 }] });
    expect(changes).toEqual(['ports[web].internal_port: 8080 → 8081']);
    expect(user.questions.at(-1)!.message).toContain('ports[web].internal_port: 8080 → 8081');
    expect(await portsOf()).toEqual(before.map((port) => (port['name'] === 'web' ? { ...port, internal_port: 8081 } : port)));
  });

  test('are removed where that is said, and by null all of them', async () => {
    await change('update_container', { ...container(), storage: [{ mount_point: '/cache', size: 10, type: 'FAST_SSD' }] });
    const { changes } = await change('update_container', { ...container(), storage: [{ mount_point: '/cache', remove: true }] });
    expect(changes).toEqual([expect.stringMatching(/^storage: removes .*"\/cache"/)]);
    expect((await stored())['storage']).toEqual([expect.objectContaining({ mount_point: '/data', size: 20 })]);
    await change('update_container', { ...container(), ports: null });
    expect(await portsOf()).toEqual([]);
  });

  test('that are not there are told before anybody is asked', async () => {
    const result = await client.call('update_container', { ...container(), ports: [{ name: 'nowhere', remove: true }] });
    expect(textOf(result)).toContain('item nowhere: there is no such item now');
    expect(user.questions).toEqual([]);
  });
});

describe('somebody', () => {
  test('says yes to a new tag on staging, and types its path on production', async () => {
    await change('update_container', { ...container(), tag: '2.5.0' });
    expect(howAsked()).toBe('yes');
    await change('update_container', { container_id: 'shop/production/search', tag: '2.5.0' });
    expect(howAsked()).toBe('name');
  });

  test.each<[string, (body: Json) => Json, Json]>([
    ['a member can not be sent back', (body) => ({ ...body, sidecar: { pull_password: '[hidden]' } }), { cpu: 320 }],
    ['a member is shown only in part', (body) => ({ ...body, entrypoint: 'serve --token hunter2-hunter2' }), { entrypoint: 'serve' }],
    ['a secret is not shown, and may be lost', (body) => JSON.parse(JSON.stringify(body, (name, member: unknown) => (name === 'config_yaml' ? null : member))) as Json, { cpu: 321 }],
    ['a secret is replaced', (body) => body, { autoscaling: { scalers: [{ scaler_type: 'kafka', trigger_authentication: { config_yaml: 'password: other-one-2' } }] } }],
  ])('types the path on staging where %s', async (_, altered, args) => {
    alter = (path, body) => (/^\/container\/[^/]+$/.test(path) ? altered(body) : body);
    const refuses = userAnswering(() => ({ action: 'decline' }));
    const result = await (await connectors.modern(refuses)).call('update_container', { ...container(), ...args });
    expect(refuses.questions, textOf(result)).toHaveLength(1);
    expect(Object.keys(refuses.questions[0]!.requestedSchema.properties)).toEqual(['name']);
    expect(refuses.questions[0]!.message).toContain('(destructive)');
  });

  test('is told of scaling, of the one member that changes', async () => {
    alter = withoutScaler;
    const { changes } = await change('update_container', { ...container(), max_running_instances: 6 });
    expect(changes).toEqual(['max_running_instances: 5 → 6']);
  });
});

test('what is hidden is told to have changed, and no more', async () => {
  await change('update_container', { ...container(), entrypoint: 'serve --token first-token-1' });
  const result = await client.call('update_container', { ...container(), entrypoint: 'serve --token second-token-2' });
  expect((result.structuredContent as Json)['changes']).toEqual(['entrypoint: serve --token [hidden] → serve --token [hidden]']);
  expect(textOf(result)).not.toMatch(/first-token|second-token/);
});
