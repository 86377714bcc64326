import { expect, test } from 'vitest';
import { setEnvironmentVariables } from '../../tools/variable/set-environment-variables.ts';

const wrong = (args: object): readonly string[] => setEnvironmentVariables.rules({ service: 'a-1', ...args });

test('a line of .env text that sets nothing is named and not passed over', () => {
  expect(wrong({ env_text: 'A=1\nhunter2 is it\n\nB=2\nC' })).toEqual([
    '"env_text": not of the form KEY=value: line 2, 5',
  ]);
});

test.each([
  'A=1\n# a comment\n\n  export B = two words \r\nC=\nD_E_F=1 # comment',
  'KEY="-----BEGIN\nMII\n-----END"\nB=2',
  "KEY='a\nb'\nB=`c\nd`\nC=it's",
])('whatever .env files hold is taken: %j', (env_text) => {
  expect(wrong({ env_text })).toEqual([]);
});

test('a key that is given twice is refused before anything is set', () => {
  expect(wrong({ variables: { Q: '1', R: '1' }, secrets: { Q: 'hunter2' } })).toEqual([
    'give each key in one of "variables", "secrets" and "env_text" only: Q',
  ]);
  expect(wrong({ variables: { R: '1' }, env_text: 'R=2' })).toHaveLength(1);
});
