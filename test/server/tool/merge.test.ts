import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { inputShape, operations } from '../../../src/contract/index.ts';
import { mergeInto } from '../../../src/server/tool/merge-patch.ts';
import { partialShape, nullableIn } from '../../../src/server/tool/partial-update.ts';
import { isRecord, type JsonRecord } from '../../../src/server/json/index.ts';

/** The algorithm of RFC 7396 as its section 2 writes it down. */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: JsonRecord = isRecord(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}

/** Few names, so that the members of both sides meet. */
const records = fc.letrec<{ value: unknown; record: JsonRecord }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, 0, 1, '', 'x', true),
    fc.array(tie('value'), { maxLength: 2 }),
    tie('record'),
  ),
  record: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), tie('value'), { maxKeys: 4 }),
})).record;

describe('merging', () => {
  test('is what RFC 7396 says, and changes neither side', () => {
    fc.assert(
      fc.property(records, records, (now, given) => {
        const [before, asked] = [structuredClone(now), structuredClone(given)];
        expect(mergeInto(now, given)).toEqual(mergePatch(now, given));
        expect([now, given]).toEqual([before, asked]);
      }),
    );
  });

  test('a change that says nothing changes nothing', () => {
    fc.assert(
      fc.property(records, (now) => {
        expect(mergeInto(now, {})).toEqual(now);
        expect(mergeInto(now, { a: undefined })).toEqual(now);
      }),
    );
  });

  test.each<[string, JsonRecord, JsonRecord, JsonRecord]>([
    ['null removes', { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ['null below removes there', { a: { x: 1, y: 2 } }, { a: { x: null } }, { a: { y: 2 } }],
    ['null of what is not there is nothing', { a: 1 }, { b: null }, { a: 1 }],
    ['null in a record that was not there is nothing', {}, { a: { x: 1, y: null } }, { a: { x: 1 } }],
    ['lists replace', { a: [1, 2, { x: 1 }] }, { a: [3] }, { a: [3] }],
    ['null in a list stays', {}, { a: [null] }, { a: [null] }],
    ['a record replaces what is none', { a: 'text' }, { a: { x: 1 } }, { a: { x: 1 } }],
  ])('%s', (_, now, given, merged) => expect(mergeInto(now, given)).toEqual(merged));

  test.each<[string, JsonRecord, JsonRecord, JsonRecord]>([
    [
      'another takes the place of the present one',
      { type: { http: { port: 80 } } },
      { type: { tcp: { port: 81 } } },
      { type: { tcp: { port: 81 } } },
    ],
    [
      'the same one is merged',
      { type: { http: { port: 80, path: '/' } } },
      { type: { http: { port: 81 } } },
      { type: { http: { port: 81, path: '/' } } },
    ],
    [
      'nothing given leaves it',
      { type: { http: { port: 80 } }, period: 1 },
      { period: 2 },
      { type: { http: { port: 80 } }, period: 2 },
    ],
    [
      'null removes the present one',
      { type: { http: { port: 80 } } },
      { type: { http: null, tcp: { port: 81 } } },
      { type: { tcp: { port: 81 } } },
    ],
  ])('where only one of several can be: %s', (_, now, given, merged) =>
    expect(mergeInto(now, given, { exclusive: ['type'] })).toEqual(merged),
  );
});

describe('lists of records', () => {
  const ports = [
    { id: 'a', name: 'http', internal_port: 80, publicly_accessible: true },
    { id: 'b', internal_port: 9090 },
  ];

  test.each<[string, JsonRecord[], unknown]>([
    ['by id', [{ id: 'b', protocol: 'TCP' }], [ports[0], { ...ports[1], protocol: 'TCP' }]],
    ['by name', [{ name: 'http', internal_port: 8080 }], [{ ...ports[0], internal_port: 8080 }, ports[1]]],
    [
      'by number',
      [{ internal_port: 80, publicly_accessible: false }],
      [{ ...ports[0], publicly_accessible: false }, ports[1]],
    ],
    [
      'and what is not there is added',
      [{ name: 'admin', internal_port: 81, public_path: null }],
      [...ports, { name: 'admin', internal_port: 81 }],
    ],
    [
      'null removes a member',
      [{ id: 'a', publicly_accessible: null }],
      [{ id: 'a', name: 'http', internal_port: 80 }, ports[1]],
    ],
    ['remove takes one out', [{ name: 'http', remove: true }], [ports[1]]],
    [
      'a UDP port is another one',
      [{ internal_port: 80, protocol: 'UDP' }],
      [{ ...ports[0], protocol: 'HTTP' }, ports[1], { internal_port: 80, protocol: 'UDP' }],
    ],
  ])('are merged %s', (how, given, merged) => {
    const now = how.startsWith('a UDP') ? [{ ...ports[0], protocol: 'HTTP' }, ports[1]] : ports;
    expect(mergeInto({ ports: now }, { ports: given })).toEqual({ ports: merged });
  });

  test('are emptied by an empty list', () => expect(mergeInto({ ports }, { ports: [] })).toEqual({ ports: [] }));

  test('leave behind ids that requests do not name', () =>
    expect(
      mergeInto({ ports: [{ name: 'x', internal_port: 1 }] }, { ports: [{ id: 'p', name: 'x', internal_port: 2 }] }),
    ).toEqual({ ports: [{ name: 'x', internal_port: 2 }] }));

  test('of pointers take another one', () =>
    expect(mergeInto({ groups: [{ id: 'a' }] }, { groups: [{ id: 'b' }] })).toEqual({
      groups: [{ id: 'a' }, { id: 'b' }],
    }));

  test.each<[string, JsonRecord[], JsonRecord[], string]>([
    [
      'several',
      [
        { internal_port: 53, protocol: 'TCP' },
        { internal_port: 53, protocol: 'UDP' },
      ],
      [{ internal_port: 53, is_default: true }],
      'there are several of internal_port 53',
    ],
    ['none', ports, [{ name: 'grpc', remove: true }], 'item grpc: there is no such item now'],
    ['one of an id that is not there', ports, [{ id: 'c', internal_port: 1 }], 'item c: there is no such item now'],
    [
      'the same twice',
      ports,
      [
        { id: 'a', name: 'x' },
        { name: 'http', internal_port: 81 },
      ],
      'it is given twice',
    ],
  ])('refuse an item that could be %s', (_, now, given, says) =>
    expect(() => mergeInto({ ports: now }, { ports: given })).toThrow(says),
  );
});

test('null is a value where a member can be null and can not be left out', () => {
  const shape = { source: z.object({ repository: z.string().nullable(), name: z.string().nullish() }).optional() };
  expect(nullableIn(shape)).toEqual(['source.repository']);
  const merged = mergeInto(
    { source: { repository: 'x', name: 'y' } },
    { source: { repository: null, name: null } },
    { nullable: nullableIn(shape) },
  );
  expect(merged).toEqual({ source: { repository: null } });
});

const put = Object.values(operations).filter(({ method, body }) => method === 'PUT' && body);

/** Every schema of a record within a shape. */
function recordsIn(shape: Record<string, z.ZodType>): z.ZodObject[] {
  return Object.values(shape).flatMap((schema) => {
    let inner = schema;
    while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap() as z.ZodType;
    return inner instanceof z.ZodObject ? [inner, ...recordsIn(inner.shape)] : [];
  });
}

describe.each(put)('the changes of $name', (operation) => {
  const shape = partialShape((operation.body as z.ZodObject).shape);

  test('may leave out and remove everything, at every level, and get no default', () => {
    for (const changes of [z.object(shape), ...recordsIn(shape)]) {
      expect(changes.parse({})).toEqual({});
      const nothing = Object.fromEntries(Object.keys(changes.shape).map((name) => [name, null]));
      expect(changes.parse(nothing)).toEqual(nothing);
    }
  });

  test('have the members of the whole, described alike', () => {
    const whole = inputShape(operation);
    expect(Object.keys(shape).every((name) => name in whole)).toBe(true);
    const told = (schema: z.ZodType): string | undefined =>
      schema.description ??
      (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
        ? told(schema.unwrap() as z.ZodType)
        : undefined);
    for (const [name, schema] of Object.entries(shape))
      if (whole[name]?.description !== undefined) expect(told(schema), name).toBe(whole[name].description);
  });
});
