import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readCalls } from '../../src/server/audit/index.ts';
import { createApiKey } from '../../src/transport/index.ts';
import { permissionOf } from '../../src/server/tool/index.ts';
import { defaultTools as tools } from '../../tools/index.ts';
import { eventually } from '../support/eventually.ts';
import { approveOnPage } from '../transport/approve-on-page.ts';
import {
  connectLegacyHttp,
  connectModernHttp,
  initialize,
  modernCall,
  modernHeaders,
} from '../transport/test-server.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { failureIn, textOf } from '../support/mcp-clients.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { spawnInTest, startProgram } from '../support/started-program.ts';

const entry = (name: string, sha256: string) => `keys:\n  - { name: ${name}, sha256: ${sha256}, level: admin }\n`;

/** Starts `infra-mcp http` and waits until it is ready. */
async function startHttp(args: readonly string[], env: Record<string, string> = {}) {
  const dataDir = await temporaryDirectory();
  const { ready, ...program } = await startProgram(
    commandLine(['http', '--port', '0', ...args], { INFRA_DATA_DIR: dataDir, INFRA_LOG_LEVEL: 'info', ...env }),
  );
  const url = new URL(ready.url);
  const post = (message: object, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(message),
    });
  return { ...program, url, post, dataDir };
}

describe('infra-mcp http', () => {
  test('serves the embedded platform to clients of both protocol versions, reports when it is ready, and ends on SIGTERM', async () => {
    const { url, child, ended, output } = await startHttp([]);
    for (const connect of [connectModernHttp, connectLegacyHttp]) {
      const client = await connect(url);
      expect(textOf(await client.call('get_organization'))).toContain('name: Acme');
      await client.close();
    }
    expect((await fetch(new URL('/readyz', url))).status).toBe(200);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(output.stdout.trim().split('\n')).toHaveLength(1);
    const log = output.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(log).toContainEqual(
      expect.objectContaining({
        msg: 'request answered',
        path: '/mcp',
        status: 200,
        principal: 'local',
        calls: ['get_organization'],
        requestId: expect.any(String),
      }),
    );
  });

  test('shows the holder of a key the tools that its level reaches, and tells a call beyond it which one is needed and who can give it', async () => {
    const folder = await temporaryDirectory();
    const { key, sha256 } = createApiKey();
    await writeFile(join(folder, 'keys.yaml'), `keys: [{ name: ci, sha256: ${sha256}, level: deploy }]`);
    const { url } = await startHttp(['--keys-file', join(folder, 'keys.yaml')]);
    for (const connect of [connectModernHttp, connectLegacyHttp]) {
      const client = await connect(url, { headers: { authorization: `Bearer ${key}` } });
      const listed = (await client.list()).map(({ name }) => name);
      expect(listed).toEqual(expect.arrayContaining(['get_organization', 'deploy_application']));
      expect(listed).not.toContain('create_project');
      const result = await client.call('create_project', { name: 'x' });
      expect(failureIn(result)?.kind).toBe('denied');
      expect(textOf(result)).toMatch(/permission "write".* "deploy" \(.*key "ci"\)\. .*whoever runs this server/);
      await client.close();
    }
  });

  test('lets a request choose toolsets, within the options and the level of its key', async () => {
    const folder = await temporaryDirectory();
    const { key, sha256 } = createApiKey();
    await writeFile(join(folder, 'keys.yaml'), `keys: [{ name: ci, sha256: ${sha256}, level: read }]`);
    const { url } = await startHttp(['--keys-file', join(folder, 'keys.yaml'), '--exclude-tools', 'list_alert_rules']);
    for (const connect of [connectModernHttp, connectLegacyHttp]) {
      const client = await connect(new URL('?toolsets=alerts,clusters', url), {
        headers: { authorization: `Bearer ${key}` },
      });
      const expected = tools.filter(
        (tool) =>
          ['alerts', 'clusters'].includes(tool.toolset) &&
          permissionOf(tool) === 'read' &&
          tool.name !== 'list_alert_rules',
      );
      expect((await client.list()).map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
      expect(textOf(await client.call('list_alert_rules'))).toContain('whoever runs this server left it out');
      await client.close();
    }
  });

  test('reads keys and policy again on SIGHUP, both or neither', async () => {
    const folder = await temporaryDirectory();
    const [keys, policy] = [join(folder, 'keys.yaml'), join(folder, 'policy.yaml')];
    const [ann, bob] = [createApiKey(), createApiKey()];
    await writeFile(keys, entry('ann', ann.sha256));
    await writeFile(policy, 'deny: []\n');
    const { url, post, child, output } = await startHttp(['--keys-file', keys, '--policy-file', policy]);
    const enter = async ({ key }: { key: string }) =>
      (await post(initialize, { authorization: `Bearer ${key}` })).status;
    const toolsOf = async ({ key }: { key: string }) => {
      const {
        params: { _meta: meta },
      } = modernCall('');
      const answer = await post(
        { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } },
        { authorization: `Bearer ${key}`, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
      );
      return (await answer.text()).includes('lock_cluster');
    };
    const hangup = async (says: string): Promise<void> => {
      const before = output.stderr.split(says).length;
      child.kill('SIGHUP');
      await eventually(() => expect(output.stderr.split(says).length).toBeGreaterThan(before));
    };
    expect([await enter(ann), await enter(bob), await toolsOf(ann)]).toEqual([200, 401, true]);

    await writeFile(keys, entry('bob', bob.sha256));
    await writeFile(policy, 'denny: []\n');
    await hangup('"msg":"not reloaded');
    expect([await enter(ann), await enter(bob), await toolsOf(ann)]).toEqual([200, 401, true]);

    const opened = await post(initialize, { authorization: `Bearer ${ann.key}` });
    const stream = await fetch(url, {
      headers: {
        authorization: `Bearer ${ann.key}`,
        accept: 'text/event-stream',
        'mcp-session-id': opened.headers.get('mcp-session-id')!,
      },
    });
    expect(stream.status).toBe(200);

    await writeFile(policy, 'read_only: true\n');
    await hangup('"msg":"reloaded');
    expect([await enter(ann), await enter(bob), await toolsOf(bob)]).toEqual([401, 200, false]);
    // What stays open ends with the rights that it was opened with.
    await stream.text();
    for (const { key } of [ann, bob]) expect(output.stderr).not.toContain(key);
  });

  test.each([
    ['2026', connectModernHttp],
    ['2025', connectLegacyHttp],
  ])(
    'sends the user of a %s client to the page of approvals, where nobody can be asked otherwise',
    async (_, connect) => {
      const { url, dataDir, output } = await startHttp(['--approvals-page']);
      await setOperatorSecret(join(dataDir, 'operator.json'));
      const visited: string[] = [];
      const client = await connect(url, {
        visit: async (page) => {
          visited.push(page);
          await approveOnPage(page);
        },
      });
      const organization = await client.call('get_organization');
      const { id } = organization.structuredContent as { id: string };
      const webhook = { organization_id: id, target_url: 'https://hooks.example/in', events: ['DEPLOYMENT_FAILED'] };
      const created = await client.call('create_webhook', webhook);
      expect(created.isError, textOf(created)).toBeFalsy();
      expect(visited).toEqual([expect.stringMatching(new RegExp(`^${url.origin}/approvals\\?code=\\w{4}-\\w{4}$`))]);
      expect(output.stderr).not.toContain(operatorSecret);
      const calls = await readCalls([join(dataDir, 'audit.jsonl')], 10);
      expect(calls.find(({ outcome }) => outcome === 'approved')).toMatchObject({
        who: 'operator',
        confirmed: 'page',
        tool: 'create_webhook',
        tier: 'sensitive',
        code: /code=(.*)$/.exec(visited[0]!)![1],
      });
      await client.close();
    },
  );

  test('needs no token of its own where callers bring theirs, and never sends their bearer on', async () => {
    const seen: (string | undefined)[] = [];
    const platform = createServer((request, response) => {
      seen.push(request.headers.authorization);
      const known = request.headers.authorization === 'Token good-token';
      response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          known
            ? { id: '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e', name: 'Elsewhere' }
            : { status: 401, error: 'Unauthorized', message: 'unknown token' },
        ),
      );
    });
    await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      platform.closeAllConnections();
      platform.close();
    });
    const folder = await temporaryDirectory();
    const { key, sha256 } = createApiKey();
    await writeFile(join(folder, 'keys.yaml'), `keys: [{ name: ann, sha256: ${sha256} }]`);
    const { post, url } = await startHttp(['--keys-file', join(folder, 'keys.yaml')], {
      INFRA_BASE_URL: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
    });
    const call = (headers: Record<string, string>) =>
      post(modernCall('get_organization'), {
        ...modernHeaders('get_organization'),
        authorization: `Bearer ${key}`,
        ...headers,
      });

    const none = await call({});
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'X-Infra-Api-Token realm="platform"']);
    expect(await (await call({ 'x-infra-api-token': 'good-token' })).text()).toContain('Elsewhere');
    const refused = await call({ 'x-infra-api-token': 'old-token' });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'X-Infra-Api-Token realm="platform", error="invalid_token"',
    ]);
    expect((await fetch(new URL('/readyz', url))).status).toBe(200);
    expect(seen).toEqual(['Token good-token', 'Token old-token', 'Token none']);
  });

  test.each([
    [['--host', '0.0.0.0'], {}, /Refusing to listen on 0\.0\.0\.0/],
    [['--keys-file', '/nowhere/keys.yaml'], {}, /\/nowhere\/keys\.yaml/],
    [[], { INFRA_OAUTH_ISSUER: 'https://login.example.com' }, /INFRA_HTTP_PUBLIC_URL/],
  ])('does not start with %j %j', async (args, env, says) => {
    const { ended, output } = spawnInTest(
      commandLine(['http', '--port', '0', ...args], { INFRA_DATA_DIR: await temporaryDirectory(), ...env }),
    );
    expect((await ended).code).toBe(1);
    expect(output.stderr).toMatch(says);
    expect(output.stdout).toBe('');
  });
});
