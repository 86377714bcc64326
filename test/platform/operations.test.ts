import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ErrorBody } from '../../src/contract/errors.ts';
import { rateHeaders } from '../../src/contract/limits.ts';
import { type AnyOperation, parameterKind, permissionLevels, snakeCase } from '../../src/contract/operation.ts';
import { allOperations, type OperationName } from '../../src/contract/operations.ts';
import { type Json, type Lab, nobody, type Reply, startLab } from './lab.ts';
import { validRequests } from './requests.ts';
import { undeclared } from './shape.ts';

let lab: Lab;
let requests: Record<OperationName, Json>;

// Deployments stay under way for as long as the tests take: there is one to cancel, and nothing moves in between.
beforeAll(async () => {
  lab = await startLab({ timeScale: 1000 });
  requests = validRequests({ ...lab.seed, organization_id: lab.organizationId }, 'a');
});

afterAll(() => lab.close());

type Case = AnyOperation & { readonly name: OperationName };

const all = allOperations as readonly Case[];

const rateHeaderNames = Object.values(rateHeaders).map((name) => name.toLowerCase());

const expectProblem = (reply: Reply, status: number): string => {
  expect(reply.status).toBe(status);
  const body = ErrorBody.strict().parse(reply.body);
  expect(body.status).toBe(status);
  expect(body.detail).toBe(body.message);
  for (const name of rateHeaderNames) expect(reply.headers[name]).toMatch(/^\d+$/);
  return body.message;
};

const without = (input: Json, member: string): Json => Object.fromEntries(Object.entries(input).filter(([name]) => name !== member));

describe('every operation refuses', () => {
  let before: ReturnType<Lab['dump']>;

  beforeAll(() => {
    before = lab.dump();
  });

  test.each(all)('$name: a call without a token, and one with a wrong token', async ({ name }) => {
    expectProblem(await lab.call(name, requests[name], { authorization: null }), 401);
    expectProblem(await lab.call(name, requests[name], { authorization: 'Token made-up' }), 401);
    expectProblem(await lab.call(name, requests[name], { authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.made-up' }), 401);
  });

  test.each(all.filter(({ permission }) => permission !== 'read'))('$name: a token one level too low', async ({ name, permission }) => {
    const below = permissionLevels[permissionLevels.indexOf(permission) - 1]!;
    const message = expectProblem(await lab.call(name, requests[name], { authorization: `Token ${lab.tokens[below]}` }), 403);
    expect(message).toContain(permission);
  });

  const withParams = all.flatMap((op) => op.params.map((param: string) => ({ name: op.name, param })));

  test.each(withParams)('$name: a $param that nothing has', async ({ name, param }) => {
    const message = expectProblem(await lab.call(name, { ...requests[name], [snakeCase(param)]: nobody }), 404);
    expect(message).toContain(parameterKind(param).replaceAll('_', ' '));
    expect(message).toContain(nobody);
  });

  test.each(withParams)('$name: a $param that is no uuid', async ({ name, param }) => {
    expect(expectProblem(await lab.call(name, { ...requests[name], [snakeCase(param)]: 'not-a-uuid' }), 400)).toMatch(new RegExp(`^${param}: `));
  });

  const required = all.flatMap((op) => {
    const shape = ((op.body as z.ZodObject | undefined)?.shape ?? {}) as Record<string, z.ZodType>;
    return Object.entries(shape).filter(([, schema]) => !schema.safeParse(undefined).success).map(([member]) => ({ name: op.name, member }));
  });

  test.each(required)('$name: a body without $member', async ({ name, member }) => {
    expect(expectProblem(await lab.call(name, without(requests[name], member)), 400)).toContain(`${member}: is required`);
  });

  test('and refusing changed nothing', () => {
    expect(before['deployment']!.length).toBeGreaterThan(0);
    expect(lab.dump()).toEqual(before);
  });
});

describe('every operation answers', () => {
  // A locked cluster refuses what comes after.
  const last: readonly OperationName[] = ['lock_cluster', 'unlock_cluster'];
  const inOrder = [...all.filter(({ name }) => !last.includes(name)), ...all.filter(({ name }) => last.includes(name))];

  test.each(inOrder)('$name: with its status, the declared members and the rate headers', async ({ name, status, response }) => {
    const reply = await lab.call(name, requests[name]);
    expect(reply.status, reply.text).toBe(status);
    for (const header of rateHeaderNames) expect(reply.headers[header]).toMatch(/^\d+$/);
    if (response) {
      (response as z.ZodType).parse(reply.body);
      expect(undeclared(response as z.ZodType, reply.body)).toEqual([]);
    } else {
      expect(reply.text).toBe('');
    }
  });
});
