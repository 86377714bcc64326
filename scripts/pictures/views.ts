/**
 * Makes the picture of a view for readers: the page that a host gets, in the host of the tests, with a result in the
 * form of a real one. Times and ids stay the same.
 */
import { viewPage } from '../../src/views/build-page.ts';
import { settle } from '../../test/browser/pictures.ts';
import { showView } from '../../test/browser/view-host.ts';
import { foundLog, viewStates } from '../../test/browser/view-results.ts';
import { openBrowser } from '../../test/support/browser.ts';
import type { PictureScheme } from './approvals-page.ts';
import { compactPng } from './png.ts';

/** The path of the picture, from the root. */
export const viewPicturePath = (scheme: PictureScheme): string => `docs/pictures/deployment-view-${scheme}.png`;

/** The picture of the view of a failed deployment, as PNG. Needs Chromium and the fonts of `fonts-dejavu-core`. */
export async function viewPicture(scheme: PictureScheme): Promise<Buffer> {
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({
      viewport: { width: 720, height: 600 },
      colorScheme: scheme,
      bypassCSP: true,
    });
    const tab = await context.newPage();
    await tab.clock.setFixedTime('2026-11-24T12:00:00Z');
    const { view, ...shown } = viewStates['a failed deployment'];
    const { frame } = await showView(tab, { ...shown, html: await viewPage(view), answer: async () => foundLog });
    await frame.getByRole('button', { name: 'Search' }).click();
    await frame.getByRole('region', { name: 'Lines that were found' }).waitFor();
    await settle(frame);
    // The frame gets the height that the view has with these fonts.
    await tab.waitForFunction(
      `(async () => document.querySelector('iframe').clientHeight === window.said.findLast(({ method }) => method === 'ui/notifications/size-changed').params.height)()`,
    );
    return await compactPng(browser, await tab.screenshot({ fullPage: true, animations: 'disabled' }));
  } finally {
    await browser.close();
  }
}
