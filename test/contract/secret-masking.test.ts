import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenSecret } from '../../src/contract/index.ts';
import { createValueFinder, maskFound, createMasker } from '../../src/contract/secret-masking.ts';

/** The same, tried out value by value at every place. */
function naively(values: readonly string[], text: string): string {
  const hidden = Array.from({ length: text.length }, () => false);
  for (const value of values) {
    for (
      let at = text.toLowerCase().indexOf(value.toLowerCase());
      at >= 0;
      at = text.toLowerCase().indexOf(value.toLowerCase(), at + 1)
    ) {
      hidden.fill(true, at, at + value.length);
    }
  }
  return text
    .split('')
    .map((character, at) => (hidden[at] ? '' : character))
    .join('');
}

const letters = fc.stringMatching(/^[abAB]{1,5}$/);

describe('known values', () => {
  test.each([
    ['the s3cr3t-token is', `the ${hiddenSecret} is`],
    ['THE S3CR3T-TOKEN IS', `THE ${hiddenSecret} IS`],
    [`in base64: ${Buffer.from('s3cr3t-token').toString('base64')}`, `in base64: ${hiddenSecret}`],
    ['twice s3cr3t-tokens3cr3t-token', `twice ${hiddenSecret}${hiddenSecret}`],
    ['all/of it?: all%2Fof%20it%3F%3A', `${hiddenSecret} ${hiddenSecret}`],
    ['{"a":"line\\nline two"}', `{"a":"${hiddenSecret}"}`],
    ['s3cr3t-toke n', 's3cr3t-toke n'],
    ['', ''],
  ])('%j becomes %j', (text, shown) =>
    expect(createMasker(['s3cr3t-token', 'all/of it?:', 'line\nline two'])(text)).toBe(shown),
  );

  test('that overlap are hidden to their last letter', () => {
    expect(createMasker(['abcdef', 'defghi'])('-abcdefghi-')).toBe(`-${hiddenSecret}-`);
    expect(maskFound('-abcdefghi-', [createValueFinder(['abcdef']), createValueFinder(['defghi'])])).toBe(
      `-${hiddenSecret}-`,
    );
    expect(createMasker(['bcd', 'abcdefg'])('-abcdefg-bcd')).toBe(`-${hiddenSecret}-${hiddenSecret}`);
  });

  test('are found wherever trying each of them out finds them', () => {
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 4 }), fc.stringMatching(/^[abAB-]{0,30}$/), (values, text) => {
        const spelled = values.flatMap((value) => [value, Buffer.from(value).toString('base64').replace(/=+$/, '')]);
        expect(createMasker(values)(text).replaceAll(hiddenSecret, '')).toBe(naively(spelled, text));
      }),
    );
  });

  test('are not looked for in what is hidden already, so that doing it twice changes nothing', () => {
    expect(createMasker(['hidden', '[hidden', 'characters'])('a [hidden] b [hidden, 12 characters] hidden')).toBe(
      `a [hidden] b [hidden, 12 characters] ${hiddenSecret}`,
    );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('hidden', 'a', ']', '][', 'hid', 'den]a'), { maxLength: 4 }),
        fc.stringMatching(/^(?:a|\[hidden\]|hidden|\]|\[){0,12}$/),
        (values, text) => {
          const once = createMasker(values)(text);
          expect(createMasker(values)(once)).toBe(once);
        },
      ),
    );
  });

  // What takes more than its share of time would take hours for so much.
  test.each([' ', '[hidden', 'é'])('made of many %j neither fail nor take long', (part) => {
    const value = part.repeat(4_000);
    const mask = createMasker([value, `${value}x`]);
    expect(mask(part.repeat(2_000_000 / part.length)).length).toBeLessThan(1000);
  });

  test('may be thousands, and texts megabytes', () => {
    const values = Array.from({ length: 5_000 }, (_, index) => `value-${index}-of-many`);
    const text = `${'nothing of value-17-of-mans here '.repeat(100_000)}value-4999-of-many`;
    expect(createMasker(values)(text).endsWith(`here ${hiddenSecret}`)).toBe(true);
  });
});
