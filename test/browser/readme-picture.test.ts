import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { approvalsPagePicture, picturePath, pictureSchemes } from '../../scripts/pictures/approvals-page.ts';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { differenceOf, looksAlike } from './pictures.ts';

const maximumBytes = 150_000;

let browser: Browser;

beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

const committed = (scheme: (typeof pictureSchemes)[number]): Promise<Buffer> =>
  readFile(join(import.meta.dirname, '../..', picturePath(scheme)));

describe.skipIf(!hasBrowser)('the picture of the approvals page for readers', () => {
  test.each(pictureSchemes)('in %s shows the page as it is, and is small', async (scheme) => {
    const picture = await committed(scheme);
    const difference = await differenceOf(browser, picture, await approvalsPagePicture(scheme));
    expect(
      looksAlike(difference),
      `${picturePath(scheme)} is out of date: ${JSON.stringify(difference)}. Write it with: npm run pictures`,
    ).toBe(true);
    expect(picture.length).toBeLessThan(maximumBytes);
  });

  test('in one scheme differs from the other', async () => {
    expect(looksAlike(await differenceOf(browser, await committed('light'), await committed('dark')))).toBe(false);
  });
});
