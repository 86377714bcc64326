import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { toWire, allOperations, type OperationName, operations } from '../../../src/contract/index.ts';
import { type Json, type TestPlatform, startTestPlatform } from '../../support/test-platform.ts';
import { postgresTests } from '../../support/test-store.ts';
import { validRequests } from './valid-requests.ts';

// Requests take longer there, and the values are the same.
const runs = (count: number): number => (postgresTests ? Math.ceil(count / 2) : count);

let platform: TestPlatform;
let requests: Record<OperationName, Json>;
let storedRows: Record<string, string>;

/** What is kept but for the deliveries of webhooks: they go on by themselves after a request that was accepted. */
const readStoredRows = () => platform.digests(['webhook_delivery', 'webhook_attempt']);

// Whatever is accepted stays queued, so that otherwise only requests change what is kept.
beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 1000 });
  requests = validRequests({ ...platform.seed, organization_id: platform.organizationId }, 'b');
  storedRows = await readStoredRows();
});

afterAll(() => platform.close());

const json = { 'content-type': 'application/json' };

/** Sends a body as it is; a refusal must have changed nothing, and nothing may fail. */
async function sendBody(name: OperationName, body: string): Promise<number> {
  const { method, target } = toWire(operations[name], requests[name]);
  const { status, text } = await platform.send(method, target, { body, headers: json });
  expect(status, text).toBeLessThan(500);
  const now = await readStoredRows();
  if (status >= 400) expect(now).toEqual(storedRows);
  storedRows = now;
  return status;
}

const writing = allOperations
  .filter(({ body }) => body)
  .map(({ name, body }) => ({
    name: name as OperationName,
    members: Object.keys((body as z.ZodObject).shape),
    needsBody: !(body as z.ZodObject).safeParse({}).success,
  }));

/** Every place in a value, as a path to it. */
const placesIn = (value: unknown, path: readonly string[] = []): string[][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => [[...path, name], ...placesIn(inner, [...path, name])])
    : [];

const replaced = (value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown => {
  if (name === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = replaced(copy[name], rest, by);
  return copy;
};

// Values that mean something to one layer or another beneath.
const odd = fc.constantFrom<unknown>(
  '',
  ' ',
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  '../..',
  `'; DROP TABLE service; --`,
  'x'.repeat(70_000),
  -1,
  0,
  0.5,
  1e308,
  2 ** 53,
  null,
  [],
  {},
  [[]],
  true,
  JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": {}}}'),
);

describe.each(writing)('$name', ({ name, members, needsBody }) => {
  test('takes any JSON without failing, and refusing it changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 4 }), async (body) => {
        const status = await sendBody(name, body);
        if (needsBody) expect(status).toBe(400);
      }),
      { numRuns: runs(10) },
    );
  });

  test('takes a good body with anything in one place', async () => {
    const body = toWire(operations[name], requests[name]).body ?? {};
    const known = placesIn(body).concat(members.map((member) => [member]));
    // An empty body takes anything beside nothing.
    const places = known.length > 0 ? known : [['anything']];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), fc.oneof(odd, fc.jsonValue()), async (place, value) => {
        await sendBody(name, JSON.stringify(replaced(body, place, value)));
      }),
      { numRuns: runs(12) },
    );
  });
});

describe('operations without a body', () => {
  const bodiless = allOperations
    .filter(({ body, method }) => !body && method !== 'GET')
    .map(({ name }) => name as OperationName);

  test.each(bodiless)('%s ignores whatever JSON it is sent', async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 2 }), async (body) => void (await sendBody(name, body))),
      { numRuns: runs(3) },
    );
  });
});
