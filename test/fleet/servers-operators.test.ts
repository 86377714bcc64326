import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorSecret } from '../support/guard-fixture.ts';
import { eventually } from '../support/eventually.ts';
import { connectLegacy, connectModern, failureIn, textOf } from '../support/mcp-clients.ts';
import { legacyResourceClient, modernResourceClient } from '../support/resource-clients.ts';
import { callReplica, yesTo } from '../transport/replica-calls.ts';
import { connectModernHttp } from '../transport/test-server.ts';
import { openServerFleet, stopReplica, type Replica, type ServerFleet } from './server-fleet.ts';

let fleet: ServerFleet;
let one: Replica;
let other: Replica;
beforeAll(async () => {
  fleet = await openServerFleet();
  [one, other] = [await fleet.start('one'), await fleet.start('other')];
});
afterAll(() => fleet.close());

/** The page at a server, as a browser with this cookie sees it. */
const readPage = async ({ mcp }: Replica, cookie: string, headers: Record<string, string> = {}): Promise<string> =>
  (await fetch(new URL('/approvals', mcp), { headers: { cookie, ...headers } })).text();

const send = ({ mcp }: Replica, fields: Record<string, string>, cookie = ''): Promise<Response> =>
  fetch(new URL('/approvals', mcp), {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: mcp.origin, cookie },
    body: new URLSearchParams(fields),
  });

const signIn = async (replica: Replica): Promise<string> =>
  (await send(replica, { do: 'enter', secret: operatorSecret })).headers.get('set-cookie')!.split(';')[0]!;

const formToken = (page: string): string => /name="form_token" value="([^"]+)"/.exec(page)![1]!;

/** Asks for a call that waits; its code. */
async function wait(replica: Replica, name: string): Promise<string> {
  const client = await connectModernHttp(replica.mcp);
  const code = /code (\w{4}-\w{4})/.exec(textOf(await client.call('create_webhook', fleet.webhookCall(name))))![1]!;
  await client.close();
  return code;
}

const isSignedIn = (page: string): boolean => page.includes('value="leave"');

test('an operator who signed in at one server decides at another what waits at the first, by forms of either', async () => {
  const cookie = await signIn(one);
  const code = await wait(one, 'decided');
  expect(await readPage(other, cookie, { 'x-infra-live': '1' })).toContain(code);
  const decided = await send(
    other,
    { do: 'approve', code, form_token: formToken(await readPage(one, cookie)) },
    cookie,
  );
  expect(decided.headers.get('location')).toBe('/approvals?said=approved');
  const client = await connectModernHttp(one.mcp);
  expect((await client.call('create_webhook', fleet.webhookCall('decided'))).isError).toBeFalsy();
  await client.close();
});

test.each(['modern', 'legacy'] as const)(
  'a client of the %s era hears at one server of what was decided at another about a call that waits at a third',
  async (era) => {
    const third = await fleet.start(`third-${era}`);
    const code = await wait(third, `heard-${era}`);
    const uri = `infra://approval/${code}`;
    const client =
      era === 'modern'
        ? modernResourceClient((await connectModern(new ModernHttp(other.mcp))).client)
        : legacyResourceClient((await connectLegacy(new LegacyHttp(other.mcp))).client);
    expect((await client.watch([uri])).agreed).toEqual([uri]);
    const cookie = await signIn(one);
    await send(one, { do: 'refuse', code, form_token: formToken(await readPage(one, cookie)) }, cookie);
    await eventually(() => expect(client.updatedUris).toEqual([uri]));
    expect(await client.text(uri)).toMatch(/^- State: refused$/m);
    await client.client.close();
    await stopReplica(third);
  },
);

test('who leaves at one server is signed out at all', async () => {
  const cookie = await signIn(one);
  await send(other, { do: 'leave', form_token: formToken(await readPage(other, cookie)) }, cookie);
  for (const replica of [one, other]) expect(isSignedIn(await readPage(replica, cookie))).toBe(false);
});

/** Lets the operators' sessions become older. */
const idle = (minutes: number) =>
  fleet.query(`update guard_operator_session set last_used = last_used - interval '${minutes} minutes'`);

test('who is idle for too long is signed out at all; looking keeps nobody signed in', async () => {
  const cookie = await signIn(one);
  await idle(6);
  expect(isSignedIn(await readPage(other, cookie, { 'x-infra-live': '1' }))).toBe(true);
  await idle(5);
  for (const replica of [one, other]) expect(isSignedIn(await readPage(replica, cookie))).toBe(false);
});

test('a cookie of another session, or a forged one, opens nothing, and the store has nothing that signs', async () => {
  const [mine, others] = [await signIn(one), await signIn(one)];
  const [name] = mine.split('=');
  const [id, sealed] = mine.split('=')[1]!.split('.') as [string, string];
  const [, othersSealed] = others.split('=')[1]!.split('.') as [string, string];
  const turned = `${sealed.slice(0, -4)}${sealed.at(-4) === 'A' ? 'B' : 'A'}${sealed.slice(-3)}`;
  for (const forged of [id, `${id}.`, `${id}.${othersSealed}`, `${id}.${turned}`])
    expect(isSignedIn(await readPage(other, `${name}=${forged}`)), forged).toBe(false);
  const rows = JSON.stringify(await fleet.query('select * from guard_operator_session'));
  for (const part of [id, sealed, othersSealed]) expect(rows).not.toContain(part);
});

test('while the database is away, what needs no agreement goes on, and nothing else is done', async () => {
  const cookie = await signIn(one);
  const asked = await callReplica(one.mcp, 'create_webhook', fleet.webhookCall('away'));
  await fleet.letIn(false);
  expect((await callReplica(other.mcp, 'list_projects', {})).isError).toBeFalsy();
  expect((await callReplica(other.mcp, 'create_project', { name: 'made without the database' })).isError).toBeFalsy();
  const answered = await callReplica(other.mcp, 'create_webhook', fleet.webhookCall('away'), yesTo(asked));
  expect(failureIn(answered)).toEqual({ kind: 'store_unavailable', outcome: 'failed' });
  const page = await fetch(new URL('/approvals', one.mcp), { headers: { cookie } });
  expect([page.status, await page.text()]).toEqual([
    503,
    expect.stringContaining('The database that the servers share could not be used'),
  ]);
  expect((await fetch(new URL('/readyz', one.mcp))).status).toBe(200);
  await fleet.letIn(true);
  expect((await callReplica(one.mcp, 'create_webhook', fleet.webhookCall('away'), yesTo(asked))).isError).toBeFalsy();
  expect(isSignedIn(await readPage(other, cookie))).toBe(true);
});
