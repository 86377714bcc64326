import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { eventually } from '../support/eventually.ts';
import { agree, connectModern, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { openServerFleet, type Replica, type ServerFleet } from './server-fleet.ts';

let fleet: ServerFleet;
let one: TestClient;
let other: TestClient;
/** A server that shares nothing with the others, as that of somebody else. */
let outside: TestClient;
let connectors: Connectors;
/** A client whose user agrees to everything. */
const connect = ({ mcp }: Replica): Promise<TestClient> =>
  connectModern(new StreamableHTTPClientTransport(mcp), userAnswering(agree));

beforeAll(async () => {
  fleet = await openServerFleet();
  [one, other] = [await connect(await fleet.start('one')), await connect(await fleet.start('other'))];
  connectors = connectorsTo(fleet.platform.url, fleet.platform.token);
  outside = await connectors.modern(userAnswering(agree));
});
afterAll(async () => {
  await one.close();
  await other.close();
  await connectors.close();
  await fleet.close();
});

const must = async (
  client: TestClient,
  name: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> => {
  const result = await client.call(name, args);
  if (result.isError) throw new Error(textOf(result));
  return result.structuredContent as Record<string, unknown>;
};

const environment = 'data/development';

const create = async (client: TestClient, name: string): Promise<string> =>
  String(
    (
      await must(client, 'create_application', {
        environment_id: environment,
        name,
        git_repository: { url: 'https://git.example/shop/app.git' },
      })
    )['id'],
  );

const rename = (client: TestClient, id: string, name: string): Promise<unknown> =>
  must(client, 'update_application', { application_id: id, name });

/** What a server takes a name for. */
const idAt = async (client: TestClient, name: string): Promise<unknown> =>
  (await must(client, 'get_service', { service: `${environment}/${name}` }))['id'];

test('an application that is renamed at one server, and whose name another one gets, is no longer meant at any', async () => {
  const first = await create(one, 'moving');
  // Both have listed the environment from here on.
  expect([await idAt(one, 'moving'), await idAt(other, 'moving')]).toEqual([first, first]);
  await rename(one, first, 'moved');
  const second = await create(one, 'moving');
  await eventually(async () => expect(await idAt(other, 'moving')).toBe(second));
  expect([await idAt(other, 'moved'), await idAt(one, 'moving')]).toEqual([first, second]);
});

test('a rename by somebody else that one server sees is known to all', async () => {
  const id = await create(one, 'theirs');
  await eventually(async () => expect(await idAt(other, 'theirs')).toBe(id));
  await rename(outside, id, 'ours');
  const taken = await create(outside, 'theirs');
  // One server reads it by its id, and so sees another name than before.
  await must(one, 'get_service', { service: `infra://service/application/${id}` });
  await eventually(async () => expect(await idAt(other, 'theirs')).toBe(taken));
});

test('after the connection to the database was lost, no list of before is used', async () => {
  const id = await create(one, 'unheard');
  await eventually(async () => expect(await idAt(other, 'unheard')).toBe(id));
  await fleet.letIn(false);
  await rename(outside, id, 'heard');
  const taken = await create(outside, 'unheard');
  await eventually(async () => expect(await idAt(other, 'unheard')).toBe(taken));
  await fleet.letIn(true);
  await eventually(async () => expect(await idAt(other, 'heard')).toBe(id));
});

test('what was learned is kept for the next server without names of callers, and what was deleted is dropped', async () => {
  const names = async (): Promise<unknown[]> =>
    (await fleet.query("select resource->>'name' as name from guard_resource")).map(({ name }) => name);
  const id = await create(one, 'short-lived');
  await eventually(async () => expect(await names()).toContain('short-lived'));
  expect(JSON.stringify(await fleet.query('select principal from guard_resource'))).not.toContain('local');
  await must(other, 'delete_service', { service: `infra://service/application/${id}` });
  await eventually(async () => expect(await names()).not.toContain('short-lived'));
});
