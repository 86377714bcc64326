import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenSecret } from '../../../src/contract/index.ts';
import { createRedaction, protectLog, type Redactor } from '../../../src/server/redaction/index.ts';
import { memoryLog } from '../../support/call-context.ts';
import { anyText } from '../../support/any-text.ts';
import { runs } from '../../support/runs.ts';

const token = 'plat-form_T0ken/of+all';
const mentioned = 'mentioned-by-4nn';

/** Texts that each hold one secret, in every form that is known or recognised; and the secret. */
const secrets: readonly (readonly [text: string, secret: string])[] = [
  [token, token],
  [encodeURIComponent(token), encodeURIComponent(token)],
  [Buffer.from(token).toString('base64url'), Buffer.from(token).toString('base64url')],
  [mentioned, mentioned],
  ['postgres://app:hunter2222@db:5432/app', 'hunter2222'],
  [`ghp_${'a1'.repeat(18)}`, 'a1'.repeat(18)],
  ['AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', 'c2lnbmF0dXJl'],
  ['DB_PASSWORD=hunter2222', 'hunter2222'],
  ['"api_key": "hunter2222"', 'hunter2222'],
  ['--password hunter2222', 'hunter2222'],
  ['password: hunter2222', 'hunter2222'],
  ['Authorization: Bearer hunter2222', 'hunter2222'],
  ['-----BEGIN PRIVATE KEY-----\nMIIEhunter2222\n-----END PRIVATE KEY-----', 'MIIEhunter2222'],
];

/** What somebody puts into a text to keep a secret in it from being found. */
const splits = [
  '\u001B[31m',
  '\u001B[0m',
  '\u009B1m',
  '\u001B]8;;https://a.example\u0007',
  '\u200B',
  '\u00AD',
  '\u202E',
  '\u0000',
  '\uFE0F',
  '\u{E0041}',
];

const dressed = fc
  .record({
    secret: fc.constantFrom(...secrets),
    split: fc.constantFrom(...splits),
    at: fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 5 }),
  })
  .map(({ secret: [text, secret], split, at }) => {
    const places = new Set(at.map((place) => place % text.length));
    // An escape takes in the letters that follow where it has no end: splits here are whole, and so are characters.
    return {
      text: text
        .split('')
        .map((character, index) => (places.has(index) ? split + character : character))
        .join(''),
      secret,
    };
  });

/** A redactor of somebody who mentioned a value in a call that was let pass. */
function redactorOf(): Redactor {
  const redactor = createRedaction({ configured: () => [token] }).forCall({ principal: 'ann' });
  redactor.mention({ secret_key: mentioned });
  redactor.remember();
  return redactor;
}

const outputs: readonly (readonly [name: string, way: (redactor: Redactor, text: string) => unknown])[] = [
  ['a text', (redactor, text) => redactor.text(text)],
  ['a value', (redactor, text) => redactor.value({ results: [{ message: `before ${text} after` }] })],
  ['a list in a list', (redactor, text) => redactor.value([[text]])],
  ['a name of a member', (redactor, text) => redactor.value({ labels: { [text]: 1 } })],
  ['a name of a variable', (redactor, text) => redactor.value({ results: [{ key: text, value: 'x' }] })],
  [
    'the log',
    (redactor, text) => {
      const log = memoryLog();
      protectLog(log, redactor).error({ err: new Error(text, { cause: new Error(text) }), [text]: text }, text);
      return log.lines.map(
        ({ fields: { err, ...rest }, message }: { fields: { err?: { message?: string } }; message: string }) => [
          err?.message,
          rest,
          message,
        ],
      );
    },
  ],
];

describe.each(outputs)('through %s', (_, way) => {
  test.each(secrets)('no secret goes out of %j', (text, secret) => {
    expect(JSON.stringify(way(redactorOf(), text))).not.toContain(secret);
    expect(JSON.stringify(way(redactorOf(), text))).toContain(hiddenSecret);
  });

  test('hides secrets that contain colour codes or invisible characters', () => {
    const redactor = redactorOf();
    fc.assert(
      fc.property(dressed, ({ text, secret }) => {
        const shown = JSON.stringify(way(redactor, text));
        expect(shown.replaceAll(/<U\+[0-9A-F]{4,6}>/g, '')).not.toContain(secret);
      }),
    );
  });
});

test('what was made fit to be shown stays as it is', () => {
  const redactor = redactorOf();
  const texts = fc
    .array(
      fc.oneof(
        dressed.map(({ text }) => text),
        anyText({ maxLength: 12 }),
        fc.constantFrom(hiddenSecret, '[hidden, 12 characters]', ' ', '=', '"'),
      ),
      { maxLength: 5 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      const once = redactor.text(text);
      expect(redactor.text(once)).toBe(once);
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(texts, fc.oneof(texts, fc.array(texts))), (value) => {
      const once = redactor.value(value);
      expect(redactor.value(once)).toEqual(once);
    }),
    { numRuns: runs(40) },
  );
});

test('what is invisible is written out, secret beside it or not', () => {
  const redactor = redactorOf();
  expect(redactor.text(`a\u200Bb ${token}`)).toBe(`a<U+200B>b ${hiddenSecret}`);
  expect(redactor.text(`a\u200Bb ${token.slice(0, 4)}\u200B${token.slice(4)}`)).toBe(`a<U+200B>b ${hiddenSecret}`);
});

/** Texts with what a terminal doesn't show, and without anything that is taken for a secret. */
const undressed = fc
  .array(
    fc.constantFrom(
      'echo ready ',
      'rm -rf /data;',
      'url',
      '\u001B]0;',
      '\u0007',
      '\u001B[',
      'c',
      '\u200B',
      '\u009D',
      '\r',
      '\r\n',
      `;${token};`,
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** What prints of a text that is shown or was given. */
const printing = (text: string): string => text.replaceAll(/<U\+[\dA-F]{4,6}>|(?![\n])\p{Cc}|\u200B/gu, '');

test('nothing that prints disappears with what does not, but for secrets', () => {
  fc.assert(
    fc.property(undressed, (text) => {
      expect(printing(redactorOf().text(text))).toBe(printing(text).replaceAll(token, hiddenSecret));
    }),
  );
});

test('names that become alike stay apart', () => {
  expect(redactorOf().value({ [token]: 1, [mentioned]: 2, [`${hiddenSecret} (2)`]: 3 })).toEqual({
    [hiddenSecret]: 1,
    [`${hiddenSecret} (2)`]: 2,
    [`${hiddenSecret} (2) (2)`]: 3,
  });
});
