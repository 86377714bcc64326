/** Writes the pictures of the pages, from the real program. With names, only those: `npm run pictures -- demo`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { approvalsPagePicture, picturePath, pictureSchemes } from './pictures/approvals-page.ts';
import { consolePicture, consolePicturePath } from './pictures/console.ts';
import { viewPicture, viewPicturePath } from './pictures/views.ts';
import { demoPicture, demoPicturePath } from './pictures/demo.ts';

const root = join(import.meta.dirname, '..');

/** The pictures by name, each with its files. */
const pictures: Readonly<Record<string, Readonly<Record<string, () => Promise<string | Buffer>>>>> = {
  demo: { [demoPicturePath]: demoPicture },
  'approvals-page': Object.fromEntries(
    pictureSchemes.map((scheme) => [picturePath(scheme), () => approvalsPagePicture(scheme)]),
  ),
  console: Object.fromEntries(
    pictureSchemes.map((scheme) => [consolePicturePath(scheme), () => consolePicture(scheme)]),
  ),
  views: Object.fromEntries(pictureSchemes.map((scheme) => [viewPicturePath(scheme), () => viewPicture(scheme)])),
};

const { positionals: asked } = parseArgs({ allowPositionals: true });
const unknown = asked.filter((name) => !Object.hasOwn(pictures, name));
if (unknown.length > 0)
  throw new Error(`There is no picture ${unknown.join(', ')}. There are ${Object.keys(pictures).join(', ')}.`);

for (const [name, files] of Object.entries(pictures)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  for (const [path, make] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), await make());
    console.log(`Wrote ${path}.`);
  }
}
