import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToken } from '../../../src/platform/api/index.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { type Json, rowsOf, startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let organization: { organization_id: string };

beforeAll(async () => {
  platform = await startTestPlatform();
  organization = { organization_id: platform.organizationId };
});

afterAll(() => platform.close());

const member = (nickname: string) => ({ ...organization, user_id: seedId(`member/${nickname}`) });
const role = (name: string) => ({ role_id: seedId(`role/${name}`) });
const members = async (): Promise<Json[]> => rowsOf(await platform.must('list_members', organization));
const roleOf = async (nickname: string) => (await members()).find((row) => row['nickname'] === nickname)?.['role_name'];
const newestEvent = async () => ((await platform.must('list_events', organization))['events'] as Json[])[0]!;
const tokens = async (): Promise<Json[]> => rowsOf(await platform.must('list_api_tokens', organization));

test('a role says what it permits', async () => {
  const roles = rowsOf(await platform.must('list_roles', organization));
  expect(roles.map((row) => `${String(row['name'])}: ${String(row['permission'])}`).toSorted()).toEqual([
    'Admin: admin',
    'Developer: write',
    'Owner: admin',
    'Viewer: read',
  ]);
});

describe('the role of a member', () => {
  test('changes, which is told as an event', async () => {
    await platform.must('update_member_role', { ...member('dev'), ...role('developer') });
    expect(await roleOf('dev')).toBe('Developer');
    const event = await newestEvent();
    expect(event).toMatchObject({
      event_type: 'UPDATE',
      target_type: 'MEMBERS_AND_ROLES',
      target_name: 'Dev Raman',
      triggered_by: 'admin of the tests',
    });
    expect(JSON.parse(String(event['change']))).toMatchObject({ role: 'Developer' });
    expect(JSON.parse(String(event['original_change']))).toMatchObject({ role: 'Viewer' });
  });

  test('has to exist, as the member has', async () => {
    const unknown = seedId('nobody');
    const noRole = await platform.call('update_member_role', { ...member('dev'), role_id: unknown });
    expect([noRole.status, noRole.body['message']]).toEqual([400, `role_id: no role has the id ${unknown}`]);
    const noMember = await platform.call('update_member_role', { ...organization, user_id: unknown, ...role('admin') });
    expect([noMember.status, noMember.body['message']]).toEqual([400, `user_id: no member has the id ${unknown}`]);
  });
});

describe('the last owner', () => {
  const refused = {
    status: 400,
    body: { message: expect.stringMatching(/^user_id: .* is the last owner/) as unknown },
  };

  test('stays, and stays an owner', async () => {
    expect(await platform.call('remove_member', member('ada'))).toMatchObject(refused);
    expect(await platform.call('update_member_role', { ...member('ada'), ...role('admin') })).toMatchObject(refused);
    expect(await roleOf('ada')).toBe('Owner');
  });

  test('may be made an owner again, and goes once there is another', async () => {
    await platform.must('update_member_role', { ...member('ada'), ...role('owner') });
    await platform.must('update_member_role', { ...member('bo'), ...role('owner') });
    await platform.must('remove_member', member('ada'));
    expect((await members()).map((row) => row['nickname'])).not.toContain('ada');
    expect(await platform.call('remove_member', member('bo'))).toMatchObject(refused);
  });
});

describe('a token', () => {
  test('is listed without its value, with the member whose it is', async () => {
    await createToken(platform, { name: 'ci', permission: 'deploy' });
    const value = await createToken(platform, { name: 'script', permission: 'write', member: 'Dev@acme.example' });
    const rows = await tokens();
    expect(rows.find(({ name }) => name === 'script')).toMatchObject({
      permission: 'write',
      member_id: seedId('member/dev'),
      member_name: 'Dev Raman',
    });
    expect(rows.find(({ name }) => name === 'ci')).not.toHaveProperty('member_id');
    expect(JSON.stringify(rows)).not.toContain(value);
  });

  test('of a member needs one', async () => {
    await expect(createToken(platform, { name: 'x', permission: 'read', member: 'no@acme.example' })).rejects.toThrow(
      /"no@acme.example".*dev@acme.example/,
    );
  });

  test('is revoked at once, and only once', async () => {
    const value = await createToken(platform, { name: 'short', permission: 'read' });
    const authorization = `Token ${value}`;
    expect((await platform.call('get_organization', {}, { authorization })).status).toBe(200);
    const { id } = (await tokens()).find(({ name }) => name === 'short')!;
    await platform.must('revoke_api_token', { ...organization, api_token_id: id });
    expect((await platform.call('get_organization', {}, { authorization })).status).toBe(401);
    expect((await tokens()).map(({ name }) => name)).not.toContain('short');
    expect((await platform.call('revoke_api_token', { ...organization, api_token_id: id })).status).toBe(404);
    const event = await newestEvent();
    expect(event).toMatchObject({ event_type: 'DELETE', target_type: 'ORGANIZATION', sub_target_type: 'API_TOKEN' });
    expect(JSON.parse(String(event['original_change']))).toMatchObject({ name: 'short', permission: 'read' });
    expect(String(event['original_change'])).not.toContain('hash');
  });

  test('ends with its member, after a restart too', async () => {
    const value = await createToken(platform, { name: 'of cleo', permission: 'read', member: 'cleo@acme.example' });
    await platform.must('remove_member', member('cleo'));
    expect(JSON.parse(String((await newestEvent())['original_change']))).toMatchObject({
      name: 'Cleo Marchetti',
      revoked_with_them: ['laptop of Cleo', 'of cleo'],
    });
    platform = await platform.restart();
    expect((await platform.call('get_organization', {}, { authorization: `Token ${value}` })).status).toBe(401);
    expect((await tokens()).map(({ name }) => name)).not.toContain('of cleo');
    expect((await tokens()).map(({ name }) => name)).toContain('script');
  });
});

test('an invitation is revoked, and the address can be invited again', async () => {
  const email = 'erin@acme.example';
  const pending = async () =>
    rowsOf(await platform.must('list_invitations', organization)).filter((row) => row['email'] === email);
  const [sent] = await pending();
  await platform.must('revoke_invitation', { ...organization, invitation_id: sent!['id'] });
  expect(await pending()).toEqual([]);
  expect(await newestEvent()).toMatchObject({
    event_type: 'DELETE',
    sub_target_type: 'INVITATION',
    target_name: email,
  });
  await platform.must('invite_member', { ...organization, email });
  expect(await pending()).toHaveLength(1);
});
