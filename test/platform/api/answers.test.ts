import { serializerCompiler } from 'fastify-type-provider-zod';
import { expect, test } from 'vitest';
import { operations, wellFormed } from '../../../src/contract/index.ts';
import { answerCompiler, wholeAnswer } from '../../../src/platform/api/answers.ts';
import { uuidFrom } from '../../../src/platform/common/index.ts';

const { response } = operations.get_application_logs;
const route = { schema: response, method: 'GET', url: '/', httpStatus: '200' };
const [kept, plain] = [answerCompiler(route), serializerCompiler(route)];

const row = (number: number, message = `line ${number} "results":[] \u001b[33m`) => ({
  id: uuidFrom(String(number)),
  created_at: '2026-01-01T00:00:00.000Z',
  message,
  pod_name: 'pod',
  version: '1',
  undeclared: 'left out',
});

const written = (serialize: (answer: unknown) => string, answer: unknown): string => serialize(wholeAnswer(answer));

test('an answer with kept rows is the same as one without, also when rows are answered again', () => {
  const rows = Array.from({ length: 6 }, (_, number) => row(number));
  rows.push(row(6, 'half a character: \ud83d'), row(7, '$& $1'));
  const frozen = rows.map((one) => Object.freeze({ ...one }));
  const mixed = frozen.map((one, index) => (index % 2 === 0 ? one : rows[index]!));
  const rest = { instances_since: '2026-01-01T00:00:00.000Z' };
  const expected = plain(wellFormed({ results: rows, ...rest }));
  expect(written(kept, { results: rows, ...rest })).toBe(expected);
  for (const results of [mixed, frozen, frozen]) expect(written(kept, { ...rest, results })).toBe(expected);
  expect(written(kept, { results: frozen.slice(2, 4) })).toBe(plain({ results: rows.slice(2, 4) }));
  expect(written(kept, { results: [] })).toBe('{"results":[]}');
});

test('a kept row that the contract does not allow is no answer', () => {
  const wrong = Object.freeze({ ...row(0), id: 7 });
  for (let count = 0; count < 2; count += 1) expect(() => written(kept, { results: [wrong] })).toThrow();
});
