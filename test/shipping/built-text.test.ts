import { expect, test } from 'vitest';
import { builtText } from '../../scripts/build/built-text.ts';

const files = [
  { file: 'dist/chunks/a.mjs', bytes: 900 },
  { file: 'dist/infra-mcp.mjs', bytes: 1_200_000 },
];

test('a build ends with what to do next, and lists its files only where asked to', () => {
  expect(builtText(files, { isVerbose: false, isForUse: true })).toBe(
    'Done: 2 files, 1.2 MB. Next: npm start -- init connects your assistants.\n',
  );
  expect(builtText(files, { isVerbose: true, isForUse: false })).toBe(
    '   1200.0 kB  dist/infra-mcp.mjs\n      0.9 kB  dist/chunks/a.mjs\nDone: 2 files, 1.2 MB.\n',
  );
});
