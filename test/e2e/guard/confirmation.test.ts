import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EnvironmentMode } from '../../../src/contract/index.ts';
import { connectorsTo, type Connectors, type Connect } from '../../support/connectors.ts';
import {
  agree,
  type Answer,
  failureIn,
  nameToType,
  type Question,
  type TestClient,
  textOf,
  userAnswering,
} from '../../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;
let helper: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform({ rateLimit: undefined });
  connectors = connectorsTo(platform.url, platform.token);
  helper = await connectors.modern(userAnswering(agree));
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

let count = 0;

const project = 'shop';

/** A new environment of a mode, with its path. */
async function environmentOf(mode: EnvironmentMode): Promise<{ id: string; path: string }> {
  const name = `${mode.toLowerCase()}-${(count += 1)}`;
  const { project_id, cluster_id } = platform.seed as { project_id: string; cluster_id: string };
  const { structuredContent } = await helper.call('create_environment', { project_id, cluster_id, name, mode });
  return { id: (structuredContent as { id: string }).id, path: `${project}/${name}` };
}

const stateOf = async (id: string): Promise<unknown> => {
  const { structuredContent } = await helper.call('get_environment_status', { environment_id: id });
  return (structuredContent as { environment: unknown }).environment;
};

const database = (environment_id: string) => ({
  environment_id,
  name: `db-${(count += 1)}`,
  type: 'REDIS',
  version: '7',
  mode: 'CONTAINER',
});

const eras: [string, () => Connect][] = [
  ['2026', () => connectors.modern],
  ['2025', () => connectors.legacy],
];

describe.each(eras)('with the %s protocol version', (_, connect) => {
  test('a harmless change asks nobody', async () => {
    const user = userAnswering(agree);
    const { id } = await environmentOf('STAGING');
    const result = await (await connect()(user)).call('create_database', database(id));
    expect(result.isError).toBeFalsy();
    expect(user.questions).toEqual([]);
  });

  test('the same change to production asks for the path of its target, and is made', async () => {
    const user = userAnswering(agree);
    const { id, path } = await environmentOf('PRODUCTION');
    const result = await (await connect()(user)).call('create_database', database(id));
    expect(result.isError).toBeFalsy();
    expect(user.questions).toHaveLength(1);
    expect(user.questions[0]!.message).toContain(`environment "${path}", PRODUCTION`);
    expect(nameToType(user.questions[0]!)).toBe(path);
  });

  test('an environment that would be production asks for its name', async () => {
    const user = userAnswering(agree);
    const { project_id, cluster_id } = platform.seed;
    const name = `live-${(count += 1)}`;
    const result = await (
      await connect()(user)
    ).call('create_environment', { project_id, cluster_id, name, mode: 'PRODUCTION' });
    expect(result.isError).toBeFalsy();
    expect(nameToType(user.questions[0]!)).toBe(`${project}/${name}`);
  });

  test('a restart asks for a yes', async () => {
    const user = userAnswering(agree);
    const { environment_id, container_id } = platform.seed;
    const result = await (
      await connect()(user)
    ).call('restart_services', { environment_id, container_ids: [container_id] });
    expect(result.isError).toBeFalsy();
    expect(user.questions[0]!.requestedSchema.properties).toMatchObject({ approve: { type: 'boolean' } });
  });

  const ways: [string, (question: Question) => Answer, string][] = [
    ['says no', () => ({ action: 'decline' }), 'declined'],
    ['closes the form', () => ({ action: 'cancel' }), 'dismissed'],
    ['types another name', () => ({ action: 'accept', content: { name: 'something else' } }), 'not_agreed'],
    ['sends nothing', () => ({ action: 'accept', content: { name: '' } }), 'not_agreed'],
  ];

  test.each(ways)('nothing is stopped when the user %s', async (__, answer, why) => {
    const { id, path } = await environmentOf('STAGING');
    const before = await stateOf(id);
    const result = await (await connect()(userAnswering(answer))).call('stop_environment', { environment_id: id });
    expect(result.isError).toBe(true);
    expect(failureIn(result)).toEqual({ kind: 'not_confirmed', why, outcome: 'refused' });
    expect(textOf(result)).toContain(`environment "${path}"`);
    expect(await stateOf(id)).toEqual(before);
  });

  test('nothing is stopped where the client cannot ask, and the answer says what would have happened', async () => {
    const { id, path } = await environmentOf('STAGING');
    const before = await stateOf(id);
    const result = await (await connect()()).call('stop_environment', { environment_id: id });
    expect(result.isError).toBe(true);
    expect(failureIn(result)).toEqual({ kind: 'not_confirmed', why: 'cannot_ask', outcome: 'refused' });
    expect(textOf(result)).toContain(`POST /environment/${id}/stop`);
    expect(textOf(result)).toContain(`environment "${path}"`);
    expect(await stateOf(id)).toEqual(before);
  });

  test('nothing is stopped by a client whose form breaks: the answer says why, and the client is not asked again', async () => {
    const { id } = await environmentOf('STAGING');
    const before = await stateOf(id);
    const user = userAnswering(() => {
      throw new Error('the form broke');
    });
    const client = await connect()(user);
    const stop = () => client.call('stop_environment', { environment_id: id });
    // Here the server doesn't learn of the failure: it sees the same call twice, without an answer.
    if (client.protocolVersion === 'modern')
      for (let round = 0; round < 2; round += 1) await expect(stop()).rejects.toThrow();
    for (let round = 0; round < 2; round += 1) {
      const result = await stop();
      expect(failureIn(result)).toEqual({
        kind: 'not_confirmed',
        why: client.protocolVersion === 'modern' ? 'unanswered' : 'client_error',
        outcome: 'refused',
      });
    }
    expect(user.questions).toHaveLength(client.protocolVersion === 'modern' ? 2 : 1);
    expect(await stateOf(id)).toEqual(before);
  });

  test('bad arguments are told before anyone is asked', async () => {
    const user = userAnswering(agree);
    const result = await (await connect()(user)).call('stop_environment', { environment_id: 'prod' });
    expect(failureIn(result)).toMatchObject({ kind: 'bad_address', why: 'unknown' });
    expect(textOf(result)).toContain('shop/production');
    expect(user.questions).toEqual([]);
  });

  test('a target that does not exist is told before anyone is asked', async () => {
    const user = userAnswering(agree);
    const result = await (
      await connect()(user)
    ).call('stop_environment', { environment_id: '00000000-0000-4000-8000-000000000000' });
    expect(failureIn(result)).toMatchObject({ kind: 'api', why: 'not_found', status: 404 });
    expect(user.questions).toEqual([]);
  });

  test('consent that comes after the call was cancelled does nothing', async () => {
    const { id } = await environmentOf('STAGING');
    const before = await stateOf(id);
    const cancel = new AbortController();
    const user = userAnswering((question) => {
      cancel.abort();
      return agree(question);
    });
    const client = await connect()(user);
    await expect(client.call('stop_environment', { environment_id: id }, { signal: cancel.signal })).rejects.toThrow();
    expect(user.questions).toHaveLength(1);
    // A later call on the same connection is answered after whatever the late consent set off.
    await client.call('get_organization');
    expect(await stateOf(id)).toEqual(before);
  });

  test('a question tells what would be sent, without its secrets', async () => {
    const user = userAnswering(() => ({ action: 'decline' }));
    const args = {
      organization_id: platform.organizationId,
      target_url: 'https://hooks.example/in',
      events: ['DEPLOYMENT_FAILED'],
      target_secret: 'do-not-show-this',
    };
    const result = await (await connect()(user)).call('create_webhook', args);
    const said = `${user.questions[0]!.message}\n${textOf(result)}`;
    expect(said).toContain('https://hooks.example/in');
    expect(said).not.toContain('do-not-show-this');
  });

  test('user name and password of a webhook are told of, never shown: in the question, the plan, the answer and what is read of it', async () => {
    const user = userAnswering(agree);
    const client = await connect()(user);
    const args = {
      organization_id: platform.organizationId,
      target_url: 'https://jdoe:up.77@hooks.example/with',
      events: ['DEPLOYMENT_FAILED'],
    };
    const planned = textOf(await client.call('create_webhook', { ...args, dry_run: true }));
    const result = await client.call('create_webhook', args);
    const asked = user.questions[0]!.message;
    for (const said of [planned, asked]) {
      expect(said).toContain('https://[hidden, 10 characters]@hooks.example/with');
      expect(said).toContain('a user name or a password in it');
    }
    const { id, target_url } = result.structuredContent as { id: string; target_url: string };
    expect(target_url).toBe('https://[hidden]@hooks.example/with');
    const found = await client.call('list_webhooks', {});
    expect(textOf(found)).toContain('https://[hidden]@hooks.example/with');
    const events = await client.call('list_webhook_events', {
      organization_id: platform.organizationId,
      webhook_id: id,
    });
    expect(JSON.stringify([planned, asked, result, found, events])).not.toMatch(/jdoe|up\.77/);
  });

  test('a read-only server lists and runs only reads', async () => {
    const client = await connect()(userAnswering(agree), { readOnly: true });
    const names = (await client.list()).map(({ name }) => name);
    expect(names).toContain('list_projects');
    expect(names.filter((name) => !/^(get|list|find|search|compare|diagnose|wait_for)_/.test(name))).toEqual([]);
    const denied = await client.call('create_project', { organization_id: platform.organizationId, name: 'never' });
    expect(failureIn(denied)?.kind).toBe('denied');
    expect(textOf(denied)).toContain('INFRA_READ_ONLY');
    expect(textOf(await client.call('list_projects', { organization_id: platform.organizationId }))).not.toContain(
      'never',
    );
    expect(client.instructions()).toContain('read-only');
  });

  test('an unknown tool is a protocol error that names the nearest one', async () => {
    await expect((await connect()()).call('list_project')).rejects.toThrow('did you mean "list_projects"?');
  });
});
