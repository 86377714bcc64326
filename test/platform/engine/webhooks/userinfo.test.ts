import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, type TestPlatform, startTestPlatform } from '../../../support/test-platform.ts';

const password = 'made-up p@ss/word 1';
const userinfo = `hooker:${encodeURIComponent(password)}`;

let platform: TestPlatform;
let receiver: Server;
let host: string;
const logged: string[] = [];
const authorizations: (string | undefined)[] = [];

const write = (fields: object, message: string) => void logged.push(JSON.stringify(fields), message);

beforeAll(async () => {
  platform = await startTestPlatform({
    log: { info: write, warn: write, error: write },
    allowPrivateWebhookTargets: true,
  });
  receiver = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    response.end(`you are ${String(request.headers.authorization)}, your password is ${password}`);
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});

afterAll(async () => {
  receiver.close();
  await platform.close();
});

const secretForms = [
  password,
  encodeURIComponent(password),
  'hooker',
  Buffer.from(`hooker:${password}`).toString('base64'),
];

const createWebhook = (target_url: string) =>
  platform.call('create_webhook', {
    organization_id: platform.organizationId,
    target_url,
    events: ['DEPLOYMENT_STARTED'],
  });

test('user name and password of a target are sent with deliveries, and stand nowhere else', async () => {
  const { status, body, text } = await createWebhook(`http://${userinfo}@${host}/hook?from=here`);
  expect(status, text).toBe(201);
  expect(body['target_url']).toBe(`http://[hidden]@${host}/hook?from=here`);
  await platform.must('deploy_application', { application_id: platform.seed['application_id'] });
  const events = async () =>
    (await platform.must('list_webhook_events', { organization_id: platform.organizationId, webhook_id: body['id'] }))[
      'results'
    ] as Json[];
  await expect.poll(async () => (await events()).length).toBeGreaterThan(0);
  expect(authorizations[0]).toBe(`Basic ${Buffer.from(`hooker:${password}`).toString('base64')}`);
  const [event] = await events();
  expect(event).toMatchObject({
    target_url_used: `http://${host}/hook?from=here`,
    target_response_body: 'you are Basic [hidden], your password is [hidden]',
  });
  const listed = await platform.must('list_webhooks', { organization_id: platform.organizationId });
  const said = [text, JSON.stringify([listed, await events()]), ...logged].join('\n');
  for (const secret of secretForms) expect(said, secret).not.toContain(secret);
  for (const name of await readdir(platform.dataDir)) {
    const bytes = await readFile(join(platform.dataDir, name));
    for (const secret of secretForms) expect(bytes.includes(secret), `${secret} in ${name}`).toBe(false);
  }
});

test('their placeholder is not taken for the credentials', async () => {
  const { status, text } = await createWebhook(`http://[hidden]@${host}/hook`);
  expect(status).toBe(400);
  expect(text).toContain('give the real ones');
});

test('a refusal does not repeat them', async () => {
  const { status, text } = await platform.call('create_webhook', {
    organization_id: platform.organizationId,
    target_url: `ftp://${userinfo}@${host}/`,
    events: ['NEVER'],
  });
  expect(status).toBe(400);
  for (const secret of secretForms) expect(text).not.toContain(secret);
});
