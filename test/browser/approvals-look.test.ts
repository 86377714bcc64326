import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { isWiderThanWindow, problemsIn } from './accessibility.ts';
import { committedPicture, differenceOf, keepPicture, looksAlike, pictureOf } from './pictures.ts';
import { enter, startSamplePage } from './sample-page.ts';
import { useTabs } from './tabs.ts';

const openTab = useTabs();

const box = (tab: Page, text: string) => tab.getByRole('article').filter({ hasText: text });

/** Each state of the page, and how a person gets there. */
const states: Readonly<Record<string, (tab: Page) => Promise<void>>> = {
  'without an operator secret': async (tab) => {
    const { address } = await startSamplePage({ isOpen: false });
    await tab.goto(address);
    await tab.getByText('No operator secret is set').waitFor();
  },
  'before signing in': async (tab) => {
    const { address } = await startSamplePage();
    await tab.goto(address);
    await tab.getByLabel('Operator secret').waitFor();
  },
  'after a wrong secret': async (tab) => {
    const { address } = await startSamplePage();
    await tab.goto(address);
    await tab.getByLabel('Operator secret').fill('guessed');
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByText('That is not the secret').waitFor();
  },
  'with waiting calls': async (tab) => {
    const { address } = await startSamplePage();
    await enter(tab, address);
    expect(await tab.getByRole('article').count()).toBe(4);
  },
  'with more calls than one page holds': async (tab) => {
    const { address, ask } = await startSamplePage();
    for (let number = 0; number < 20; number += 1)
      await ask({ principal: `key:${number % 3}`, minutesAgo: 0, plan: {} });
    await enter(tab, address);
    await tab.getByRole('link', { name: 'Next' }).first().click();
    await tab.getByText('page 2 of 2').first().waitFor();
  },
  'with one call alone': async (tab) => {
    const { address, ask } = await startSamplePage();
    const code = await ask({ principal: 'key:ci', minutesAgo: 0, plan: {} });
    await enter(tab, `${address}?code=${code}`);
    await box(tab, code).waitFor();
  },
  'with a code under which nothing waits': async (tab) => {
    const { address } = await startSamplePage();
    await enter(tab, `${address}?code=AAAA-AAAA`);
    await tab.getByText('Nothing waits under AAAA-AAAA').waitFor();
  },
  'with a plan and names without spaces': async (tab) => {
    const { address, ask } = await startSamplePage({ calls: [] });
    await ask({
      principal: `key:${'k'.repeat(200)}`,
      typed: 'p'.repeat(300),
      minutesAgo: 0,
      plan: {
        effects: ['x'.repeat(9000)],
        target: { kind: 'environment', id: 'e', name: 'n', mode: 'PRODUCTION', path: 'p'.repeat(300) },
      },
    });
    await enter(tab, address);
    await tab.getByText('see all of it to approve it').waitFor();
  },
  'with nothing waiting and nothing recorded': async (tab) => {
    const { address } = await startSamplePage({ calls: [], records: [] });
    await enter(tab, address);
    await tab.getByText('Nothing waits for approval.').waitFor();
  },
  'after approving': async (tab) => {
    const { address } = await startSamplePage();
    await enter(tab, address);
    await box(tab, 'STAGING').getByRole('button', { name: 'Approve' }).click();
    await tab.getByText('Approved, for one call.').waitFor();
  },
  'after refusing': async (tab) => {
    const { address } = await startSamplePage();
    await enter(tab, address);
    await box(tab, 'STAGING').getByRole('button', { name: 'Refuse' }).click();
    await tab.getByText('Refused.').waitFor();
  },
  'after typing a wrong name': async (tab) => {
    const { address } = await startSamplePage();
    await enter(tab, address);
    await tab.getByLabel('To approve it').fill('shop/staging');
    await tab.keyboard.press('Enter');
    await tab.getByText('Not approved').waitFor();
  },
};

/** Does something with a page in every width and scheme. */
async function inEveryLook(tab: Page, check: (look: string) => Promise<void>): Promise<void> {
  for (const width of [390, 1280]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.setViewportSize({ width, height: 844 });
      await tab.emulateMedia({ colorScheme });
      await check(`${width}-${colorScheme}`);
    }
  }
}

/** A picture of the page with waiting calls. @param css is added to its own. */
async function pictureIn(tab: Page, css?: string): Promise<Buffer> {
  const style = css === undefined ? undefined : await tab.addStyleTag({ content: css });
  const picture = await pictureOf(tab);
  await style?.evaluate((element) => (element as unknown as { remove(): void }).remove());
  return picture;
}

async function openSamplePage(): Promise<Page> {
  const tab = await openTab({ bypassCSP: true });
  const { address } = await startSamplePage();
  await enter(tab, address);
  return tab;
}

describe.skipIf(!hasBrowser)('on phones and large screens, light and dark, the page of approvals', () => {
  test.each(Object.keys(states))('%s is usable by everybody, and no wider than the window', async (state) => {
    const tab = await openTab();
    await states[state]!(tab);
    await inEveryLook(tab, async (look) => {
      expect(await problemsIn(tab), look).toEqual([]);
      expect(await isWiderThanWindow(tab), look).toBe(false);
    });
  });

  test('the latest calls have no word broken on a large screen, and no column wider than what it holds', async () => {
    const tab = await openSamplePage();
    await tab.setViewportSize({ width: 1280, height: 844 });
    const broken = await tab.evaluate<string[]>(`[...document.querySelectorAll('#records td')].flatMap((cell) => {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const found = [];
      while (texts.nextNode())
        for (const { 0: word, index } of texts.currentNode.data.matchAll(/\\S+/g)) {
          const range = document.createRange();
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          if (range.getClientRects().length > 1) found.push(word);
        }
      return found;
    })`);
    expect(broken).toEqual([]);
    const [column, content] = await tab.evaluate<[number, number]>(`[
      document.querySelector('#records th').clientWidth,
      Math.max(...[...document.querySelectorAll('#records td[data-column=time] > *')].map((part) => part.getBoundingClientRect().width)),
    ]`);
    expect(column - content).toBeLessThan(40);
  });

  test('looks as in its pictures', async () => {
    const tab = await openSamplePage();
    const different: string[] = [];
    await inEveryLook(tab, async (look) => {
      const picture = await pictureIn(tab);
      const name = `approvals-${look}.webp`;
      const difference = await differenceOf(
        tab.context().browser()!,
        await committedPicture(join(import.meta.dirname, 'pictures', name), picture),
        picture,
      );
      if (!looksAlike(difference)) different.push(await keepPicture(name, picture, difference));
    });
    expect(different).toEqual([]);
  });

  test.each([
    [
      'an approve button in the colour of harmless calls',
      '.production .approve button { background: var(--approve) !important; }',
    ],
    ['no word about production', '.production .mode strong { visibility: hidden; }'],
    [
      'its buttons in the other order',
      '.decision { display: flex !important; flex-flow: row-reverse nowrap !important; }',
    ],
    ['nothing to refuse with', '.refuse { visibility: hidden; }'],
  ])('is seen to look different with %s', async (_, css) => {
    const tab = await openSamplePage();
    expect(
      looksAlike(await differenceOf(tab.context().browser()!, await pictureIn(tab), await pictureIn(tab, css))),
    ).toBe(false);
  });

  test('would be found out with a field without a label, or letters that are hard to see', async () => {
    const tab = await openTab({ bypassCSP: true });
    const { address } = await startSamplePage();
    await tab.goto(address);
    await tab.evaluate(
      `document.querySelector('main').insertAdjacentHTML('beforeend', '<input><p style="color: #ccc; background: #fff">hardly</p>')`,
    );
    expect(await problemsIn(tab)).toEqual([
      expect.stringMatching(/^serious: color-contrast/),
      expect.stringMatching(/^critical: label/),
    ]);
  });
});
