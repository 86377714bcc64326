import { crc32, deflateSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { inBrowser } from '../../test/browser/pictures.ts';

/** The pixels of a picture: three bytes each, row by row. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  /** In base64. */
  readonly colours: string;
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

const chunk = (type: string, data: Buffer): Buffer => {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
};

/** The header of a PNG with eight bits for each of red, green and blue. */
function header(width: number, height: number): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return chunk('IHDR', data);
}

/** The same picture in a smaller file. A browser filters rows for photos; text is smaller without. */
export async function compactPng(browser: Browser, png: Buffer): Promise<Buffer> {
  const { width, height, colours } = await inBrowser<Pixels>(
    browser,
    `async (source) => {
      const picture = await createImageBitmap(await (await fetch('data:image/png;base64,' + source)).blob());
      const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d');
      context.drawImage(picture, 0, 0);
      const { data } = context.getImageData(0, 0, picture.width, picture.height);
      return { width: picture.width, height: picture.height, colours: new Uint8Array(data.filter((_, index) => index % 4 !== 3)).toBase64() };
    }`,
    png.toString('base64'),
  );
  const pixels = Buffer.from(colours, 'base64');
  // Each row begins with the number of its filter: none.
  const rows = Array.from({ length: height }, (_, row) =>
    Buffer.concat([Buffer.of(0), pixels.subarray(row * width * 3, (row + 1) * width * 3)]),
  );
  return Buffer.concat([
    signature,
    header(width, height),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
