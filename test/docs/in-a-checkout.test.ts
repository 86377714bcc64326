import { expect, test } from 'vitest';
import { pages, pageText } from './pages.ts';

/** What a page tells to type for `infra-mcp` in a checkout. */
const instead = /[Ii]n a checkout[^.]*`(npm start[^`]*)` (?:for|in place of|where)/g;

test('what replaces infra-mcp in a checkout prints nothing of npm, because pages pipe what it prints', () => {
  const told = pages.flatMap((page) => [...pageText(page).matchAll(instead)].map(([, text]) => ({ page, text })));
  expect(told.length).toBeGreaterThan(3);
  expect(told.filter(({ text }) => text !== 'npm start --silent --')).toEqual([]);
});
