import { expect, test } from 'vitest';
import { allOperations } from '../../src/contract/index.ts';
import { pageText } from './pages.ts';

const row = /^\| `(?<name>[\w<>]+)` \| `(?<request>[^`]+)` \|(?<rest>.*)\|$/gm;

/** The operations of a row: one, or one of each kind in its last cell. */
const operationsOfRow = (name: string, request: string, rest: string): string[] =>
  name.includes('<kind>')
    ? rest
        .split('|')
        .at(-1)!
        .split(',')
        .map((text) => text.trim())
        .map((kind) => `${name.replace('<kind>', kind)} ${request.replace('/<kind>/{id}', `/${kind}/{${kind}Id}`)}`)
    : [`${name} ${request}`];

test('the page of operations has each of them once, also where a row stands for several', () => {
  const shown = [...pageText('docs/operations.md').matchAll(row)].flatMap(({ groups }) =>
    operationsOfRow(groups!['name']!, groups!['request']!, groups!['rest']!),
  );
  expect(shown.toSorted()).toEqual(
    allOperations.map(({ name, method, path }) => `${name} ${method} ${path}`).toSorted(),
  );
});
