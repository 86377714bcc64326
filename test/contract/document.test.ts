import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { documentedOperations } from '../../src/contract/documented/documented.ts';
import {
  defaultPageSizes,
  defaultRateLimit,
  defaultRateWindowSeconds,
  rateHeaders,
  type AnyOperation,
  allOperations,
  ContainerRequest,
} from '../../src/contract/index.ts';
import { statusTexts } from '../../src/contract/errors.ts';
import { extensionOperations } from '../../src/contract/extensions/extensions.ts';
import { HelmRepositoryRequest } from '../../src/contract/resources/helm-repository.ts';
import {
  type Endpoint,
  endpoints,
  failureCodes,
  helmRepositoryKinds,
  limits,
  extensionEndpoints,
  pageQuery,
} from './document.ts';
import { type ShapeName, shapes } from './document-shapes.ts';
import { type Field, fieldsOfSchema, fieldsOfText } from './schema-fields.ts';

const documented: AnyOperation[] = Object.values(documentedOperations);
const label = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

/** The documented row and the contract's operation side by side. */
const pairs = endpoints.map((row, index): [string, Endpoint, AnyOperation] => [label(row), row, documented[index]!]);

/** Members that only hold others: the text may leave them out. */
const isHolder = (path: string, fields: Map<string, Field>): boolean =>
  [...fields.keys()].some((other) => other.startsWith(`${path}.`) || other.startsWith(`${path}[]`));

/** Member names whose own line matters, sorted. */
const leaves = (fields: Map<string, Field>): string[] =>
  [...fields.keys()].filter((path) => !isHolder(path, fields)).toSorted();

/** A type the contract may have for what the document writes: the same, or a string of a stricter kind. */
const agrees = (written: string, actual: string): boolean =>
  written === actual || (written === 'string' && ['uuid', 'uri', 'date-time', 'email'].includes(actual));

/** Everything that differs between a retyped shape and a schema of the contract, a line each. */
const differences = (name: ShapeName, schema: z.ZodType, side: 'input' | 'output'): string[] => {
  const written = fieldsOfText(shapes[name]);
  const actual = fieldsOfSchema(schema, side);
  const wrong: string[] = [];
  for (const path of leaves(actual)) if (!written.has(path)) wrong.push(`${path}: not in the document`);
  for (const [path, { nullable }] of actual)
    if (side === 'output' && nullable && !written.get(path)?.nullable)
      wrong.push(`${path}: is never null in the document`);
  for (const [path, want] of written) {
    const have = actual.get(path);
    if (!have) {
      wrong.push(`${path}: missing from the contract`);
      continue;
    }
    if (!agrees(want.type, have.type) && !isHolder(path, actual))
      wrong.push(`${path}: ${want.type} is written, the contract has ${have.type}`);
    if (want.nullable && !have.nullable) wrong.push(`${path}: may be null`);
    if (want.required !== have.required && (side === 'input' || want.required))
      wrong.push(`${path}: required is ${want.required}`);
    for (const [limit, value] of Object.entries(want.limits)) {
      if (have.limits[limit] !== value)
        wrong.push(`${path}: ${limit} is ${String(value)}, the contract has ${String(have.limits[limit])}`);
    }
  }
  return wrong;
};

describe('the endpoint table', () => {
  test('is the documented operations, in the same order', () => {
    expect(documented.map(label)).toEqual(endpoints.map(label));
  });

  test('and its supplement are all the operations there are, each once', () => {
    const all = allOperations.map(label);
    expect(all.toSorted()).toEqual([...endpoints.map(label), ...extensionEndpoints].toSorted());
    expect(new Set(all).size).toBe(all.length);
  });

  test('marks what lies outside it', () => {
    expect(documented.filter((op) => !op.documented).map(label)).toEqual([]);
    expect(
      Object.values(extensionOperations)
        .filter((op) => op.documented)
        .map(label),
    ).toEqual([]);
  });

  test.each(pairs)('%s: query', (_, row, op) => {
    const paged = row.list ? pageQuery : row.query?.includes('pageSize') ? ['page'] : [];
    expect(Object.keys(op.query).toSorted()).toEqual([...(row.query ?? []), ...paged].toSorted());
  });

  test.each(pairs)('%s: request body', (_, row, op) => {
    expect(op.body === undefined).toBe(row.body === undefined);
    if (row.body) expect(differences(row.body, op.body, 'input')).toEqual([]);
  });

  test.each(pairs.filter(([, row]) => row.response))('%s: answer', (_, row, op) => {
    const schema = row.list ? (op.response as z.ZodObject).shape['results'] : op.response;
    expect(differences(row.response!, row.list ? (schema as z.ZodArray<z.ZodType>).element : schema, 'output')).toEqual(
      [],
    );
  });

  test.each(pairs)('%s: effect and permission', (_, row, op) => {
    expect({ effect: op.effect, permission: op.permission }).toEqual({
      effect: row.effect,
      permission: row.permission,
    });
  });

  test.each(pairs)('%s: success code', (_, row, op) => {
    const creates =
      row.method === 'POST' && (row.effect === 'write' || row.effect === 'sensitive') && row.permission !== 'deploy';
    expect(op.status).toBe(creates ? 201 : 200);
  });
});

test('every shape of the fixture is used by the table', () => {
  const used = endpoints.flatMap(({ body, response }) => [body, response]);
  expect(Object.keys(shapes).filter((name) => !used.includes(name as ShapeName))).toEqual([]);
});

test('failures have the codes of the document', () => {
  expect(Object.keys(statusTexts).map(Number)).toEqual(failureCodes);
});

test('limits are those of the document', () => {
  expect(defaultRateLimit / (defaultRateWindowSeconds / 3600)).toBe(limits.requestsPerHour);
  expect(Object.values(rateHeaders)).toEqual(limits.rateHeaders);
  expect(defaultPageSizes.rows).toBe(limits.historyPageSize);
});

test.each([
  [-1, true],
  [1, true],
  [0, false],
  [-2, false],
])('max_running_instances %d is accepted: %s', (value, accepted) => {
  expect(ContainerRequest.shape.max_running_instances.safeParse(value).success).toBe(accepted);
});

test.each(helmRepositoryKinds)('a helm repository may be of kind %s', (kind) => {
  const url = kind === 'HTTPS' ? 'https://charts.example.com' : 'oci://charts.example.com';
  const request = { name: 'charts', kind, skip_tls_verification: false, config: {}, url };
  expect(HelmRepositoryRequest.safeParse(request).success).toBe(true);
  const otherUrl = kind === 'HTTPS' ? 'oci://charts.example.com' : 'https://charts.example.com';
  expect(HelmRepositoryRequest.safeParse({ ...request, url: otherUrl }).success).toBe(false);
});

test.each(['HTTP', 'oci_ecr', 'ECR', ''])('a helm repository may not be of kind "%s"', (kind) => {
  expect(HelmRepositoryRequest.shape.kind.safeParse(kind).success).toBe(false);
});

describe('a difference shows', () => {
  const schema = z.object({
    key: z.string(),
    value: z.string(),
    mount_path: z.string().nullish(),
    description: z.string().max(255).optional(),
    enable_interpolation_in_file: z.boolean().optional(),
  });
  const required = { key: true, value: true } as const;

  test.each([
    ['a member more', schema.extend({ colour: z.string().optional() }), 'colour: not in the document'],
    ['a member less', schema.omit({ mount_path: true }), 'mount_path: missing from the contract'],
    ['another type', schema.extend({ value: z.int() }), 'value: string is written, the contract has integer'],
    [
      'another limit',
      schema.extend({ description: z.string().max(250).optional() }),
      'description: maxLength is 255, the contract has 250',
    ],
    ['no null', schema.extend({ mount_path: z.string().optional() }), 'mount_path: may be null'],
    ['not required', schema.partial(required), 'key: required is true'],
  ])('%s', (_, changed, message) => {
    expect(differences('variable edit', changed, 'input')).toContain(message);
  });

  test('a null', () => {
    const answer = z.object({ id: z.string().nullable(), key: z.string(), mount_path: z.string().nullable() });
    expect(differences('variable', answer, 'output').filter((line) => line.includes('never null'))).toEqual([
      'id: is never null in the document',
    ]);
  });
});
