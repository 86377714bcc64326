import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import {
  ErrorBody,
  rateHeaders,
  type AnyOperation,
  parameterKind,
  permissionLevels,
  snakeCase,
  serviceKinds,
} from '../../../src/contract/index.ts';
import { allOperations, type OperationName } from '../../../src/contract/operations.ts';
import {
  type Json,
  type TestPlatform,
  unknownId,
  type PlatformResponse,
  startTestPlatform,
} from '../../support/test-platform.ts';
import { validRequests } from './valid-requests.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const membersOf = (shape: Record<string, z.ZodType>, value: Record<string, unknown>, path: string): string[] =>
  Object.entries(value).flatMap(([name, member]) => {
    const schema = shape[name];
    return schema === undefined ? [`${path}.${name}`] : undeclaredPaths(schema, member, `${path}.${name}`);
  });

/** Paths of what an answer holds although its schema doesn't list it. */
function undeclaredPaths(schema: z.ZodType, value: unknown, path = ''): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return undeclaredPaths(schema.unwrap() as z.ZodType, value, path);
  }
  if (schema instanceof z.ZodUnion) {
    const fitting = (schema.options as z.ZodType[]).find((option) => option.safeParse(value).success);
    return fitting ? undeclaredPaths(fitting, value, path) : [`${path} fits none of its shapes`];
  }
  if (schema instanceof z.ZodArray)
    return Array.isArray(value)
      ? value.flatMap((row, index) => undeclaredPaths(schema.element as z.ZodType, row, `${path}.${index}`))
      : [];
  if (schema instanceof z.ZodObject && isObject(value)) return membersOf(schema.shape, value, path);
  return [];
}

let platform: TestPlatform;
let requests: Record<OperationName, Json>;

// Deployments stay under way for as long as the tests take: there is one to cancel, and nothing moves in between.
beforeAll(async () => {
  platform = await startTestPlatform({ timeScale: 1000 });
  requests = validRequests({ ...platform.seed, organization_id: platform.organizationId }, 'a');
});

afterAll(() => platform.close());

type Case = AnyOperation & { readonly name: OperationName };

const all = allOperations as readonly Case[];

const rateHeaderNames = Object.values(rateHeaders).map((name) => name.toLowerCase());

const expectProblem = (reply: PlatformResponse, status: number): string => {
  expect(reply.status).toBe(status);
  const body = ErrorBody.strict().parse(reply.body);
  expect(body.status).toBe(status);
  expect(body.detail).toBe(body.message);
  for (const name of rateHeaderNames) expect(reply.headers[name]).toMatch(/^\d+$/);
  return body.message;
};

const without = (input: Json, member: string): Json =>
  Object.fromEntries(Object.entries(input).filter(([name]) => name !== member));

describe('every operation refuses', () => {
  let before: ReturnType<TestPlatform['dump']>;

  beforeAll(() => {
    before = platform.dump();
  });

  test.each(all)('$name: a call without a token, and one with a wrong token', async ({ name }) => {
    expectProblem(await platform.call(name, requests[name], { authorization: null }), 401);
    expectProblem(await platform.call(name, requests[name], { authorization: 'Token made-up' }), 401);
    expectProblem(
      await platform.call(name, requests[name], { authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.made-up' }),
      401,
    );
  });

  test.each(all.filter(({ permission }) => permission !== 'read'))(
    '$name: a token one level too low',
    async ({ name, permission }) => {
      const below = permissionLevels[permissionLevels.indexOf(permission) - 1]!;
      const message = expectProblem(
        await platform.call(name, requests[name], { authorization: `Token ${platform.tokens[below]}` }),
        403,
      );
      expect(message).toContain(permission);
    },
  );

  const withParams = all.flatMap((op) => op.params.map((param: string) => ({ name: op.name, param })));

  test.each(withParams)('$name: a $param that nothing has', async ({ name, param }) => {
    const message = expectProblem(await platform.call(name, { ...requests[name], [snakeCase(param)]: unknownId }), 404);
    expect(message).toContain(parameterKind(param).replaceAll('_', ' '));
    expect(message).toContain(unknownId);
  });

  test.each(withParams)('$name: a $param that is no uuid', async ({ name, param }) => {
    expect(
      expectProblem(await platform.call(name, { ...requests[name], [snakeCase(param)]: 'not-a-uuid' }), 400),
    ).toMatch(new RegExp(`^${param}: `));
  });

  const required = all.flatMap((op) => {
    const shape = ((op.body as z.ZodObject | undefined)?.shape ?? {}) as Record<string, z.ZodType>;
    return Object.entries(shape)
      .filter(([, schema]) => !schema.safeParse(undefined).success)
      .map(([member]) => ({ name: op.name, member }));
  });

  test.each(required)('$name: a body without $member', async ({ name, member }) => {
    expect(expectProblem(await platform.call(name, without(requests[name], member)), 400)).toContain(
      `${member}: is required`,
    );
  });

  test('and refusing changed nothing', () => {
    expect(before['deployment']!.length).toBeGreaterThan(0);
    expect(platform.dump()).toEqual(before);
  });
});

const isDeletion = (name: OperationName): boolean =>
  name === 'delete_environment' || name === 'delete_project' || serviceKinds.some((kind) => name === `delete_${kind}`);

/** Requests for what the seed doesn't have: a project without environments. */
const requestOn = async (place: TestPlatform, name: OperationName): Promise<Json> => {
  if (name === 'delete_project')
    return { project_id: (await place.must('create_project', requests.create_project))['id'] };
  return requests[name];
};

describe('every operation answers', () => {
  // Repositories that the seed has are changed by what comes after, and a locked cluster refuses it.
  const first: readonly OperationName[] = ['list_helm_charts'];
  const last: readonly OperationName[] = ['lock_cluster', 'unlock_cluster'];
  const among = (names: readonly OperationName[]) => all.filter(({ name }) => names.includes(name));
  const inOrder = [...among(first), ...all.filter(({ name }) => ![...first, ...last].includes(name)), ...among(last)];

  test.each(inOrder)(
    '$name: with its status, the declared members and the rate headers',
    async ({ name, status, response }) => {
      // What the other calls began is under way on the shared platform, and can't be deleted.
      const place = isDeletion(name) ? await startTestPlatform({ timeScale: 1000 }) : platform;
      if (place !== platform) onTestFinished(() => place.close());
      const reply = await place.call(name, await requestOn(place, name));
      expect(reply.status, reply.text).toBe(status);
      for (const header of rateHeaderNames) expect(reply.headers[header]).toMatch(/^\d+$/);
      if (response) {
        (response as z.ZodType).parse(reply.body);
        expect(undeclaredPaths(response as z.ZodType, reply.body)).toEqual([]);
      } else {
        expect(reply.text).toBe('');
      }
    },
  );
});
