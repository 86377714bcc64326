import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebhookDelivery, WebhookEvent } from '../../../../src/contract/resources/webhook.ts';
import { systemRandom } from '../../../../src/platform/common/index.ts';
import { maximumDeliveryAttempts } from '../../../../src/platform/engine/index.ts';
import { type AddressPolicy, publicOnly } from '../../../../src/platform/engine/webhooks/target.ts';
import { addEnvironment, openEngineFixture, organizationId, type EngineFixture } from '../engine-fixture.ts';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: { event_type: string; payload: Record<string, unknown> };
}

interface Receiver {
  url: string;
  received: Received[];
  /** What it answers; the number counts requests from 1. */
  answer: (response: ServerResponse, count: number, request: Received) => void;
  server: Server;
}

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

const receiver = async (answer: Receiver['answer'] = (response) => response.end('thanks')): Promise<Receiver> => {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString()) as Received['body'],
      };
      received.push(one);
      answer(response, received.length, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, answer, server };
};

const start = async (webhookTargets?: AddressPolicy): Promise<EngineFixture> => {
  const fixture = await openEngineFixture({ engine: webhookTargets ? { webhookTargets } : {} });
  open.push(() => fixture.close());
  return fixture;
};

const everything = ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED', 'DEPLOYMENT_FAILED'];

const addWebhook = async (
  fixture: EngineFixture,
  target_url: string,
  more: { events?: string[]; enabled?: 0 | 1; secret?: string; kind?: 'SLACK' } = {},
) => {
  const id = systemRandom.uuid();
  const created = new Date().toISOString();
  await fixture.db
    .insertInto('webhook')
    .values({
      id,
      created_at: created,
      updated_at: created,
      organization_id: organizationId,
      kind: more.kind ?? 'STANDARD',
      target_url,
      events: JSON.stringify(more.events ?? everything),
      enabled: more.enabled ?? 1,
      description: null,
      sealed_target_secret: more.secret ?? null,
    })
    .execute();
  return id;
};

/** Resolves when the outbox has nothing left to deliver; returns the records of a webhook, oldest first. */
const records = async (fixture: EngineFixture, webhookId: string) => {
  await fixture.until(
    undefined,
    async () =>
      (await fixture.db.selectFrom('webhook_delivery').select('id').where('due_ms', 'is not', null).limit(1).execute())
        .length === 0,
  );
  return (await fixture.engine.webhookEvents(fixture.db, webhookId)).rows.toReversed();
};

const deploy = async (fixture: EngineFixture, name = 'env') => {
  const { environmentId, ids } = await addEnvironment(fixture.db, name, { app: { kind: 'application' } });
  const deploymentId = await fixture.order({ environmentId, serviceIds: [ids['app']!] });
  await fixture.settled();
  return { environmentId, serviceId: ids['app']!, deploymentId };
};

describe('a receiver', () => {
  let fixture: EngineFixture;
  beforeEach(async () => {
    fixture = await start();
  });

  test('is notified that a deployment started, then how it ended, as the contract says', async () => {
    const target = await receiver();
    const id = await addWebhook(fixture, target.url, { secret: 'hush-42' });
    const { environmentId, serviceId, deploymentId } = await deploy(fixture);
    const attempts = await records(fixture, id);
    expect(target.received.map(({ body }) => [body.event_type, body.payload['status']])).toEqual([
      ['DEPLOYMENT_STARTED', 'DEPLOYMENT_QUEUED'],
      ['DEPLOYMENT_SUCCEEDED', 'DEPLOYED'],
    ]);
    for (const { body, headers } of target.received) {
      WebhookDelivery.parse(body);
      expect(body.payload).toMatchObject({
        application_id: serviceId,
        environment_id: environmentId,
        organization_id: organizationId,
        deployment_id: deploymentId,
      });
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'x-webhook-secret': 'hush-42' });
    }
    expect(new Set(target.received.map(({ headers }) => headers['x-webhook-delivery'])).size).toBe(2);
    expect(
      attempts.map((attempt) => [
        attempt.matched_event,
        attempt.target_response_status_code,
        attempt.target_response_body,
      ]),
    ).toEqual([
      ['DEPLOYMENT_STARTED', 200, 'thanks'],
      ['DEPLOYMENT_SUCCEEDED', 200, 'thanks'],
    ]);
    for (const attempt of attempts) WebhookEvent.parse(attempt);
  });

  test('that answers 500 is tried again with the same delivery id, and the order of a deployment holds', async () => {
    const target = await receiver((response, count) => {
      response.statusCode = count < 3 ? 500 : 204;
      response.end();
    });
    const id = await addWebhook(fixture, target.url);
    await deploy(fixture);
    expect(
      (await records(fixture, id)).map((attempt) => [attempt.matched_event, attempt.target_response_status_code]),
    ).toEqual([
      ['DEPLOYMENT_STARTED', 500],
      ['DEPLOYMENT_STARTED', 500],
      ['DEPLOYMENT_STARTED', 204],
      ['DEPLOYMENT_SUCCEEDED', 204],
    ]);
    const ids = target.received.map(({ headers }) => headers['x-webhook-delivery']);
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(ids[3]).not.toBe(ids[0]);
  });

  test('that never answers well is given up after a bounded number of attempts', async () => {
    const target = await receiver((response) => {
      response.statusCode = 503;
      response.end('later');
    });
    const id = await addWebhook(fixture, target.url, { events: ['DEPLOYMENT_STARTED'] });
    await deploy(fixture);
    const attempts = await records(fixture, id);
    expect(attempts).toHaveLength(maximumDeliveryAttempts);
    expect(attempts.filter((attempt) => attempt.next_attempt_at !== undefined)).toEqual([]);
    expect(target.received).toHaveLength(maximumDeliveryAttempts);
  });

  test('that refuses the connection is recorded with status 0 and the reason', async () => {
    const target = await receiver();
    target.server.close();
    const id = await addWebhook(fixture, target.url, { events: ['DEPLOYMENT_SUCCEEDED'] });
    await deploy(fixture);
    const [first] = await records(fixture, id);
    expect(first).toMatchObject({
      target_response_status_code: 0,
      target_response_body: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('that echoes the secret does not get it into the records', async () => {
    const target = await receiver((response, _count, { headers }) =>
      response.end(`you sent ${String(headers['x-webhook-secret'])}`),
    );
    const id = await addWebhook(fixture, target.url, { secret: 'hush-42' });
    await deploy(fixture);
    const attempts = await records(fixture, id);
    expect(attempts[0]?.target_response_body).toBe('you sent [hidden]');
    expect(JSON.stringify(await fixture.db.selectFrom('webhook_attempt').selectAll().execute())).not.toContain(
      'hush-42',
    );
  });

  test.each<[string, string, (secret: string) => string]>([
    ['in base64', 'a long secret of 42', (secret) => Buffer.from(secret).toString('base64')],
    ['encoded as in an address', 'a/long secret+of 42?', encodeURIComponent],
    ['in a string of JSON', 'a "long" secret of 42', (secret) => JSON.stringify({ secret })],
    ['in capital letters', 'a long secret of 42', (secret) => secret.toUpperCase()],
    ['where the record is cut', 'a long secret of 42', (secret) => 'x'.repeat(4090) + secret],
    [
      'in base64, where the record is cut',
      'a long secret of 42',
      (secret) => 'x'.repeat(4090) + Buffer.from(secret).toString('base64'),
    ],
    [
      'among characters of several bytes, where the record is cut',
      'a long secret of 42',
      (secret) => '€'.repeat(1364) + secret + '€'.repeat(99),
    ],
  ])('that echoes the secret %s does not get it into the records', async (_, secret, echo) => {
    const target = await receiver((response) => response.end(echo(secret)));
    const id = await addWebhook(fixture, target.url, { secret, events: ['DEPLOYMENT_STARTED'] });
    await deploy(fixture);
    const body = (await records(fixture, id))[0]!.target_response_body;
    expect(body).toContain('[hidden]');
    const whole = echo(secret).replaceAll(/[x€]/g, '');
    expect(body.toLowerCase()).not.toContain(whole.slice(0, 4).replace('{"se', 'long').toLowerCase());
  });

  test('that answers at length is recorded in part', async () => {
    const target = await receiver((response) => response.end('x'.repeat(100_000)));
    const id = await addWebhook(fixture, target.url, { events: ['DEPLOYMENT_STARTED'] });
    await deploy(fixture);
    expect((await records(fixture, id))[0]?.target_response_body).toHaveLength(4096);
  });

  test('with credentials in its address gets them, and the records do not', async () => {
    const target = await receiver();
    const id = await addWebhook(fixture, target.url.replace('http://', 'http://me:pass%20word@'), {
      events: ['DEPLOYMENT_STARTED'],
    });
    await deploy(fixture);
    expect((await records(fixture, id))[0]?.target_url_used).toBe(target.url);
    expect(target.received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:pass word').toString('base64')}`);
  });

  test('of chat messages gets a text as well', async () => {
    const target = await receiver();
    const id = await addWebhook(fixture, target.url, { kind: 'SLACK', events: ['DEPLOYMENT_SUCCEEDED'] });
    await deploy(fixture);
    await records(fixture, id);
    expect(target.received[0]?.body).toMatchObject({ text: 'app: deployment succeeded (DEPLOYED)' });
  });

  test('gets no event that it did not subscribe to, and none while it is disabled', async () => {
    const target = await receiver();
    const failures = await addWebhook(fixture, target.url, { events: ['DEPLOYMENT_FAILED'] });
    const disabled = await addWebhook(fixture, target.url, { enabled: 0 });
    await deploy(fixture);
    expect(await records(fixture, failures)).toEqual([]);
    expect(await records(fixture, disabled)).toEqual([]);
    expect(target.received).toEqual([]);
  });

  test('disabled while deliveries wait gets no more of them', async () => {
    const target = await receiver((response) => {
      response.statusCode = 500;
      response.end();
    });
    const slow = await openEngineFixture({ timeScale: 1 });
    open.push(() => slow.close());
    const id = await addWebhook(slow, target.url);
    const { environmentId, ids } = await addEnvironment(slow.db, 'env', { app: { kind: 'application' } });
    await slow.order({ environmentId, serviceIds: [ids['app']!] });
    await slow.until(undefined, async () => (await slow.engine.webhookEvents(slow.db, id)).total === 1);
    await slow.db.updateTable('webhook').set({ enabled: 0 }).execute();
    await slow.db.updateTable('webhook_delivery').set({ due_ms: 0 }).execute();
    slow.engine.wake();
    expect(await records(slow, id)).toHaveLength(1);
  });

  test('that hangs holds up neither deployments nor other receivers', async () => {
    const hanging = await receiver(() => undefined);
    const quick = await receiver();
    await addWebhook(fixture, hanging.url);
    const id = await addWebhook(fixture, quick.url);
    await deploy(fixture);
    await fixture.until(undefined, async () => (await fixture.engine.webhookEvents(fixture.db, id)).total === 2);
    expect(hanging.received).toHaveLength(1);
  });

  test('that takes too long is recorded with status 0 and retried', async () => {
    const target = await receiver((response, count) => (count === 1 ? undefined : response.end('at last')));
    const impatient = await openEngineFixture({ engine: { webhookTimeoutMilliseconds: 100 } });
    open.push(() => impatient.close());
    const id = await addWebhook(impatient, target.url, { events: ['DEPLOYMENT_STARTED'] });
    await deploy(impatient);
    const statuses = (await records(impatient, id)).map((attempt) => [
      attempt.target_response_status_code,
      attempt.target_response_body,
    ]);
    // On a busy machine an answer that is given at once may come too late as well.
    expect(statuses[0]).toEqual([0, 'No answer within 0.1 seconds.']);
    expect(statuses.at(-1)).toEqual([200, 'at last']);
  });

  test('that was under way when the engine stopped is sent again by the next', async () => {
    let hang = true;
    const target = await receiver((response) => (hang ? undefined : response.end('ok')));
    const id = await addWebhook(fixture, target.url, { events: ['DEPLOYMENT_STARTED'] });
    await deploy(fixture);
    await fixture.until(undefined, async () => target.received.length === 1);
    await fixture.engine.stop();
    hang = false;
    const next = fixture.anotherEngine();
    await next.start();
    expect((await records(fixture, id)).map((attempt) => attempt.target_response_body)).toEqual(['ok']);
    expect(target.received[1]?.headers['x-webhook-delivery']).toBe(target.received[0]?.headers['x-webhook-delivery']);
    await next.stop();
  });
});

describe('a redirect', () => {
  test('is followed, with the secret for the same origin only', async () => {
    const fixture = await start();
    const other = await receiver();
    const target = await receiver((response, _count, { path }) => {
      if (path === '/hook') response.writeHead(307, { location: '/moved' }).end();
      else response.writeHead(308, { location: other.url }).end();
    });
    const id = await addWebhook(fixture, target.url, { secret: 'hush-42', events: ['DEPLOYMENT_STARTED'] });
    await deploy(fixture);
    expect((await records(fixture, id)).map((attempt) => attempt.target_response_status_code)).toEqual([200]);
    expect(target.received.map(({ path, headers }) => [path, headers['x-webhook-secret']])).toEqual([
      ['/hook', 'hush-42'],
      ['/moved', 'hush-42'],
    ]);
    expect(other.received[0]?.headers).not.toHaveProperty('x-webhook-secret');
    expect(other.received[0]?.body).toEqual(target.received[0]?.body);
  });

  test('to an address that is not allowed is refused and recorded once', async () => {
    const fixture = await start((address) => address === '127.0.0.1');
    const target = await receiver((response) =>
      response.writeHead(302, { location: 'http://127.0.0.2:9/internal' }).end(),
    );
    const id = await addWebhook(fixture, target.url, { events: ['DEPLOYMENT_STARTED'] });
    await deploy(fixture);
    expect(await records(fixture, id)).toEqual([
      expect.objectContaining({
        target_response_status_code: 0,
        target_response_body: expect.stringContaining('127.0.0.2 is a private or reserved address'),
      }),
    ]);
  });

  test('in a circle ends', async () => {
    const fixture = await start();
    const target = await receiver((response) => response.writeHead(307, { location: '/hook' }).end());
    const id = await addWebhook(fixture, target.url, { events: ['DEPLOYMENT_STARTED'] });
    await deploy(fixture);
    expect((await records(fixture, id))[0]).toMatchObject({ target_response_status_code: 307 });
  });
});

describe('private targets', () => {
  test.each([
    'http://127.0.0.1:9/',
    'http://[::1]:9/',
    'http://localhost:9/',
    'http://10.0.0.7/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:192.168.0.1]/',
    'http://0.0.0.0:9/',
  ])('such as %s are refused, once, with the reason', async (url) => {
    const fixture = await start(publicOnly);
    const id = await addWebhook(fixture, url, { events: ['DEPLOYMENT_STARTED'] });
    await deploy(fixture);
    expect(await records(fixture, id)).toEqual([
      expect.objectContaining({
        target_response_status_code: 0,
        target_response_body: expect.stringContaining('is a private or reserved address'),
      }),
    ]);
  });

  test.each([
    ['93.184.215.14', true],
    ['2606:2800:21f:cb07::1', true],
    ['100.64.0.1', false],
    ['fe80::1', false],
    ['fc00::1', false],
    ['64:ff9b::7f00:1', false],
    ['224.0.0.1', false],
  ])('are told by their address: %s', (address, isPublic) => {
    expect(publicOnly(address)).toBe(isPublic);
  });
});

test('a failed or canceled deployment is delivered as failed, a stop not at all', async () => {
  const fixture = await start();
  const target = await receiver();
  const id = await addWebhook(fixture, target.url);
  const { environmentId, ids } = await addEnvironment(fixture.db, 'ends', {
    infra: { kind: 'terraform', spec: { timeout_sec: 1 } },
    db: { kind: 'database' },
  });
  await fixture.order({ environmentId, serviceIds: [ids['infra']!] });
  await fixture.settled();
  await fixture.order({ environmentId, serviceIds: [ids['db']!] });
  await fixture.settled();
  await fixture.order({ environmentId, serviceIds: [ids['db']!], action: 'STOP' });
  await fixture.settled();
  const attempts = await records(fixture, id);
  expect(
    attempts
      .map(({ request }) => `${request.payload.service_name} ${request.event_type} ${request.payload.status}`)
      .toSorted(),
  ).toEqual([
    'db DEPLOYMENT_STARTED DEPLOYMENT_QUEUED',
    'db DEPLOYMENT_SUCCEEDED DEPLOYED',
    'infra DEPLOYMENT_FAILED DEPLOYMENT_ERROR',
    'infra DEPLOYMENT_STARTED DEPLOYMENT_QUEUED',
  ]);
});
