/**
 * Makes the picture of the console for readers, from the real program: what an operator sees of the organization, light
 * and dark.
 */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { setSecret } from '../../src/server/guard/index.ts';
import { settle } from '../../test/browser/pictures.ts';
import { openBrowser } from '../../test/support/browser.ts';
import { removeTemporaryDirectory, temporaryDirectory } from '../temporary-directory.ts';
import { startServer, type PictureScheme } from './approvals-page.ts';
import { compactPng } from './png.ts';

const operatorSecret = 'only for this picture';

/** The path of a picture, from the root. */
export const consolePicturePath = (scheme: PictureScheme): string => `docs/pictures/console-${scheme}.png`;

/** Replaces times, which differ with each picture. */
const steady = (tab: Page): Promise<unknown> =>
  tab.evaluate(`{
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      node.data = node.data
        .replace(/\\b\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC/g, '2026-11-20 10:00:00 UTC')
        .replace(/\\b\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\dZ/g, '2026-11-20T10:00Z')
        .replace(/(?<=until )2026-11-20/, '2026-11-25');
  }`);

async function pictureAt(url: string, scheme: PictureScheme): Promise<Buffer> {
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({
      viewport: { width: 820, height: 600 },
      colorScheme: scheme,
      bypassCSP: true,
    });
    const tab = await context.newPage();
    await tab.goto(new URL('/console/organization', url).href);
    await tab.getByLabel('Operator secret').fill(operatorSecret);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('heading', { name: 'shop' }).first().waitFor();
    await settle(tab);
    await steady(tab);
    return await compactPng(browser, await tab.screenshot({ fullPage: true, animations: 'disabled' }));
  } finally {
    await browser.close();
  }
}

/** The picture of the console, as PNG. Needs Chromium and the fonts of Debian's package `fonts-dejavu-core`. */
export async function consolePicture(scheme: PictureScheme): Promise<Buffer> {
  const directory = await temporaryDirectory('infra-mcp-picture-');
  try {
    await setSecret(join(directory, 'operator.json'), operatorSecret);
    const server = await startServer(directory, '--console');
    try {
      return await pictureAt(server.url, scheme);
    } finally {
      await server.stop();
    }
  } finally {
    removeTemporaryDirectory(directory);
  }
}
