import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToken } from '../../src/platform/api/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { policyFrom } from '../support/guard-fixture.ts';
import { agree, failureIn, textOf, userAnswering, type TestClient, type User } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { type Json, startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;
let user: User;

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
  user = userAnswering(agree);
  client = await connectors.modern(user);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

/** Calls a tool that has to succeed. Resolves to its answer, and to the questions that the user was asked. */
async function carried(name: string, args: Json = {}): Promise<{ answer: Json; asked: string }> {
  user.questions.splice(0);
  const result = await client.call(name, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return { answer: result.structuredContent as Json, asked: user.questions.map(({ message }) => message).join('\n') };
}

const column = async (tool: string, name: string): Promise<unknown[]> =>
  ((await carried(tool)).answer['results'] as Json[]).map((row) => row[name]);

const pending = async () =>
  ((await carried('list_members')).answer['invitations'] as Json[]).map((row) => row['email']);

describe('what a role permits', () => {
  const invitation = { email: 'ivo@acme.example', role_id: 'Viewer' };

  test('is in the question and the answer of an invitation, and beside the members', async () => {
    const { answer, asked } = await carried('invite_member', invitation);
    const rights = /^It permits: sees everything in every project, production too; changes nothing\.$/m;
    expect(asked).toMatch(rights);
    expect((answer['effects'] as string[]).join('\n')).toMatch(rights);
    await carried('revoke_invitation', { invitation_id: invitation.email });
    const { roles } = (await carried('list_members')).answer as { roles: Json[] };
    expect(roles.map(({ name }) => name)).toContain('Developer');
    expect(roles.every(({ may }) => typeof may === 'string')).toBe(true);
  });

  test.each<[string, Json[], RegExp]>([
    ['is not known where the platform does not tell', [], /^Not known: what the role permits\./m],
    [
      'is told by project and cluster where the organization made the role',
      [
        {
          project_name: 'shop',
          is_admin: false,
          permissions: [{ environment_type: 'PRODUCTION', permission: 'VIEWER' }],
        },
      ],
      /^It permits: project shop: PRODUCTION VIEWER\.$/m,
    ],
  ])('%s', async (_, project_permissions, line) => {
    let ids: unknown[] = [];
    const proxy = await startRecordingProxy(platform.url, {
      alter: (method, path, body) => {
        if (method !== 'GET' || !/\/(availableRole|customRole)(\?|$)/.test(path)) return body;
        const rows = (body as { results: Json[] }).results;
        if (path.includes('availableRole')) {
          ids = rows.map(({ id }) => id);
          return { ...(body as Json), results: rows.map(({ id, name }) => ({ id, name })) };
        }
        return { results: ids.map((id) => ({ id, name: 'x', cluster_permissions: [], project_permissions })) };
      },
    });
    const others = connectorsTo(proxy.url, platform.tokens.admin);
    const plan = await (await others.modern()).call('invite_member', { ...invitation, dry_run: true });
    expect(textOf(plan)).toMatch(line);
    await others.close();
    await proxy.close();
  });
});

describe('a colleague', () => {
  const email = 'nia@acme.example';
  test('is invited, is told as pending, is invited again, and the invitation is revoked', async () => {
    await carried('invite_member', { email, role_id: 'Developer' });
    expect(await pending()).toContain(email);
    const before = ((await carried('list_invitations')).answer['results'] as Json[]).find(
      (row) => row['email'] === email,
    );
    const { answer, asked } = await carried('resend_invitation', { invitation: email });
    expect(answer).toMatchObject({ email, invitation_status: 'PENDING', role_name: 'Developer' });
    expect(answer['id']).not.toBe(before!['id']);
    expect(JSON.stringify(answer)).not.toContain('/invitations/');
    expect(asked).toContain(`Invitation of ${email}, role Developer, PENDING.`);
    await carried('revoke_invitation', { invitation_id: email });
    expect(await column('list_invitations', 'email')).not.toContain(email);
  });

  test('gets another role, and the question says what both permit', async () => {
    const { asked } = await carried('update_member_role', { user_id: 'dev@acme.example', role_id: 'Developer' });
    expect(asked).toContain('Dev Raman (dev@acme.example), role Viewer');
    expect(asked).toContain('New role: Developer.');
    expect(
      ((await carried('list_members')).answer['results'] as Json[]).find((row) => row['nickname'] === 'dev'),
    ).toMatchObject({ role_name: 'Developer' });
  });

  test('leaves: the tokens that end are shown, and end', async () => {
    const value = await createToken(platform, {
      name: 'script of Dev',
      permission: 'read',
      member: 'dev@acme.example',
    });
    const { answer, asked } = await carried('remove_member', { user_id: 'Dev Raman' });
    expect(answer).toMatchObject({ removed: 'Dev Raman' });
    expect(asked).toContain('Ends with it: the API token script of Dev, level read');
    expect(await column('list_members', 'email')).not.toContain('dev@acme.example');
    expect(await column('list_api_tokens', 'name')).not.toContain('script of Dev');
    expect((await platform.call('get_organization', {}, { authorization: `Token ${value}` })).status).toBe(401);
  });

  test('leaves locks behind, which the plan names', async () => {
    const plan = await client.call('remove_member', { user_id: 'Bo Lindqvist', dry_run: true });
    expect(textOf(plan)).toMatch(/Stays: Cluster \S+ is locked by Bo Lindqvist since/);
  });

  test('who is the last owner stays, and nobody is asked', async () => {
    for (const [tool, more] of [
      ['remove_member', {}],
      ['update_member_role', { role_id: 'Admin' }],
    ] as const) {
      user.questions.splice(0);
      const result = await client.call(tool, { user_id: 'ada@acme.example', ...more });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain('last owner');
      expect(user.questions).toEqual([]);
    }
  });
});

test('a token is found, and revoked by its name', async () => {
  const value = await createToken(platform, { name: 'leaked', permission: 'write' });
  expect(await column('list_api_tokens', 'name')).toContain('leaked');
  const { answer, asked } = await carried('revoke_api_token', { api_token_id: 'leaked' });
  expect(answer).toMatchObject({ revoked: 'leaked' });
  expect(asked).toContain('The token: leaked, level write, never used.');
  expect((await platform.call('get_organization', {}, { authorization: `Token ${value}` })).status).toBe(401);
});

/** The policy that lets callers confirm every tier, and each tool that is named. */
const unattended = (...named: readonly string[]) =>
  policyFrom(`unattended: [disruptive, destructive, sensitive${named.map((tool) => `, { tool: ${tool} }`).join('')}]`);

test('no policy lets people and tokens be changed unattended, unless it names the tool', async () => {
  const nobody = await connectors.modern(undefined, await unattended('revoke_invitation'));
  for (const [tool, args] of [
    ['remove_member', { user_id: 'cleo@acme.example' }],
    ['update_member_role', { user_id: 'cleo@acme.example', role_id: 'Admin' }],
    ['resend_invitation', { invitation: 'erin@acme.example' }],
    ['revoke_api_token', { api_token_id: 'laptop of Cleo' }],
  ] as const)
    expect(failureIn(await nobody.call(tool, args)), tool).toMatchObject({ kind: 'not_confirmed', why: 'cannot_ask' });
  expect(await column('list_members', 'email')).toContain('cleo@acme.example');
});

test('a tool that the policy names is carried out without a person, by the token of its plan', async () => {
  await createToken(platform, { name: 'of a script', permission: 'read' });
  const nobody = await connectors.modern(undefined, await unattended('revoke_api_token'));
  const call = { api_token_id: 'of a script' };
  const asked = await nobody.call('revoke_api_token', call);
  expect(failureIn(asked)?.kind).toBe('pending');
  const planToken = /plan_token (\S+)/.exec(textOf(asked))![1]!;
  expect(await column('list_api_tokens', 'name')).toContain('of a script');
  const other = { api_token_id: 'laptop of Cleo', plan_token: planToken };
  expect(failureIn(await nobody.call('revoke_api_token', other))?.kind).toBe('not_confirmed');
  const done = await nobody.call('revoke_api_token', { ...call, plan_token: planToken });
  expect(done.isError, textOf(done)).toBeFalsy();
  expect(await column('list_api_tokens', 'name')).not.toContain('of a script');
});

test('the operator, and two persons, are asked for a tool that is named too', async () => {
  for (const rule of ['operator_only: [sensitive]', 'two_person: [{ tool: revoke_api_token }]']) {
    const [named, stricter] = [await unattended('revoke_api_token'), await policyFrom(rule)];
    const policy = { readOnly: false, rules: [...named.rules!, ...stricter.rules!] };
    const nobody = await connectors.modern(undefined, policy);
    expect(failureIn(await nobody.call('revoke_api_token', { api_token_id: 'laptop of Cleo' })), rule).toMatchObject({
      kind: 'not_confirmed',
      why: rule.split(':')[0],
    });
  }
});
