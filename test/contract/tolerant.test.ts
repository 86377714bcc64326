import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { type AnyOperation, allOperations, reference } from '../../src/contract/index.ts';
import { tolerant } from '../../src/contract/tolerant.ts';

const Thing = z.object({
  id: reference('cluster'),
  state: z.enum(['OK', 'BAD']),
  size: z.int().min(1),
  parent: z.object({ id: z.string(), name: z.string() }),
  parts: z.array(z.object({ id: z.string(), kind: z.literal('PART') })),
  settings: z.record(z.string(), z.unknown()).optional(),
  either: z.union([z.object({ left: z.string() }), z.object({ right: z.int() })]).optional(),
  note: z.string().max(3).default('-'),
});
const id = '11111111-1111-4111-8111-111111111111';
const read = (value: unknown) => tolerant(Thing).safeParse(value);
/** Where a refusal points. */
const refusedAt = (value: unknown): string[] => read(value).error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('a foreign answer', () => {
  test.each([
    ['with only its id', { id }],
    ['with members nobody knows', { id, colour: 'red', parent: { id, colour: 'red' } }],
    ['with values nobody knows', { id, state: 'UPSIDE_DOWN', parts: [{ id, kind: 'WHOLE' }] }],
    [
      'with null where a value stands',
      { id, state: null, size: null, parent: null, parts: null, settings: null, note: null },
    ],
    ['past the limits a server checks', { id: 'not-a-uuid', size: -4.5, note: 'far too long' }],
  ])('%s is read, whole', (_, answer) => {
    expect(read(answer)).toEqual({ success: true, data: answer });
  });

  test.each([
    ['without its id', { state: 'OK' }, 'id'],
    ['whose id is null', { id: null }, 'id'],
    ['whose part has no id', { id, parts: [{ id }, {}] }, 'parts.1.id'],
    ['with text where a number stands', { id, size: '1' }, 'size'],
    ['with a number where text stands', { id, state: 3 }, 'state'],
    ['with a list where an object stands', { id, parent: [] }, 'parent'],
    ['with an object where a list stands', { id, parts: {} }, 'parts'],
  ])('%s is refused, and the member named', (_, answer, member) => {
    expect(refusedAt(answer)).toEqual([member]);
  });

  test.each(allOperations.filter((op) => op.response).map((op): [string, AnyOperation] => [op.name, op]))(
    'of %s may have members of tomorrow',
    (_, op) => {
      const minimal = op.response instanceof z.ZodObject && 'id' in op.response.shape ? { id } : {};
      const answer = { ...minimal, tomorrow: { more: [1] } };
      expect(tolerant(op.response).safeParse(answer)).toEqual({ success: true, data: answer });
    },
  );
});
