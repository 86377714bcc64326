import { assert, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEnvText } from '../../tools/variable/env-text.ts';
import { anyText } from '../support/any-text.ts';

const valuesIn = (text: string) => {
  const { variables, problems } = readEnvText(text);
  expect(problems).toEqual([]);
  return Object.fromEntries(variables);
};

describe('a value of .env text is never shortened', () => {
  test.each([
    ['A=a#b', 'a#b'],
    ['A=a #b', 'a'],
    ['A=a # b\nB=2', 'a'],
    ['A=a\t# b', 'a'],
    ['A=#b', '#b'],
    ['A=#ff0000 # red', '#ff0000'],
    ['A=# b', '# b'],
    ['A= #b', ''],
    ['A=\t#c', ''],
    ['A= "a"\t#c', 'a'],
    ['A=', ''],
    ['A', undefined],
    ['A=https://example.com/#/path', 'https://example.com/#/path'],
    ['A="a # b" # c', 'a # b'],
    [String.raw`A="say \"hi\""`, 'say "hi"'],
    [String.raw`A="a\\b\nc\td"`, 'a\\b\nc\td'],
    [String.raw`A="\d+\$"`, String.raw`\d+$`],
    [String.raw`A='say \n'`, String.raw`say \n`],
    ["A='it is'", 'it is'],
    [String.raw`A='it\'s'`, "it's"],
    ["A=it's", "it's"],
    ['A=say "hi"', 'say "hi"'],
    ['A=`say "hi", it\'s`', 'say "hi", it\'s'],
    ['export A=1', '1'],
    ['  A = two words  ', 'two words'],
    ['\uFEFFA=1', '1'],
    ['A=1\r\nB=2\r\n', '1'],
    ['A="a\r\nb"', 'a\nb'],
    ["A='a\nb'\nB=2", 'a\nb'],
    ['A=a=b==', 'a=b=='],
    ['A=$HOME', '$HOME'],
    ['A=1\nA=2', '2'],
  ])('%j', (text, value) => {
    expect(readEnvText(text).variables.get('A')).toBe(value);
  });

  test.each([
    ['A=1\nhunter2 is it', [{ line: 2, problem: 'no variable' }]],
    ['A="a\nB=2', [{ line: 1, problem: 'no closing quote' }]],
    [`A="say "hi""\nB=2`, [{ line: 1, problem: 'text after the closing quote' }]],
    [String.raw`A='C:\'`, [{ line: 1, problem: 'no closing quote' }]],
    ["A='it's'", [{ line: 1, problem: 'text after the closing quote' }]],
    ['A=1\nB="x"#c\nC=2', [{ line: 2, problem: 'text after the closing quote' }]],
    ['A=1\n1A=x\na-b=x', [2, 3].map((line) => ({ line, problem: 'no name of a variable' }))],
    ['A=1\nB=x\0y\nC="\n\0"', [2, 3].map((line) => ({ line, problem: 'a NUL character' }))],
    [
      'A="a\nb" c\nB',
      [
        { line: 1, problem: 'text after the closing quote' },
        { line: 3, problem: 'no variable' },
      ],
    ],
  ])('%j is refused, and what follows is read', (text, problems) => {
    expect(readEnvText(text).problems).toEqual(problems);
  });

  test('any value comes back as it was written in double quotes, and any without quotes that has none of their signs', () => {
    assert(
      property(anyText({ maxLength: 30 }), (value) => {
        const lines = value.replaceAll('\r\n', '\n').replaceAll('\0', '');
        const quoted = lines.replaceAll(/[\\"$]/g, String.raw`\$&`);
        expect(valuesIn(`A="${quoted}"\nB=2`)).toEqual({ A: lines, B: '2' });
        const plain = value.replaceAll(/[\0\r\n'"`]|\s#/g, 'x').trim();
        expect(valuesIn(`A=x${plain}x\nB=2`)).toEqual({ A: `x${plain}x`, B: '2' });
      }),
    );
  });
});
