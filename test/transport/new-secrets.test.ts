import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPageHandover, approvalLifetime, hasSecret } from '../../src/server/guard/index.ts';
import { approvalsIn } from '../server/guard/approvals/approvals-fixture.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { directoryForRecords } from '../support/memory-directory.ts';
import { closeTestServers, startTestServer } from './test-server.ts';

const value = 'the-value-of-a-new-token';

let folder: string;
let approvalsFixture: ReturnType<typeof approvalsIn>;
let now: number;
let page: string | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(directoryForRecords, 'infra-mcp-secrets-'));
  approvalsFixture = approvalsIn(folder);
  now = 1_000_000;
  page = undefined;
});

afterEach(async () => {
  await closeTestServers();
  approvalsFixture[Symbol.dispose]();
  await rm(folder, { recursive: true });
});

const clock = { now: () => now };

/** A server with a page, and what hands secrets over to it. */
async function start() {
  const { handover, secrets } = createPageHandover(
    clock,
    () => page,
    () => hasSecret(approvalsFixture.operator),
  );
  const { url, log } = await startTestServer({
    clock,
    approvals: {
      queue: approvalsFixture.queue,
      approveCommand: 'infra-mcp approve',
      secrets,
      latestCalls: async () => [],
    },
  });
  page = new URL('/approvals', url).href;
  return { handover, address: page, log };
}

const submit = (address: string, fields: Record<string, string>, cookie = '') =>
  fetch(address, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: new URL(address).origin, cookie },
    redirect: 'manual',
  });

async function signIn(address: string) {
  const entered = await submit(address, { do: 'enter', secret: operatorSecret });
  const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
  const view = async () => (await fetch(address, { headers: { cookie } })).text();
  const shown = await view();
  const form_token = /name="form_token" value="([^"]+)"/.exec(shown)![1]!;
  return { view, show: (code: string) => submit(address, { do: 'show', code, form_token }, cookie), cookie };
}

test('the operator is shown a secret once, and nobody else is', async () => {
  await setOperatorSecret(approvalsFixture.operator);
  const { handover, address, log } = await start();
  expect(await handover.whyUnavailable()).toBeUndefined();
  const place = await handover.reserve('API token <b>ci</b>');
  await place.put(value);
  await place.release();
  const code = /[A-Z\d]{4}-[A-Z\d]{4}/.exec(place.where)![0];
  expect(place.where).toContain(address);

  // Without a session, or its form token, nothing is shown, and the secret stays.
  for (const body of [await fetch(address), await submit(address, { do: 'show', code })])
    expect(await body.text()).not.toContain(value);
  const operator = await signIn(address);
  expect(await (await submit(address, { do: 'show', code, form_token: 'x' }, operator.cookie)).text()).not.toContain(
    value,
  );

  const listed = await operator.view();
  expect(listed).toContain(code);
  expect(listed).toContain('API token &lt;b&gt;ci&lt;/b&gt;');
  expect(listed).not.toContain(value);
  const shown = await operator.show(code);
  expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(await shown.text()).toContain(value);
  const again = await operator.show(code);
  expect([again.status, again.headers.get('location')]).toEqual([303, '/approvals?said=not_there']);
  expect(await operator.view()).not.toContain(code);
  expect(JSON.stringify(log.lines)).toContain('operator was shown a new secret');
  expect(JSON.stringify(log.lines)).not.toContain(value);
});

test('what nobody looks at in time is gone, and what was only reserved is not shown', async () => {
  await setOperatorSecret(approvalsFixture.operator);
  const { handover, address } = await start();
  const reserved = await handover.reserve('API token reserved');
  const place = await handover.reserve('API token ci');
  await place.put(value);
  const code = /[A-Z\d]{4}-[A-Z\d]{4}/.exec(place.where)![0];
  expect(await (await signIn(address)).view()).not.toContain('API token reserved');
  await reserved.release();
  now += approvalLifetime;
  const operator = await signIn(address);
  expect(await operator.view()).not.toContain(code);
  expect((await operator.show(code)).headers.get('location')).toBe('/approvals?said=not_there');
});

test('there is no place without an operator, or once too many wait', async () => {
  const { handover } = await start();
  expect(await handover.whyUnavailable()).toMatchObject({ why: expect.stringContaining('no operator') as unknown });
  await expect(handover.reserve('API token ci')).rejects.toThrow('no operator');
  await setOperatorSecret(approvalsFixture.operator);
  for (let count = 0; count < 20; count += 1) await (await handover.reserve(`API token ${count}`)).put(value);
  expect(await handover.whyUnavailable()).toMatchObject({ why: expect.stringContaining('20 secrets wait') as unknown });
  now += approvalLifetime;
  expect(await handover.whyUnavailable()).toBeUndefined();
});
