import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { operatorSecret } from '../support/guard-fixture.ts';
import { enter, lookedAt, startSamplePage } from './sample-page.ts';
import { useTabs } from './tabs.ts';

const openPage = useTabs();
const openTab = ({ scripts = true } = {}): Promise<Page> => openPage({ javaScriptEnabled: scripts });

const call = { principal: 'key:ci', minutesAgo: 0, typed: 'shop/production', plan: {} } as const;
const harmless = {
  ...call,
  typed: undefined,
  plan: {
    tool: 'update_application',
    target: { kind: 'application', id: 'a', name: 'api', mode: 'STAGING', path: 'shop/staging/api' },
  },
} as const;

const box = (tab: Page, text: string) => tab.getByRole('article').filter({ hasText: text });
const typedName = (tab: Page, text: string) => box(tab, text).getByLabel('To approve it');
const news = (tab: Page) => tab.locator('#news');
const liveState = (tab: Page) => tab.locator('#live');

/** Marks the document, to see later that it is still the same. */
const mark = (tab: Page): Promise<unknown> => tab.evaluate(`window.isTheSame = true`);
const isMarked = (tab: Page): Promise<boolean> => tab.evaluate<boolean>(`window.isTheSame === true`);

/** What has the focus: its role in the page and its text. */
const focused = (tab: Page): Promise<string> =>
  tab.evaluate<string>(
    `(({ localName, name, textContent }) => [localName, name, textContent.trim()].filter(Boolean).join(' '))(document.activeElement)`,
  );

/** The next time the page has asked the server for what changed, which it does at least once a minute of the clock. */
const refreshed = async (tab: Page, pass: () => unknown): Promise<void> => {
  const asked = tab.waitForResponse((response) => response.request().headers()['x-infra-live'] === '1');
  pass();
  await (await asked).finished();
};

const refuse = async (decide: Awaited<ReturnType<typeof startSamplePage>>['decide'], code: string): Promise<void> => {
  expect(await decide(code, 'refused', operatorSecret, lookedAt)).toEqual({ kind: 'decided' });
};

describe.skipIf(!hasBrowser)('where scripts run, the page of approvals', () => {
  test('shows a new call, says so, and leaves focus and typed text as they are', async () => {
    const { address, ask } = await startSamplePage({ calls: [] });
    const first = await ask(call);
    const tab = await openTab();
    await enter(tab, address);
    await mark(tab);
    await typedName(tab, first).pressSequentially('shop/pro');
    expect(await news(tab).textContent()).toBe('');
    expect(await news(tab).getAttribute('role')).toBe('status');

    const second = await ask({ ...harmless, principal: 'key:bot' });
    await box(tab, second).waitFor();
    expect(await news(tab).textContent()).toBe(
      'A new call waits: update_application on shop/staging/api, asked by key:bot.',
    );
    expect(await tab.getByRole('heading', { name: 'key:bot 1 call' }).count()).toBe(1);
    expect(await tab.title()).toBe('(2) Approvals - infra-mcp');
    await tab.keyboard.type('duction');
    expect(await typedName(tab, first).inputValue()).toBe('shop/production');
    await ask({ ...harmless, principal: 'key:ci' });
    await tab.getByRole('heading', { name: 'key:ci 2 calls' }).waitFor();
    expect(await focused(tab)).toBe('input typed');
    expect(await isMarked(tab)).toBe(true);
    await tab.keyboard.press('Enter');
    await tab.getByText('Approved, for one call').waitFor();
  });

  test('removes a call that no longer waits, and says so; one that has the focus stays until the focus leaves it', async () => {
    const { address, ask, decide } = await startSamplePage({ calls: [] });
    const [first, second, third] = [await ask(call), await ask(harmless), await ask(harmless)];
    const tab = await openTab();
    await enter(tab, address);
    await mark(tab);
    await refuse(decide, third);
    await box(tab, third).waitFor({ state: 'detached' });
    expect(await news(tab).textContent()).toBe(
      'No longer waits: update_application on shop/staging/api, asked by key:ci.',
    );

    await typedName(tab, first).focus();
    await refuse(decide, first);
    await box(tab, first).getByText('It no longer waits').waitFor();
    await refreshed(tab, () => void ask({ ...harmless, principal: 'key:later' }));
    expect(await box(tab, first).getByText('It no longer waits').count()).toBe(1);
    expect(await focused(tab)).toBe('input typed');
    await box(tab, second).getByRole('button', { name: 'Refuse' }).focus();
    await box(tab, first).waitFor({ state: 'detached' });
    expect(await isMarked(tab)).toBe(true);
  });

  test('counts the minutes, and keeps the exact times', async () => {
    let now = lookedAt;
    const { address, ask } = await startSamplePage({ calls: [], now: () => now });
    const code = await ask(harmless);
    const tab = await openTab();
    await enter(tab, address);
    const expires = box(tab, code).locator('time').nth(1);
    expect(await expires.textContent()).toBe('in 15 minutes');
    now += 4.5 * 60_000;
    await expires.filter({ hasText: 'in 10 minutes' }).waitFor();
    expect(await expires.getAttribute('datetime')).toBe('2026-11-20T10:15:00.000Z');
    expect(await expires.getAttribute('title')).toBe('2026-11-20 10:15:00 UTC');
  });

  test('does not keep the operator signed in by asking for what is new, and then shows nothing any more', async () => {
    let now = lookedAt;
    const { address, ask } = await startSamplePage({ calls: [], now: () => now });
    const code = await ask(harmless);
    const tab = await openTab();
    await enter(tab, `${address}?code=${code}`);
    await refreshed(tab, () => (now += 6 * 60_000));
    expect(await box(tab, code).count()).toBe(1);
    now += 6 * 60_000;
    await tab.getByLabel('Operator secret').waitFor();
    expect(await tab.content()).not.toContain('update_application');
    await tab.getByLabel('Operator secret').fill(operatorSecret);
    await tab.keyboard.press('Enter');
    await box(tab, code).waitFor();
  });

  test('says that the server does not respond, and when it does again', async () => {
    const { address, ask } = await startSamplePage();
    const tab = await openTab();
    await enter(tab, address);
    await tab.context().route('**/*', (route) => route.abort());
    await ask(harmless);
    await liveState(tab)
      .filter({
        hasText:
          /^Not live since \d\d:\d\d:\d\d UTC: the server does not respond\. What is shown may be out of date\.$/,
      })
      .waitFor();
    await tab.context().unroute('**/*');
    await liveState(tab).filter({ hasText: 'Live again.' }).waitFor();
    expect(await tab.getByRole('article').count()).toBe(5);
  });

  test('with several pages, takes no call that moved to this page for a new one', async () => {
    const { address, ask, decide } = await startSamplePage({ calls: [] });
    const codes: string[] = [];
    for (let number = 0; number < 22; number += 1) codes.push(await ask({ ...harmless, principal: `key:${number}` }));
    const tab = await openTab();
    await enter(tab, address);
    expect(await box(tab, codes[20]!).count()).toBe(0);
    await refuse(decide, codes[0]!);
    await box(tab, codes[20]!).waitFor();
    expect(await news(tab).textContent()).toBe('21 calls wait.');
  });

  test('with several pages, says of a call that moved to another page that it is no longer on this one, and nothing more once it is back', async () => {
    const { address, ask, decide } = await startSamplePage({ calls: [] });
    const codes: string[] = [];
    for (let number = 0; number < 22; number += 1) codes.push(await ask({ ...harmless, principal: `key:${number}` }));
    const tab = await openTab();
    await enter(tab, address);
    await tab.getByRole('link', { name: 'Next' }).first().click();
    const moved = box(tab, codes[20]!);
    await moved.getByRole('button', { name: 'Refuse' }).focus();
    await refuse(decide, codes[0]!);
    await moved.getByText('It is no longer on this page.').waitFor();
    // What is gone is looked at again when the focus moves.
    await refreshed(tab, () => void tab.evaluate(`document.dispatchEvent(new FocusEvent('focusout'))`));
    expect(await moved.getByText('It is no longer on this page.').count()).toBe(1);
    expect(await tab.getByText('decided elsewhere').count()).toBe(0);

    // Newest first, a new call moves the last one of the page to the next, until it is refused.
    await tab.getByRole('link', { name: 'Newest first' }).first().click();
    await box(tab, codes[21]!).waitFor();
    const last = box(tab, codes[2]!);
    await last.getByRole('button', { name: 'Refuse' }).focus();
    const newest = await ask({ ...harmless, principal: 'key:new' });
    await last.getByText('It is no longer on this page.').waitFor();
    await refuse(decide, newest);
    await box(tab, newest).waitFor({ state: 'detached' });
    expect(await last.count()).toBe(1);
    expect(await last.getByText('It is no longer on this page.').count()).toBe(0);
    expect(await last.getAttribute('class')).not.toContain('gone');
    await last.getByRole('button', { name: 'Refuse' }).click();
    await tab.getByText('Refused.').waitFor();
  });

  test('looks every few seconds where no events arrive, and says since when', async () => {
    const { address, ask } = await startSamplePage();
    const tab = await openTab();
    await tab.context().route('**/events*', (route) => route.abort());
    await enter(tab, address);
    await liveState(tab)
      .filter({ hasText: /^Not live since \d\d:\d\d:\d\d UTC: the page looks every 4 seconds instead\.$/ })
      .waitFor();
    await box(tab, await ask(harmless)).waitFor();
  });

  test('runs its own script only, even where markup names it', async () => {
    const { address } = await startSamplePage();
    const tab = await openTab();
    await enter(tab, address);
    const messages: string[] = [];
    tab.on('console', (message) => messages.push(message.text()));
    await tab.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { src: '/approvals/live.js' }))`,
    );
    await expect.poll(() => messages.join()).toContain('Content Security Policy');
  });
});

describe.skipIf(!hasBrowser)('by keyboard, the page of approvals', () => {
  test('begins at no decision, and comes to refusing before approving', async () => {
    const { address, ask } = await startSamplePage({ calls: [] });
    await ask(call);
    const tab = await openTab();
    await enter(tab, address);
    expect(await focused(tab)).not.toContain('button');
    const order: string[] = [];
    for (let step = 0; step < 8; step += 1) {
      await tab.keyboard.press('Tab');
      order.push(await focused(tab));
    }
    expect(order).toEqual([
      'button do Sign out',
      'input code',
      'button Find',
      'a Newest first',
      'input reason',
      'button do Refuse',
      'input typed',
      'button do Approve on PRODUCTION, for one call',
    ]);
  });

  test('decides by the return key what its field is for, and nothing with a wrong name', async () => {
    const { address, ask } = await startSamplePage({ calls: [] });
    const code = await ask(call);
    const tab = await openTab();
    await enter(tab, address);
    await typedName(tab, code).fill('shop/staging');
    await tab.keyboard.press('Enter');
    await tab.getByText('Not approved').waitFor();
    expect(await focused(tab)).toContain('p Not approved');
    await typedName(tab, code).fill('shop/production');
    await tab.keyboard.press('Enter');
    await tab.getByText('Approved, for one call').waitFor();
    expect(await focused(tab)).toContain('p Approved, for one call');
  });
});

describe.skipIf(!hasBrowser).each([
  ['with scripts', true],
  ['without scripts', false],
])('%s', (_, scripts) => {
  test('an address with a code opens that call alone, behind the secret', async () => {
    const { address, ask } = await startSamplePage();
    const code = await ask(harmless);
    const tab = await openTab({ scripts });
    await tab.goto(`${address}?code=${code}`);
    expect(await tab.getByText('update_application').count()).toBe(0);
    await enter(tab, `${address}?code=${code}`);
    expect(await tab.getByRole('article').count()).toBe(1);
    await box(tab, code).getByRole('button', { name: 'Refuse' }).click();
    await tab.getByText('Refused.').waitFor();
    expect(await tab.getByRole('article').count()).toBe(4);
  });

  test('exact times can be read, calls are grouped by caller, and what is said about updates is true', async () => {
    const { address } = await startSamplePage();
    const tab = await openTab({ scripts });
    await enter(tab, address);
    expect(await box(tab, 'stop_environment').innerText()).toContain('12 minutes ago 2026-11-20 09:48:00 UTC');
    expect(await tab.getByRole('region', { name: 'key:ci 2 calls' }).getByRole('article').count()).toBe(2);
    expect(await tab.getByText('does not update itself without scripts').count()).toBe(scripts ? 0 : 1);
  });
});
