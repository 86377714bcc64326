import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCalls } from '../../src/server/audit/index.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { setOperatorSecret } from '../support/guard-fixture.ts';
import { startProgram } from '../support/started-program.ts';
import { browserAt } from '../transport/operator-browser.ts';

test('the console of a data directory creates nothing until somebody looks, reads its platform, and records who read', async () => {
  const dataDir = await temporaryDirectory();
  const { ready, child, ended } = await startProgram(commandLine(['console', '--data-dir', dataDir]));
  const address = new URL(ready.url);
  expect([address.hostname, address.pathname]).toEqual(['127.0.0.1', '/console']);
  expect(await readdir(dataDir)).toEqual([]);
  expect(await (await fetch(address)).text()).toContain('approve');

  await setOperatorSecret(join(dataDir, 'operator.json'));
  const browser = browserAt(address, '/console/organization');
  await browser.enter();
  const read = await fetch(new URL('/console/read?tool=get_organization_overview', address), {
    headers: { cookie: browser.cookie(), 'x-infra-live': '1' },
  });
  expect(await read.json()).toMatchObject({ structuredContent: { organization: 'Acme' } });
  expect((await fetch(new URL('/mcp', address))).status).toBe(404);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  expect(await readCalls([join(dataDir, 'audit.jsonl')], 10)).toMatchObject([
    { who: 'operator', connection: 'console', tool: 'get_organization_overview', outcome: 'done' },
  ]);
});
