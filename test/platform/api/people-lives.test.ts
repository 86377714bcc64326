import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken } from '../../../src/platform/api/index.ts';
import { newestEventOf, succeeding } from '../../support/assistant-calls.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { memoryHandover } from '../../support/memory-handover.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
const user = userAnswering(agree);
const handover = memoryHandover();

const connect = async (): Promise<void> => {
  connectors = connectorsTo(platform.url, platform.token, { handover });
  client = await connectors.modern(user);
};

beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 0 });
  await connect();
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const restart = async (): Promise<void> => {
  await connectors.close();
  platform = await platform.restart();
  await connect();
};

const succeeded = succeeding(
  (tool, args) => client.call(tool, args),
  (result) => {
    for (const { secret } of handover.kept) expect(JSON.stringify(result)).not.toContain(secret);
  },
);
const named = async (tool: string, member: string, value: string): Promise<Json | undefined> =>
  rowsOf(await succeeded(tool)).find((row) => row[member] === value);
const newestEvent = (): Promise<Json> => newestEventOf(platform);
const statusWith = async (token: string): Promise<number> =>
  (await platform.call('get_organization', {}, { authorization: `Token ${token}` })).status;

test('an invitation is sent, told as pending, sent again, and taken back', async () => {
  const email = 'nia@acme.example';
  await succeeded('invite_member', { email, role: 'Developer' });
  expect(user.questions.at(-1)!.message).toContain(email);
  const pending = async () =>
    ((await succeeded('list_members'))['invitations'] as Json[]).filter((row) => row['email'] === email);
  expect(await pending()).toHaveLength(1);
  const first = await named('list_invitations', 'email', email);
  expect(first).toMatchObject({ invitation_status: 'PENDING', role_name: 'Developer' });

  await restart();
  const again = await succeeded('resend_invitation', { invitation: email });
  expect(again['id']).not.toBe(first!['id']);
  expect(await named('list_invitations', 'email', email)).toMatchObject({ id: again['id'], role_name: 'Developer' });
  await succeeded('revoke_invitation', { invitation: email });
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', sub_target_type: 'INVITATION' });
  expect([await pending(), await named('list_invitations', 'email', email)]).toEqual([[], undefined]);
});

test('a member gets another role, and leaves with the tokens that are theirs', async () => {
  const who = 'dev@acme.example';
  const value = await createToken(platform, { name: 'script of Dev', permission: 'read', member: who });
  const roles = rowsOf(await succeeded('list_roles'));
  expect(roles.find(({ name }) => name === 'Developer')!['may']).toEqual(expect.any(String));
  await succeeded('update_member_role', { user: who, role: 'Developer' });
  expect(await newestEvent()).toMatchObject({ event_type: 'UPDATE', target_type: 'MEMBERS_AND_ROLES' });

  await restart();
  expect(await named('list_members', 'email', who)).toMatchObject({ role_name: 'Developer' });
  expect(await statusWith(value)).toBe(200);
  await succeeded('remove_member', { user: who });
  expect(user.questions.at(-1)!.message).toContain('Ends with it: the API token script of Dev');
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', target_type: 'MEMBERS_AND_ROLES' });
  expect(await named('list_members', 'email', who)).toBeUndefined();
  expect(await named('list_api_tokens', 'name', 'script of Dev')).toBeUndefined();
  expect(await statusWith(value)).toBe(401);
});

test('the last owner stays, and nobody is asked', async () => {
  user.questions.splice(0);
  for (const [tool, more] of [
    ['remove_member', {}],
    ['update_member_role', { role: 'Admin' }],
  ] as const)
    expect(textOf(await client.call(tool, { user: 'ada@acme.example', ...more }))).toContain('last owner');
  expect(user.questions).toEqual([]);
  expect(await named('list_members', 'email', 'ada@acme.example')).toMatchObject({ role_name: 'Owner' });
});

test('a token is created for a person, rotated, and revoked', async () => {
  const made = await succeeded('create_api_token', { name: 'pipeline', permission: 'deploy' });
  expect(made).not.toHaveProperty('token');
  expect(await newestEvent()).toMatchObject({ event_type: 'CREATE', sub_target_type: 'API_TOKEN' });
  await succeeded('create_api_token', { name: 'pipeline of June', permission: 'deploy' });
  const [old, fresh] = handover.kept.map(({ secret }) => secret);

  await restart();
  expect([await statusWith(old!), await statusWith(fresh!)]).toEqual([200, 200]);
  expect(await named('list_api_tokens', 'name', 'pipeline')).toMatchObject({ id: made['id'], permission: 'deploy' });
  await succeeded('revoke_api_token', { api_token: 'pipeline' });
  expect(await newestEvent()).toMatchObject({ event_type: 'DELETE', sub_target_type: 'API_TOKEN' });
  expect([await statusWith(old!), await statusWith(fresh!)]).toEqual([401, 200]);
  expect(await named('list_api_tokens', 'name', 'pipeline')).toBeUndefined();
});
