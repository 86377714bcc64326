import { expect, test } from 'vitest';
import { maskShapes } from '../../../src/server/redaction/recognition/index.ts';
import { ordinaryTexts } from './corpus/samples.ts';

/** What could be read again and again: the beginning of every form, and what stands before and within values. */
const repeated = [
  'eyJ-',
  'eyJaaaaaaaaaaaa.',
  'eyJhbGciOiJub25l.eyJ',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN A PRIVATE KEY-----a\n',
  '-----END PRIVATE KEY-----',
  'LS0tLS1CRUdJTi',
  'sk-a-',
  'ghp_',
  '$2a$',
  'a://a:',
  'aa://a:b@',
  'aa://b:c/@',
  '://',
  '@tcp(',
  'a:@tcp(',
  '@h',
  'authorization: ',
  'authorization: bearer ',
  'cookie: a=b; ',
  'cookie: ',
  '"password":"',
  '"password":',
  'password: ',
  'password=',
  "password='",
  'password: "a ',
  'token: "is" ',
  'secrets:',
  'auth:',
  '\\npassword: is ',
  '\\npassword=',
  '\\"token\\":\\"',
  'password:\n',
  'password: |\n',
  'password:\n - a\n',
  'secret: *a\n',
  'name: token\n',
  '{"name":"token",',
  '"value":"x","name":"token",',
  '["token", ',
  '[["token", "a"',
  'passwords: ["a",',
  'tokens: [a,',
  'tokens: {a: ',
  'tokens: {a: b, ',
  'tokens:\n a: b\n',
  '"secrets": [',
  'header: token\n',
  'pin: 1 ',
  'mysql -p',
  ' -p ',
  ',-p',
  ',-u',
  'curl -u a:',
  '-u a:b,',
  '--token ',
  '--a ',
  'login a password ',
  'bearer ',
  'token is ',
  'identified by ',
  '"auth" ',
  '|token|',
  'TOKEN  ',
  'API_TOKEN   a ',
  'AUTHOR=someone',
  'STRIPE_KEY=',
  '?token=',
  ';password=a ',
  '<password>',
  'a',
  'aA1',
  '=',
  ':',
  '{',
  '"',
  '[',
  '\\',
  '\n',
  ' ',
  '\n ',
  '[hidden]',
  'password: [hidden',
];

/**
 * Milliseconds of this process's own work that masking takes; the least of some tries, which others on the machine
 * disturbed least.
 */
const workOf = (text: string): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.cpuUsage().user;
      maskShapes(text);
      return (process.cpuUsage().user - before) / 1000;
    }),
  );

const filled = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length));

// What is less than this is lost in the measure.
const leastWork = 2;

/** Eight times the text may take this many times the work; what reads again would take sixty-four times. */
const mostGrowth = 24;

test.each(repeated)('the time for %j many times grows with its length, not faster', (part) => {
  const [short, long] = [20_000, 160_000].map((length) => Math.max(leastWork, workOf(filled(part, length))));
  expect(long! / short!).toBeLessThan(mostGrowth);
});

test('beginnings of tokens without end cost less than twice what ordinary text does', () => {
  const length = 1_000_000;
  expect(workOf(filled('eyJ-', length)) / workOf(filled(ordinaryTexts().join('\n'), length))).toBeLessThan(2);
});
