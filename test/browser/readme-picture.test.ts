import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  approvalsPagePicture,
  picturePath,
  pictureSchemes,
  type PictureScheme,
} from '../../scripts/pictures/approvals-page.ts';
import { consolePicture, consolePicturePath } from '../../scripts/pictures/console.ts';
import { viewPicture, viewPicturePath } from '../../scripts/pictures/views.ts';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { differenceOf, looksAlike } from './pictures.ts';

const maximumBytes = 160_000;

let browser: Browser;

beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

/** The pictures: where one is, and how it is made. */
const pictures = [
  ['of the approvals page', picturePath, approvalsPagePicture],
  ['of the console', consolePicturePath, consolePicture],
  ['of a view', viewPicturePath, viewPicture],
] as const;

describe.skipIf(!hasBrowser).each(pictures)('the picture %s for readers', (_, pathOf, make) => {
  const committed = (scheme: PictureScheme): Promise<Buffer> =>
    readFile(join(import.meta.dirname, '../..', pathOf(scheme)));

  test.each(pictureSchemes)('in %s shows the page as it is, and is small', async (scheme) => {
    const picture = await committed(scheme);
    const difference = await differenceOf(browser, picture, await make(scheme));
    expect(
      looksAlike(difference),
      `${pathOf(scheme)} is out of date: ${JSON.stringify(difference)}. Write it with: npm run pictures`,
    ).toBe(true);
    expect(picture.length).toBeLessThan(maximumBytes);
  });

  test('in one scheme differs from the other', async () => {
    expect(looksAlike(await differenceOf(browser, await committed('light'), await committed('dark')))).toBe(false);
  });
});
