import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demoPicture, demoPicturePath } from '../scripts/pictures/demo.ts';
import { styledRows } from '../scripts/pictures/styled-lines.ts';
import { terminalSvg } from '../scripts/pictures/terminal-svg.ts';

const root = join(import.meta.dirname, '..');

test('the picture of the demo shows what the demo prints; otherwise run npm run pictures -- demo', async () => {
  const picture = await demoPicture();
  expect(await readFile(join(root, demoPicturePath), 'utf8')).toBe(picture);
  expect(picture.length).toBeLessThan(200_000);
  expect(picture).toContain('the user says: no');
  expect(picture).not.toMatch(/never_shown|https?:\/\/127\./);
  expect(picture).not.toContain('\u001B');
});

test('a line keeps its styles where it is broken, and its indentation', () => {
  expect(styledRows('  \u001B[36mone\u001B[39m two three', 10)).toEqual([
    [
      { text: '  ', styles: [] },
      { text: 'one', styles: ['cyan'] },
      { text: ' two', styles: [] },
    ],
    [{ text: '    three', styles: [] }],
  ]);
  expect(styledRows('abcdefgh', 6).map((row) => row[0]!.text)).toEqual(['abcdef', '  gh']);
});

test('a style without a name in the picture is noticed', () => {
  expect(() => styledRows('\u001B[7mreversed', 80)).toThrow('style 7');
});

test('text in a picture is text, whatever its characters', () => {
  const rows = [[{ text: '<script>&', styles: [] }]];
  const picture = terminalSvg({
    title: 't',
    description: 'd',
    columns: 20,
    height: 2,
    steps: [{ rows, at: 0 }],
    duration: 1,
  });
  expect(picture).toContain('&lt;script&gt;&amp;');
});
