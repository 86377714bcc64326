import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/client/index.ts';
import { snakeCase, type AnyOperation, allOperations } from '../../src/contract/index.ts';
import { connectClient, fakeTime, ids, startStubServer, type StubResponse } from './stub-server.ts';
import { anyText } from '../support/any-text.ts';

const inputOf = (operation: AnyOperation) =>
  Object.fromEntries(operation.params.map((param: string) => [snakeCase(param), ids.environment]));

// Members of the contract's answers, so that values get past the first look.
const memberNames = fc.constantFrom(
  'id',
  'name',
  'results',
  'pagination',
  'ports',
  'steps',
  'state',
  'environment',
  'source',
  'config',
  'metrics',
  '__proto__',
  'constructor',
  'toString',
);

const { value: anyJson } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(
      fc.string(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.uuid(),
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.oneof(memberNames, fc.string({ maxLength: 5 })), tie('value')), { maxLength: 5 })
      .map((members) => {
        const object: Record<string, unknown> = {};
        // As a parser does it: __proto__ is a member like any other.
        for (const [name, value] of members)
          Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
        return object;
      }),
  ),
}));

const anyOperation = fc.constantFrom(...allOperations);
const successes = fc.constantFrom(200, 201, 202, 206);
const failures = fc.constantFrom(
  300,
  304,
  400,
  401,
  402,
  403,
  404,
  405,
  409,
  413,
  415,
  422,
  429,
  451,
  500,
  501,
  502,
  503,
  504,
  599,
);

/** A server whose answer each run sets, and a client of it. */
async function allAnswers() {
  let reply: StubResponse = {};
  const { url } = await startStubServer(() => reply);
  // A client each time: what it learns from one answer must not hide another.
  const call = async (operation: AnyOperation, next: StubResponse): Promise<{ answer?: unknown; error?: unknown }> => {
    reply = next;
    const client = connectClient(url, fakeTime().config);
    try {
      return { answer: await client.call(operation, inputOf(operation)) };
    } catch (error) {
      return { error };
    } finally {
      await client.close();
    }
  };
  return call;
}

describe('whatever a server answers', () => {
  test('any JSON of a success is an answer, given as it came, or a bad_answer that says what is wrong', async () => {
    const call = await allAnswers();
    const counts = { answers: 0, errors: 0 };
    await fc.assert(
      fc.asyncProperty(anyOperation, successes, anyJson, async (operation, status, body) => {
        const text = JSON.stringify(body);
        const { answer, error } = await call(operation, { status, body: text });
        if (error === undefined) {
          counts.answers += 1;
          if (answer !== undefined)
            expect(answer).toMatchObject(
              Array.isArray(body) ? { results: JSON.parse(text) as unknown } : (JSON.parse(text) as object),
            );
          return;
        }
        counts.errors += 1;
        expect(error).toBeInstanceOf(ApiError);
        // A list in which the token's own organization can't be told from others.
        if (
          operation.name === 'get_organization' &&
          Array.isArray(body) &&
          body.length > 1 &&
          (error as ApiError).kind === 'unclear_organization'
        )
          return;
        expect(error).toMatchObject({
          kind: 'bad_answer',
          status,
          message: expect.stringMatching(/missing|of type|not allow/) as string,
        });
      }),
      { numRuns: 150 },
    );
    expect(counts.answers).toBeGreaterThan(0);
    expect(counts.errors).toBeGreaterThan(0);
  });

  test('any text of a success that is no JSON is a bad_answer or, after a change, nothing', async () => {
    const call = await allAnswers();
    await fc.assert(
      fc.asyncProperty(anyOperation, anyText({ maxLength: 40 }), async (operation, text) => {
        const { error } = await call(operation, { body: `${text}{` });
        if (operation.response) expect(error).toMatchObject({ kind: 'bad_answer' });
        else expect(error).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  test('any status, JSON and headers of a refusal is an ApiError in one line', async () => {
    const call = await allAnswers();
    const header = fc.oneof(
      fc.stringMatching(/^[\x20-\x7e]{0,20}$/),
      fc.constantFrom('0', '-1', '1e309', '9'.repeat(400), 'Infinity', 'Thu, 01 Jan 1970 00:00:00 GMT'),
    );
    const headers = fc.record(
      {
        'retry-after': header,
        'x-ratelimit-reset': header,
        'x-ratelimit-limit': header,
        'x-ratelimit-remaining': header,
        location: header,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        anyOperation,
        failures,
        fc.oneof(anyJson, fc.string()),
        headers,
        async (operation, status, body, more) => {
          const { error } = await call(operation, { status, headers: more, body: JSON.stringify(body) });
          expect(error).toBeInstanceOf(ApiError);
          const { message, detail, retryAt } = error as ApiError;
          expect(message).toMatch(new RegExp(`^${operation.name} failed: .*\\.$`));
          expect(detail?.length ?? 0).toBeLessThanOrEqual(300);
          if (retryAt !== undefined) expect(new Date(retryAt).toISOString()).toMatch(/Z$/);
        },
      ),
      { numRuns: 150 },
    );
  });
});
