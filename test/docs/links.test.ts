import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pages, root, pageText } from './pages.ts';

const link = /\]\((?<target>[^)\s]+)\)/g;
/** Paths of the repository that a page names. */
const path = /`(?<path>(?:src|tools|test|scripts|docs|bench|bin|deploy|examples|skills|prompts)\/[\w./-]+)`/g;

// Nor the files that a reader is told to make.
const withoutBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```|^New file `[^`]+`:$/gm, '');
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
const anchorsOf = (page: string): string[] =>
  [...pageText(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!));

const deadLinks = (page: string, text: string): string[] =>
  [...withoutBlocks(text).matchAll(link)]
    .map(({ groups }) => groups!['target']!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#');
      const place = file === '' ? page : posix.join(posix.dirname(page), file);
      return !existsSync(join(root, place)) || (anchor !== undefined && !anchorsOf(place).includes(anchor));
    });

const missingPaths = (text: string): string[] =>
  [...withoutBlocks(text).matchAll(path)]
    .map(({ groups }) => groups!['path']!)
    .filter((named) => !existsSync(join(root, named)));

describe.each(pages)('%s', (page) => {
  test('leads only to what is there', () => {
    expect(deadLinks(page, pageText(page))).toEqual([]);
    expect(missingPaths(pageText(page))).toEqual([]);
  });
});

test('what is not there is noticed', () => {
  expect(deadLinks('docs/connect.md', '[a](missing.md) [b](../README.md) [c](../README.md#nowhere)')).toEqual([
    'missing.md',
    '../README.md#nowhere',
  ]);
  expect(missingPaths('`src/missing.ts` and `src/main.ts`')).toEqual(['src/missing.ts']);
});
