import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds in a page, in words. */
export async function problemsIn(tab: Page): Promise<string[]> {
  await tab.evaluate(axe.source);
  const { violations } = await tab.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(
    ({ id, impact, nodes }) => `${impact}: ${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
}

/** Whether a page is wider than its window. */
export const isWiderThanWindow = (tab: Page): Promise<boolean> =>
  tab.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth');
