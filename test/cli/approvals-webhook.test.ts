import { createHmac, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { closeTestServers, connectModernHttp } from '../transport/test-server.ts';
import { commandLine, runProgram, startAssistant, temporaryDirectory } from '../support/built-program.ts';
import { approvalCodeIn, operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { textOf, type TestClient } from '../support/mcp-clients.ts';
import { spawnInTest, startProgram } from '../support/started-program.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { refusingHost, startReceiver } from '../support/webhook-receiver.ts';

const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;

const dataDirectory = async (): Promise<string> => {
  const dataDir = await temporaryDirectory();
  await setOperatorSecret(join(dataDir, 'operator.json'));
  return dataDir;
};

const webhookTo = (url: string) => ({ INFRA_APPROVALS_WEBHOOK_URL: url, INFRA_APPROVALS_WEBHOOK_SECRET: secret });

const startServer = (dataDir: string, env: Record<string, string>, ...args: string[]) =>
  startProgram(commandLine(['http', '--port', '0', '--data-dir', dataDir, ...args], { INFRA_TIME_SCALE: '0', ...env }));

interface LogLine {
  readonly code?: string;
  readonly host?: string;
  readonly why?: string;
}

/** What a server has logged. */
const logged = (stderr: string): LogLine[] =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine);

/** The lines about attempts to deliver a notice that failed. */
const failedAttempts = (stderr: string): LogLine[] =>
  logged(stderr).filter(({ code, why }) => code !== undefined && why !== undefined);

interface Notice {
  readonly data: { readonly code: string; readonly url?: string };
}

const createWebhook = async (client: Pick<TestClient, 'call'>, more: Record<string, unknown> = {}) => {
  const { id } = (await client.call('get_organization')).structuredContent as { id: string };
  return client.call('create_webhook', {
    organization_id: id,
    target_url: 'https://hooks.example/in',
    events: ['DEPLOYMENT_FAILED'],
    ...more,
  });
};

/** What the page shows at an address, before and after the operator's secret was given there. */
async function visit(address: string): Promise<{ readonly before: string; readonly after: string }> {
  const page = new URL('/approvals', address);
  const before = await (await fetch(address)).text();
  const body = new URLSearchParams({
    do: 'enter',
    secret: operatorSecret,
    code: new URL(address).searchParams.get('code')!,
  });
  const entered = await fetch(page, { method: 'POST', redirect: 'manual', headers: { origin: page.origin }, body });
  const after = await fetch(new URL(entered.headers.get('location')!, page), {
    headers: { cookie: entered.headers.get('set-cookie')!.split(';')[0]! },
  });
  return { before, after: await after.text() };
}

describe('the approvals webhook of a server', () => {
  test('tells of a waiting call without its arguments, and links to that call alone, behind the secret', async () => {
    const receiver = await startReceiver();
    const { ready, output } = await startServer(
      await dataDirectory(),
      webhookTo(receiver.url.replace('://', '://hook:pass-of-hook@')),
      '--approvals-page',
    );
    const client = await connectModernHttp(new URL(ready.url));
    const more = { target_secret: 'correct-horse-battery', description: 'told to nobody' };
    const [first, other] = [textOf(await createWebhook(client, more)), textOf(await createWebhook(client))];
    await eventually(() => expect(receiver.received).toHaveLength(2));
    await createWebhook(client, more);
    const { body, headers } = receiver.received.find((request) => request.body.includes(approvalCodeIn(first)))!;
    expect(body).not.toMatch(/correct-horse|told to nobody|hooks\.example/);
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key)
        .update(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`)
        .digest('base64')}`,
    );
    const { data } = JSON.parse(body) as Notice;
    expect(data).toMatchObject({
      code: approvalCodeIn(first),
      tool: 'create_webhook',
      kind: 'organization',
      risk: 'sensitive',
    });
    expect(data.url).toBe(`${new URL(ready.url).origin}/approvals?code=${approvalCodeIn(first)}`);
    const { before, after } = await visit(data.url!);
    expect(before).toContain('Operator secret');
    expect(before).not.toContain('create_webhook');
    expect(after).toContain(`id="call-${approvalCodeIn(first)}"`);
    expect(after).not.toContain(`id="call-${approvalCodeIn(other)}"`);
    expect(receiver.received).toHaveLength(2);
    expect(output.stderr).not.toContain('pass-of-hook');
    await closeTestServers();
  });

  test('tells once of a call that several processes of a data directory get at the same time', async () => {
    const receiver = await startReceiver();
    const dataDir = await dataDirectory();
    const servers = [
      await startServer(dataDir, webhookTo(receiver.url)),
      await startServer(dataDir, webhookTo(receiver.url)),
    ];
    const clients = await Promise.all(
      [...servers, ...servers].map(({ ready }) => connectModernHttp(new URL(ready.url))),
    );
    const rounds = 5;
    for (let round = 0; round < rounds; round += 1) {
      const codes = (
        await Promise.all(clients.map((client) => createWebhook(client, { description: `round ${round}` })))
      ).map((result) => approvalCodeIn(textOf(result)));
      expect(new Set(codes).size).toBe(1);
    }
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(rounds));
    await closeTestServers();
    for (const { child, ended } of servers) {
      child.kill('SIGTERM');
      await ended;
    }
    expect(receiver.received).toHaveLength(rounds);
  });

  test('over stdio, tells without a link, even if the client leaves at once', async () => {
    const receiver = await startReceiver();
    const path = join(await temporaryDirectory(), 'webhook-secret');
    await writeFile(path, `${secret}\n`);
    const assistant = await startAssistant({
      INFRA_DATA_DIR: await dataDirectory(),
      INFRA_TIME_SCALE: '0',
      INFRA_APPROVALS_WEBHOOK_URL: receiver.url,
      INFRA_APPROVALS_WEBHOOK_SECRET_FILE: path,
    });
    const {
      data: { id },
    } = await assistant.call('get_organization');
    const { text } = await assistant.call('create_webhook', {
      organization_id: id,
      target_url: 'https://hooks.example/in',
      events: ['DEPLOYMENT_FAILED'],
    });
    await assistant.close();
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const { data } = JSON.parse(receiver.received[0]!.body) as Notice;
    expect(data.code).toBe(approvalCodeIn(text));
    expect(data).not.toHaveProperty('url');
  });

  test('that can not be reached changes nothing for the call', async () => {
    const host = await refusingHost();
    const { ready, output } = await startServer(
      await dataDirectory(),
      webhookTo(`http://hook:pass-of-hook@${host}/in`),
    );
    const client = await connectModernHttp(new URL(ready.url));
    expect(approvalCodeIn(textOf(await createWebhook(client)))).toMatch(/^\w{4}-\w{4}$/);
    await eventually(() => expect(failedAttempts(output.stderr)[0]).toMatchObject({ host, why: 'ECONNREFUSED' }));
    expect(output.stderr).not.toContain('pass-of-hook');
    await closeTestServers();
  });

  test('over stdio, a notice that waits to be sent again does not keep the server from ending as it should', async () => {
    const platform = await startTestPlatform();
    onTestFinished(() => platform.close());
    const { child, output, ended } = spawnInTest(
      commandLine(['stdio', '--data-dir', await dataDirectory()], {
        INFRA_BASE_URL: platform.url,
        INFRA_API_TOKEN: platform.token,
        ...webhookTo(`http://${await refusingHost()}/in`),
      }),
    );
    const send = (method: string, params: object, id?: number): boolean =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    send(
      'initialize',
      { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      1,
    );
    send('notifications/initialized', {});
    send(
      'tools/call',
      {
        name: 'create_webhook',
        arguments: {
          organization_id: platform.organizationId,
          target_url: 'https://hooks.example/in',
          events: ['DEPLOYMENT_FAILED'],
        },
      },
      2,
    );
    // It was sent again when the pause of a second was over; the next one is longer than the server takes to end.
    await eventually(() => expect(failedAttempts(output.stderr)).toHaveLength(2));
    child.stdin.end();
    const { code, stderr } = await ended;
    // The last line says that it is given up, which is no failure of an attempt.
    const { code: given } = failedAttempts(stderr)[0]!;
    expect(
      logged(stderr)
        .filter((line) => line.code === given)
        .map(({ why }) => why),
    ).toEqual(['ECONNREFUSED', 'ECONNREFUSED', undefined]);
    expect(code).toBe(0);
  });
});

describe('a server does not start', () => {
  test.each([
    [
      'with an URL that others can read on the way',
      { ...webhookTo('http://hooks.example/private-path') },
      'must begin with https://',
    ],
    ['with something that is no URL', { ...webhookTo('private-path') }, 'must be an http or https address'],
    [
      'without a secret',
      { INFRA_APPROVALS_WEBHOOK_URL: 'https://hooks.example/private-path' },
      'INFRA_APPROVALS_WEBHOOK_URL is set without a secret',
    ],
    ['with a secret alone', { INFRA_APPROVALS_WEBHOOK_SECRET: secret }, 'without INFRA_APPROVALS_WEBHOOK_URL'],
    [
      'with a weak secret',
      { ...webhookTo('https://hooks.example/'), INFRA_APPROVALS_WEBHOOK_SECRET: 'private-path' },
      '24 to 64 random bytes',
    ],
    [
      'with two secrets',
      { ...webhookTo('https://hooks.example/'), INFRA_APPROVALS_WEBHOOK_SECRET_FILE: '/tmp/x' },
      'are both set',
    ],
    [
      'without the file of the secret',
      { INFRA_APPROVALS_WEBHOOK_URL: 'https://hooks.example/', INFRA_APPROVALS_WEBHOOK_SECRET_FILE: '/nowhere/at-all' },
      '/nowhere/at-all: there is no such file',
    ],
  ])('%s, and says what to do', async (_, env, says) => {
    for (const command of [['stdio'], ['http', '--port', '0']]) {
      const { code, stderr } = await runProgram([...command, '--data-dir', await temporaryDirectory()], env);
      expect(code).toBe(1);
      expect(stderr).toContain(says);
      expect(stderr).not.toMatch(/private-path/);
    }
  });

  test('and doctor says so beforehand, or where notices go', async () => {
    const dataDir = await dataDirectory();
    const good = await runProgram(
      ['doctor', 'stdio', '--verbose', '--data-dir', dataDir],
      webhookTo('https://hook:pass-of-hook@hooks.example/private-path'),
    );
    expect(good.stdout).toContain('hooks.example');
    expect(good.stdout + good.stderr).not.toMatch(/private-path|pass-of-hook|whsec_/);
    const bad = await runProgram(
      ['doctor', 'stdio', '--data-dir', dataDir],
      webhookTo('http://hooks.example/private-path'),
    );
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain('must begin with https://');
  });
});
