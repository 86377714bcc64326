import { afterAll, beforeAll, expect, test } from 'vitest';
import { inputShape, type AnyOperation, operations } from '../../src/contract/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, failureIn, type TestClient, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform({ rateLimit: undefined });
  connectors = connectorsTo(platform.url, platform.token);
  client = await connectors.modern(userAnswering(agree));
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const read = async (tool: string, args: Json): Promise<Json> => {
  const result = await client.call(tool, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return result.structuredContent as Json;
};

/** Of an answer, the members that an operation takes at its root. */
const takenBy = (operation: AnyOperation, answer: Json): Json =>
  Object.fromEntries(Object.entries(answer).filter(([name]) => name in inputShape(operation)));

/** Leaves out what was not shown: it keeps what is stored. */
const withoutHidden = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutHidden);
  if (typeof value !== 'object' || value === null) return value;
  const unchanged = Object.entries(value).filter(
    ([, member]) => !(typeof member === 'string' && member.startsWith('[hidden')),
  );
  return Object.fromEntries(unchanged.map(([name, member]) => [name, withoutHidden(member)]));
};

const withoutTimes = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member: unknown) => (name === 'updated_at' ? undefined : member));

test('a container is sent back as it was read, with a new tag, and nothing else changes', async () => {
  const find = async () => {
    const { results } = await read('list_services', { environment_id: platform.seed['environment_id'] });
    return (results as Json[]).find(({ id }) => id === platform.seed['container_id'])!;
  };
  const before = await find();
  expect(before['autoscaling']).toBeDefined();
  const { registry } = before as { registry: { id: string } };
  const sent = withoutHidden(takenBy(operations.update_container, before)) as Json;
  await read('update_container', { ...sent, container_id: before['id'], registry_id: registry.id, tag: '9.9.9' });
  expect(withoutTimes(await find())).toEqual(withoutTimes({ ...before, tag: '9.9.9' }));
});

test('a helm service is sent back as it was read, with another time-out, and nothing else changes', async () => {
  const args = { helm_id: platform.seed['helm_id'] };
  const before = await read('get_helm', args);
  await read('update_helm', { ...takenBy(operations.update_helm, before), ...args, timeout_sec: 900 });
  expect(withoutTimes(await read('get_helm', args))).toEqual(withoutTimes({ ...before, timeout_sec: 900 }));
});

test('what neither the tool nor its answer knows is still named', async () => {
  const result = await client.call('update_helm', {
    helm_id: platform.seed['helm_id'],
    ports: [{ internal_prot: 80 }],
  });
  expect([failureIn(result)?.kind, textOf(result)]).toEqual([
    'bad_arguments',
    expect.stringMatching(/"ports\[0\]\.internal_prot".*"internal_port"/),
  ]);
});
