import {
  array,
  assert,
  boolean,
  constant,
  constantFrom,
  dictionary,
  double,
  integer,
  letrec,
  oneof,
  property,
  record,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { issueTexts } from '../../src/contract/index.ts';

/** The texts with which a schema refuses a value. */
function refusal(schema: z.ZodType, value: unknown): readonly string[] {
  const { error } = schema.safeParse(value);
  if (!error) throw new Error(`${JSON.stringify(value)} is not refused`);
  return issueTexts(error, 'it', schema);
}

type Example = readonly [schema: z.ZodType, value: unknown, ...texts: readonly string[]];

const webhook = z.strictObject({ kind: z.literal('webhook'), url: z.url() });
const slack = z.strictObject({ kind: z.literal('slack'), channel: z.string() });
const Name = z.string().regex(/^[a-z]+$/, 'must be lower case');

/** Examples for each code of an issue: a code without one doesn't compile. */
const examples: Readonly<Record<z.core.$ZodIssue['code'], readonly Example[]>> = {
  invalid_type: [
    [z.string(), 5, 'it: must be text, not a number'],
    [z.string(), null, 'it: must be text, not empty (null)'],
    [z.boolean(), 'yes', 'it: must be true or false, not text'],
    [z.int(), 1.5, 'it: must be a whole number, not a number with a fraction'],
    [z.number(), Number.NaN, 'it: must be a number, not NaN'],
    [z.object({ name: z.string() }), {}, 'name: is required'],
    [z.array(z.string()), { a: 1 }, 'it: must be a list, not an object'],
    [z.record(z.string(), z.array(z.int())), { ports: [80, '81'] }, 'ports[1]: must be a number, not text'],
    [z.object({ old: z.never().optional() }), { old: 1 }, 'old: must be left out'],
    [z.date(), 'today', 'it: must be a date, not text'],
  ],
  invalid_value: [
    [z.enum(['read', 'write']), 'all', 'it: must be one of read, write'],
    [z.enum(['read', 'write']), [], 'it: must be one of read, write, not a list'],
    [z.object({ level: z.enum(['read']) }), {}, 'level: is required'],
    [z.literal(['true', 'on a day', 5]), 'no', 'it: must be one of "true", "on a day", 5'],
  ],
  too_small: [
    [z.string().min(1), '', 'it: must not be empty'],
    [z.string().min(12), 'secret', 'it: must have at least 12 characters'],
    [z.string().length(1), 'ab', 'it: must have exactly 1 character'],
    [z.array(z.string()).min(2), ['a'], 'it: must have at least 2 entries, not 1'],
    [z.int().min(1), 0, 'it: must be at least 1, not 0'],
    [z.number().positive(), 0, 'it: must be more than 0, not 0'],
    [z.date().min(new Date(0)), new Date(-1), 'it: must be at least 1970-01-01T00:00:00.000Z'],
  ],
  too_big: [
    [z.string().max(1), 'ab', 'it: must have at most 1 character'],
    [z.number().lt(2), 2, 'it: must be less than 2, not 2'],
    [z.array(z.int()).max(1), [1, 2], 'it: must have at most 1 entry, not 2'],
    [z.int().max(65_535), 70_000, 'it: must be at most 65535, not 70000'],
  ],
  invalid_format: [
    [z.email(), 'nobody', 'it: must be an email address'],
    [z.uuid(), 'x', 'it: must be a UUID'],
    [z.iso.datetime(), 'now', 'it: must be a time such as 2026-01-31T09:00:00Z'],
    [z.string().regex(/^a+$/), 'b', 'it: must match the pattern /^a+$/'],
    [z.string().startsWith('https://'), 'x', 'it: must start with "https://"'],
    [z.string().includes('@'), 'x', 'it: must contain "@"'],
    [z.cuid2(), '!', 'it: must be of the form cuid2'],
  ],
  not_multiple_of: [[z.number().multipleOf(5), 7, 'it: must be a multiple of 5, not 7']],
  unrecognized_keys: [
    [z.strictObject({ name: z.string() }), { name: 'a', nmae: 'b' }, 'nmae: is not known; did you mean "name"?'],
    [
      z.strictObject({ keys: z.array(z.strictObject({ name: z.string(), level: z.string() }).optional()).default([]) }),
      { keys: [{ name: 'a', level: 'b', password: 'c' }] },
      'keys[0].password: is not known; known here: name, level',
    ],
    [z.strictObject({}), { a: 1, b: 2 }, 'a: is not known here', 'b: is not known here'],
  ],
  invalid_union: [
    [z.union([z.string(), z.array(z.string())]), 5, 'it: must be text or a list, not a number'],
    [z.union([z.string(), z.array(z.string())]), ['a', 5], '[1]: must be text, not a number'],
    [z.union([z.enum(['a', 'b']), z.null()]), 5, 'it: must be one of a, b or null, not a number'],
    [z.discriminatedUnion('kind', [webhook, slack]), { kind: 'smoke' }, 'kind: must be one of webhook, slack'],
    [
      z.object({ to: z.union([webhook, slack]) }),
      { to: { kind: 'slack', channel: 5 } },
      'to.channel: must be text, not a number',
    ],
    [z.union([z.string(), z.int()], { error: 'must be a name or a number' }), true, 'it: must be a name or a number'],
    [z.xor([z.string(), z.string()]), 'a', 'it: must be only one of the alternatives'],
  ],
  invalid_key: [[z.record(Name, z.int()), { A: 1 }, 'A: as a name, must be lower case']],
  invalid_element: [[z.map(z.any(), z.int()), new Map([[{}, 'x']]), 'it: must be a number, not text']],
  custom: [
    [z.string().refine(() => false), 'a', 'it: is not valid'],
    [z.string().refine(() => false, { error: 'must be nothing' }), 'a', 'it: must be nothing'],
  ],
};

describe.each(Object.entries(examples))('%s', (code, its) => {
  test.each(its.map(([schema, value, ...texts]) => ({ schema, value, texts })))(
    '$texts',
    ({ schema, value, texts }) => {
      expect(refusal(schema, value)).toEqual(texts);
    },
  );

  test('is what the examples show', () => {
    const codes = its.map(([schema, value]) => schema.safeParse(value).error?.issues.map((issue) => issue.code));
    expect(codes.flat()).toContain(code);
  });
});

/** Words that the schema library has and we never write. */
const ofLibrary = /\bInvalid\b|\bexpected\b|\breceived\b|\bToo (?:small|big)\b|Unrecognized|\bundefined\b|\[object/;

const Everything = z.strictObject({
  text: z.string().min(3).max(9),
  word: z.enum(['one', 'two']),
  count: z.int().min(1).max(9),
  flag: z.boolean().optional(),
  list: z.array(z.union([z.string(), z.strictObject({ name: Name })])).min(1),
  names: z.record(Name, z.union([webhook, slack])),
  address: z.union([z.ipv4(), z.ipv6()]),
  when: z.iso.datetime(),
});

test('whatever is wrong, no text has words of the library, and none repeats a text that was given', () => {
  const secret = 'S3cr3tValue';
  const leaf = oneof(constant(secret), integer(), double(), boolean(), constant(null), constant(undefined));
  const value = letrec((tie) => ({
    any: oneof({ depthSize: 'small' }, leaf, array(tie('any'), { maxLength: 3 }), tie('object')),
    object: dictionary(constantFrom('name', 'kind', 'url', 'channel', 'A'), tie('any'), { maxKeys: 3 }),
  })).any;
  const members = Object.fromEntries([...Object.keys(Everything.shape), 'txet'].map((name) => [name, value]));
  assert(
    property(oneof(value, record(members, { requiredKeys: [] })), (tried) => {
      const { error } = Everything.safeParse(tried);
      const texts = error ? issueTexts(error, 'it', Everything) : [];
      for (const text of texts) {
        expect(text).not.toMatch(ofLibrary);
        expect(text).not.toContain(secret);
        expect(text).toMatch(/^\S+: \S/);
      }
    }),
    { numRuns: 200 },
  );
});
