import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { isWiderThanWindow, problemsIn } from './accessibility.ts';
import { enter, startConsole, tabs } from './console-page.ts';
import { useTabs } from './tabs.ts';

const openTab = useTabs();

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
});
