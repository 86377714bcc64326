/**
 * Makes the picture of a view for readers: the page that a host gets, in the host of the tests, with a result in the
 * form of a real one. Times and ids stay the same.
 */
import { viewPage } from '../../src/views/build-page.ts';
import { showView } from '../../test/browser/view-host.ts';
import { foundLog, viewStates } from '../../test/browser/view-results.ts';
import { openBrowser } from '../../test/support/browser.ts';
import type { PictureScheme } from './approvals-page.ts';
import { compactPng } from './png.ts';

/** How wide the view is, in pixels. */
const width = 720;

/** The fonts that the host gives the view: the same everywhere. */
const fonts = { '--font-sans': '"DejaVu Sans"', '--font-mono': '"DejaVu Sans Mono"' };

/** The path of the picture, from the root. */
export const viewPicturePath = (scheme: PictureScheme): string => `docs/pictures/deployment-view-${scheme}.png`;

/** The picture of the view of a failed deployment, as PNG. Needs Chromium and the fonts of `fonts-dejavu-core`. */
export async function viewPicture(scheme: PictureScheme): Promise<Buffer> {
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({ viewport: { width, height: 600 }, colorScheme: scheme });
    const tab = await context.newPage();
    await tab.clock.setFixedTime('2026-11-24T12:00:00Z');
    const { view, ...shown } = viewStates['a failed deployment'];
    const { frame } = await showView(tab, {
      ...shown,
      html: await viewPage(view),
      answer: async () => foundLog,
      context: { styles: { variables: fonts } },
    });
    await frame.getByRole('button', { name: 'Search' }).click();
    await frame.getByRole('region', { name: 'Lines that were found' }).waitFor();
    // A frame of another origin is drawn where it is seen: the window gets the height of the view.
    const height = await frame.evaluate<number>('Math.ceil(document.documentElement.getBoundingClientRect().height)');
    await tab.setViewportSize({ width, height });
    await tab.waitForFunction(`document.querySelector('iframe').clientHeight === ${height}`);
    await frame.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    return await compactPng(browser, await tab.screenshot({ animations: 'disabled' }));
  } finally {
    await browser.close();
  }
}
