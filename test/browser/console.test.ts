import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { startProgram } from '../support/started-program.ts';
import { connectModernHttp } from '../transport/test-server.ts';
import { isWiderThanWindow, problemsIn } from './accessibility.ts';
import { useTabs } from './tabs.ts';

const openTab = useTabs();

/** Starts `infra-mcp http` with its console and a seeded platform. It ends with the test. */
async function startConsole() {
  const dataDir = await temporaryDirectory();
  await setOperatorSecret(join(dataDir, 'operator.json'));
  const { ready, child } = await startProgram(
    commandLine(['http', '--port', '0', '--console', '--data-dir', dataDir, '--scenario', 'bad-image-tag']),
  );
  const endpoint = new URL(ready.url);
  return { endpoint, child, at: (path: string) => new URL(`/console/${path}`, endpoint).href };
}

/** Gives the operator's secret at a tab, as a person does. */
async function enter(tab: Page, address: string): Promise<void> {
  await tab.goto(address);
  await tab.getByLabel('Operator secret').fill(operatorSecret);
  await tab.getByRole('button', { name: 'Enter' }).click();
  await tab.getByRole('navigation', { name: 'Console' }).waitFor();
}

/** The tabs, and what each shows once it has read. */
const tabs: Readonly<Record<string, (tab: Page) => Promise<unknown>>> = {
  approvals: (tab) => tab.getByRole('heading', { name: 'Latest calls' }).waitFor(),
  organization: (tab) => tab.getByRole('heading', { name: 'shop' }).first().waitFor(),
  deployment: (tab) => tab.getByText('Name a service or an environment').waitFor(),
  'deployment?environment=shop/staging': (tab) => tab.getByRole('button', { name: 'Refresh' }).waitFor(),
  'comparison?first=shop/staging&second=shop/production': (tab) =>
    tab.getByText('services in common').first().waitFor(),
  'measurements?project=shop': (tab) => tab.getByRole('heading', { name: 'Measurements' }).waitFor(),
  'deployment?service=no/such/service': (tab) => tab.getByText("Couldn't look:").waitFor(),
  audit: (tab) => tab.getByRole('heading', { name: 'Records' }).waitFor(),
  'audit?verify=yes': (tab) => tab.getByText(/Verified: \d+ entr/).waitFor(),
};

async function inEveryLook(tab: Page, check: (look: string) => Promise<void>): Promise<void> {
  for (const width of [320, 390, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.setViewportSize({ width, height: 844 });
      await tab.emulateMedia({ colorScheme });
      await check(`${width}-${colorScheme}`);
    }
}

describe.skipIf(!hasBrowser)('the console', () => {
  test('is usable by everybody in each of its tabs, light and dark, and no wider than the window', async () => {
    const { at } = await startConsole();
    const tab = await openTab({ bypassCSP: true });
    await enter(tab, at('approvals'));
    for (const [path, isShown] of Object.entries(tabs)) {
      await tab.goto(at(path));
      await isShown(tab);
      await inEveryLook(tab, async (look) => {
        expect(await problemsIn(tab), `${path} ${look}`).toEqual([]);
        expect(await isWiderThanWindow(tab), `${path} ${look}`).toBe(false);
      });
    }
  });

  test('goes from tab to tab by keyboard, and opens an environment of the tree', async () => {
    const { at } = await startConsole();
    const tab = await openTab();
    await enter(tab, at('approvals'));
    await tab.getByRole('link', { name: 'Organization' }).focus();
    await tab.keyboard.press('Enter');
    await tabs['organization']!(tab);
    await tab.locator('summary').first().focus();
    await tab.keyboard.press('Enter');
    await tab.locator('details[open] .tree li').first().waitFor();
  });

  test('runs its own scripts only, and reaches no other server', async () => {
    const { at, endpoint } = await startConsole();
    const tab = await openTab();
    const [asked, refused]: [string[], string[]] = [[], []];
    tab.on('request', (request) => asked.push(new URL(request.url()).host));
    tab.on('console', (message) => refused.push(message.text()));
    await enter(tab, at('organization'));
    await tabs['organization']!(tab);
    expect(new Set(asked)).toEqual(new Set([endpoint.host]));
    expect(refused.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
    await tab.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { src: '/console/views.js' }))`,
    );
    await expect.poll(() => refused.join()).toContain('Content Security Policy');
  });

  test('shows markup in names as text', async () => {
    const { at, endpoint } = await startConsole();
    const client = await connectModernHttp(endpoint);
    const name = `<img src=x onerror="document.title='taken'">`;
    await client.call('create_project', { name });
    await client.call('create_environment', { project: name, name: 'lab', mode: 'DEVELOPMENT' });
    const tab = await openTab();
    await enter(tab, at('organization'));
    await tabs['organization']!(tab);
    await tab.goto(at('audit'));
    await tab.getByText('create_').first().waitFor();
    expect(await tab.locator('img').count()).toBe(0);
    expect(await tab.title()).not.toBe('taken');
  });

  test('says since when it is not live once the server is gone, and keeps what it shows', async () => {
    const { at, child } = await startConsole();
    const tab = await openTab();
    await enter(tab, at('organization'));
    await tabs['organization']!(tab);
    child.kill('SIGKILL');
    await tab
      .locator('#live')
      .filter({ hasText: /^Not live since \d\d:\d\d:\d\d UTC: the server does not respond/ })
      .waitFor();
    expect(await tab.getByRole('heading', { name: 'shop' }).count()).toBeGreaterThan(0);
  });
});
