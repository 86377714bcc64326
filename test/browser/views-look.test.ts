import axe from 'axe-core';
import type { Frame } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { viewPage } from '../../src/views/build-page.ts';
import { hasBrowser } from '../support/browser.ts';
import { useTabs } from './tabs.ts';
import { showView } from './view-host.ts';
import { failedResult, foundLog, measuredLater, viewStates, type ViewState } from './view-results.ts';

const openTab = useTabs();

/** What axe finds in a frame, in words. */
async function problemsIn(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  // A host has the landmarks and headings around a view.
  const { violations } = await frame.evaluate<axe.AxeResults>('axe.run()');
  return violations.map(
    ({ id, impact, nodes }) => `${impact}: ${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
}

const states: Readonly<Record<string, ViewState>> = {
  ...viewStates,
  'a call that failed': { ...viewStates['an organization'], result: failedResult },
  'names without spaces': {
    ...viewStates['an organization'],
    result: JSON.parse(
      JSON.stringify(viewStates['an organization'].result).replaceAll('development', 'd'.repeat(200)),
    ) as ViewState['result'],
  },
};

/** What a person does before looking. */
const openAll: Readonly<Record<string, (frame: Frame) => Promise<unknown>>> = {
  organization: async (frame) => {
    for (const summary of await frame.locator('summary').all()) await summary.click();
  },
  deployment: async (frame) => {
    await frame.getByRole('button', { name: 'Search' }).click();
    await frame.getByRole('region', { name: 'Lines that were found' }).waitFor();
  },
  comparison: async (frame) => {
    for (const summary of await frame.locator('summary').all()) await summary.click();
  },
  measurements: async (frame) => {
    await frame.getByRole('button', { name: 'Refresh' }).click();
    await frame.getByRole('img').first().waitFor();
  },
};

const answers: Readonly<Record<string, ViewState['result']>> = {
  organization: viewStates['an environment'].result,
  deployment: foundLog,
  comparison: viewStates['two environments'].result,
  measurements: measuredLater,
};

describe.skipIf(!hasBrowser)('in every width and colour scheme, a view', () => {
  test.each(Object.keys(states))('of %s is usable by everybody, and no wider than its frame', async (name) => {
    const { view, tool, args, result } = states[name]!;
    const tab = await openTab({ bypassCSP: true });
    const { frame } = await showView(tab, {
      html: await viewPage(view),
      tool,
      args,
      result,
      answer: async () => answers[view]!,
    });
    if (result.isError !== true) await openAll[view]!(frame);
    for (const width of [320, 390, 1280]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.setViewportSize({ width, height: 844 });
        await tab.emulateMedia({ colorScheme });
        const look = `${width}-${colorScheme}`;
        expect(await problemsIn(frame), look).toEqual([]);
        expect(await frame.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth'), look).toBe(
          false,
        );
      }
    }
  });

  test('is light where the host is, and dark where it is', async () => {
    const { view, tool, args, result } = viewStates['an organization'];
    const tab = await openTab();
    const { frame } = await showView(tab, { html: await viewPage(view), tool, args, result });
    const grounds: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.emulateMedia({ colorScheme });
      grounds.push(await frame.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
    }
    expect(grounds).toEqual(['rgb(255, 255, 255)', 'rgb(20, 24, 29)']);
  });

  test('would be found out with letters that are hard to see', async () => {
    const { view, tool, args, result } = viewStates['an organization'];
    const tab = await openTab({ bypassCSP: true });
    const { frame } = await showView(tab, { html: await viewPage(view), tool, args, result });
    await frame.evaluate(`document.querySelector('h1').style.color = 'light-dark(#ccc, #444)'`);
    expect(await problemsIn(frame)).toEqual([expect.stringMatching(/^serious: color-contrast/)]);
  });
});
