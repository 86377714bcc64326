import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

/** Where Debian's package `fonts-dejavu-core` puts the fonts of pictures. */
const fonts = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf', 'DejaVuSansMono.ttf', 'DejaVuSansMono-Bold.ttf'].map(
  (name) => `/usr/share/fonts/truetype/dejavu/${name}`,
);

/** Set to write the pictures instead of comparing with them. */
const updatesPictures = process.env['UPDATE_PICTURES'] === 'true';

/** Gives a page the same fonts and codes everywhere. Needs a context with `bypassCSP`. */
export async function settle(tab: Page): Promise<void> {
  const lacking = fonts.filter((path) => !existsSync(path));
  if (lacking.length > 0)
    throw new Error(
      `Pictures need the fonts ${lacking.join(', ')}. Install them with: apt-get install fonts-dejavu-core`,
    );
  await tab.addStyleTag({
    content:
      '* { font-family: "DejaVu Sans" !important; caret-color: transparent !important; } pre, pre *, code, .code { font-family: "DejaVu Sans Mono" !important; }',
  });
  await tab.evaluate(`document.querySelectorAll('.code').forEach((code) => { code.textContent = 'K7QM-2XRD'; })`);
}

/** Runs a function, given as text, in an empty page of a browser: its types aren't those of this program. */
export async function inBrowser<Result>(browser: Browser, code: string, input: unknown): Promise<Result> {
  const tab = await browser.newPage();
  const result = await tab.evaluate<Result>(`(${code})(${JSON.stringify(input)})`);
  await tab.close();
  return result;
}

/** Converts an encoded picture into a small one. It is done in a browser, which has the codecs. */
async function asWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const encoded = await inBrowser<string>(
    browser,
    `async (source) => {
      const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + source)).blob());
      const canvas = Object.assign(document.createElement('canvas'), { width: picture.width, height: picture.height });
      canvas.getContext('2d').drawImage(picture, 0, 0);
      return canvas.toDataURL('image/webp', 0.6).split(',')[1];
    }`,
    png.toString('base64'),
  );
  return Buffer.from(encoded, 'base64');
}

/** A picture of the whole page. */
export async function pictureOf(tab: Page): Promise<Buffer> {
  await settle(tab);
  return asWebp(tab.context().browser()!, await tab.screenshot({ fullPage: true, animations: 'disabled' }));
}

/** How two pictures differ. */
export interface PictureDifference {
  /** Whether one is more than a few pixels larger. */
  readonly isOtherSize: boolean;
  /** The share of squares of 8 pixels whose average colours differ visibly. */
  readonly share: number;
}

/**
 * Compares two encoded pictures by squares, so that smoothing of letters and compression don't count and everything
 * that a person would notice does.
 */
export const differenceOf = (browser: Browser, one: Buffer, other: Buffer): Promise<PictureDifference> =>
  inBrowser(
    browser,
    `async (sources) => {
      const side = 8;
      const visible = 32;
      const slack = 8;
      const [one, other] = await Promise.all(sources.map(async (source) => {
        const picture = await createImageBitmap(await (await fetch('data:image/*;base64,' + source)).blob());
        const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
        context.drawImage(picture, 0, 0);
        return context.getImageData(0, 0, picture.width, picture.height);
      }));
      const average = ({ data, width }, left, top) => {
        const sums = [0, 0, 0];
        for (let y = top; y < top + side; y += 1) for (let x = left; x < left + side; x += 1) for (let channel = 0; channel < 3; channel += 1) sums[channel] += data[(y * width + x) * 4 + channel];
        return sums.map((sum) => sum / side / side);
      };
      const [width, height] = [Math.min(one.width, other.width), Math.min(one.height, other.height)];
      let [squares, different] = [0, 0];
      for (let top = 0; top + side <= height; top += side) for (let left = 0; left + side <= width; left += side) {
        const [first, second] = [average(one, left, top), average(other, left, top)];
        squares += 1;
        if (first.some((value, channel) => Math.abs(value - second[channel]) > visible)) different += 1;
      }
      return { isOtherSize: Math.abs(one.width - other.width) > slack || Math.abs(one.height - other.height) > slack, share: different / squares };
    }`,
    [one.toString('base64'), other.toString('base64')],
  );

/** The largest share of squares that may differ: fewer than a button has. */
const tolerance = 0.001;

/** Whether nobody would notice a difference. */
export const looksAlike = ({ isOtherSize, share }: PictureDifference): boolean => !isOtherSize && share <= tolerance;

/** The committed picture; with UPDATE_PICTURES=true, the given one, once it is written there. */
export async function committedPicture(path: string, picture: Buffer): Promise<Buffer> {
  if (!updatesPictures) return readFile(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, picture);
  return picture;
}

/** Keeps a picture that looks different, for a person to look at. @returns what to tell. */
export async function keepPicture(name: string, picture: Buffer, difference: PictureDifference): Promise<string> {
  const folder = join(tmpdir(), 'infra-mcp-pictures');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), picture);
  return `${name} looks different: ${JSON.stringify(difference)}. How it looks now is in ${folder}. If that is right, write it with: UPDATE_PICTURES=true npm run test:browser`;
}
