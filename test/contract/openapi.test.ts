import { beforeAll, describe, expect, test } from 'vitest';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { type AnyOperation, toWire, allOperations } from '../../src/contract/index.ts';

interface Answer {
  description: string;
  headers: Record<string, unknown>;
  content?: Record<string, { schema: Record<string, unknown> }>;
}
interface Entry {
  operationId: string;
  description?: string;
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  requestBody?: { required: boolean; content: Record<string, { schema: { properties: Record<string, unknown> } }> };
  responses: Record<string, Answer | { $ref: string }>;
  'x-documented': boolean;
}
interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Entry>>;
  components: {
    schemas: Record<string, unknown>;
    headers: Record<string, unknown>;
    securitySchemes: Record<string, unknown>;
  };
}

let document: Document;
beforeAll(() => {
  document = JSON.parse(JSON.stringify(openApiDocument())) as Document;
});
/** What a local reference such as #/components/responses/NotFound leads to. */
const follow = (ref: string): unknown =>
  ref
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
const answerOf = (op: AnyOperation, status: number): Answer => {
  const answer = entryOf(op).responses[status]!;
  return '$ref' in answer ? (follow(answer.$ref) as Answer) : answer;
};
const entryOf = (op: AnyOperation): Entry => document.paths[op.path]![op.method.toLowerCase()]!;

test('is an OpenAPI 3.1 document of this version', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.info.version).toBe('1.0.0');
  expect(Object.keys(document.components.securitySchemes)).toEqual(['token', 'bearer']);
});

test('holds every operation, once, and nothing else', () => {
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(ids.toSorted()).toEqual(allOperations.map(({ name }) => name).toSorted());
});

test('every reference in it leads somewhere', () => {
  const pointers = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
  expect(pointers.length).toBeGreaterThan(0);
  for (const pointer of new Set(pointers)) expect(follow(pointer), pointer).toBeTypeOf('object');
});

describe.each(allOperations.map((op): [string, AnyOperation] => [op.name, op]))('%s', (_, op) => {
  test('says its parameters: each of the path, required', () => {
    const { parameters } = entryOf(op);
    expect(
      parameters.filter((parameter) => parameter.in === 'path').map(({ name, required }) => [name, required]),
    ).toEqual([...op.path.matchAll(/\{(\w+)\}/g)].map((match) => [match[1], true]));
    expect(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)).toEqual(
      Object.keys(op.query as object),
    );
  });

  test('says its body, and whether one must be sent', () => {
    const { requestBody } = entryOf(op);
    expect(requestBody === undefined).toBe(op.body === undefined);
    if (requestBody) expect(requestBody.required).toBe(!op.body.safeParse({}).success);
  });

  test('says its answer, and the failures, each with the rate headers', () => {
    const statuses = [op.status, 400, 401, 403, 404, ...(op.documented || !op.creates ? [] : [409]), 429, 500];
    expect(Object.keys(entryOf(op).responses)).toEqual(statuses.map(String));
    expect(answerOf(op, op.status).content === undefined).toBe(op.status === 204);
    for (const status of statuses) expect(Object.keys(answerOf(op, status).headers)).toContain('X-RateLimit-Remaining');
  });

  test('says when it lies outside the documented interface', () => {
    expect(entryOf(op)['x-documented']).toBe(op.documented);
    expect(/outside/i.test(entryOf(op).description ?? '')).toBe(!op.documented);
  });
});

test('one entry, whole', () => {
  const op = allOperations.find(({ name }) => name === 'lock_cluster')!;
  expect(toWire(op, { cluster_id: 'x' }).target).toBe('/cluster/x/lock');
  expect({ ...entryOf(op), responses: { 200: answerOf(op, 200).content } }).toMatchSnapshot();
});

test('holds nothing of the schema library: its bounds, formats and notes', () => {
  const text = JSON.stringify(document);
  for (const word of [
    '9007199254740991',
    '"starts_with"',
    '"regex"',
    '"secret":true',
    '"reference":"',
    '"additionalProperties":false',
    '"$schema"',
  ]) {
    expect(text).not.toContain(word);
  }
  expect(text).toContain('"writeOnly":true');
});

test('writes a shared schema once', () => {
  const pages = allOperations.filter(({ path }) => path.endsWith('/deploymentHistoryV2'));
  expect(pages.length).toBeGreaterThan(1);
  for (const op of pages) {
    expect(answerOf(op, 200).content!['application/json']!.schema).toEqual({
      $ref: '#/components/schemas/DeploymentHistory',
    });
  }
  expect(document.components.schemas['DeploymentHistory']).toHaveProperty('properties.results');
});
