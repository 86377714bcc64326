import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { connectModernHttp } from '../transport/test-server.ts';
import { enter, startConsole, tabs } from './console-page.ts';
import { useTabs } from './tabs.ts';

const openTab = useTabs();

describe.skipIf(!hasBrowser)('the console', () => {
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
