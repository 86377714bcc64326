import { fileURLToPath } from 'node:url';
import { assert, array, boolean, constant, integer, oneof, property, string, type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { freeText } from '../../src/contract/index.ts';
import { createClient } from '../../src/client/client.ts';
import { credentialOf } from '../../src/client/index.ts';
import { textsIn } from '../../src/server/browse/index.ts';
import { createDependencies } from '../../src/server/protocol/index.ts';
import { issuesOf, lenientArguments, withNumbersAsWritten, type Tool } from '../../src/server/tool/index.ts';
import { readJsonText } from '../../src/transport/read-json.ts';
import { issuesOfCall } from '../support/argument-issues.ts';
import { anyText } from '../support/any-text.ts';
import { memoryLog } from '../support/call-context.ts';
import { connectLines, initializeParams, rawStdio, type RawResult } from '../support/raw-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { tools } from '../../tools/index.ts';

const toolNamed = (name: string): Tool => tools.find((tool) => tool.name === name)!;
const toolWith = (input: z.ZodRawShape): Tool => ({ input, rules: () => [], printing: {} }) as unknown as Tool;

/** A schema with values that it accepts. */
interface Kind {
  readonly schema: z.ZodType;
  readonly values: Arbitrary<unknown>;
}

const scalars: readonly Kind[] = [
  { schema: z.int(), values: integer() },
  { schema: z.boolean(), values: boolean() },
  { schema: z.string(), values: oneof(anyText({ maxLength: 9 }), constant('[1]'), constant('{"a":1}'), constant('5')) },
  { schema: freeText(), values: oneof(string(), constant('["a"]'), constant('true')) },
];

const containers = ({ schema, values }: Kind): readonly Kind[] => [
  { schema: z.array(schema), values: array(values, { maxLength: 3 }) },
  { schema: z.object({ one: schema, other: schema.optional() }), values: values.map((one) => ({ one })) },
  { schema: z.record(z.string(), schema), values: values.map((one) => ({ KEY: one })) },
];

describe('values that arrive as JSON text', () => {
  const kinds = [...scalars, ...scalars.flatMap(containers), ...scalars.flatMap(containers).flatMap(containers)];

  test('are read by schema; texts stay as they are, whatever they look like', () => {
    for (const { schema, values } of kinds) {
      const tool = toolWith({ value: schema.optional() });
      assert(
        property(values, (value) => {
          expect(lenientArguments(tool, { value })).toEqual({ value });
          if (typeof value !== 'string')
            expect(lenientArguments(tool, { value: JSON.stringify(value) })).toEqual({ value });
        }),
        { numRuns: 10 },
      );
    }
  });

  test('of the wrong kind, or no JSON, are refused with what is wanted', () => {
    const tool = toolWith({ list: z.array(z.string()).optional(), map: z.record(z.string(), freeText()).optional() });
    const wrong = { list: '{"a":1}', map: '{"KEY": hunter2}' };
    expect(lenientArguments(tool, wrong)).toEqual(wrong);
    const issues = issuesOf(tool, wrong);
    expect(issues).toEqual([
      expect.stringContaining('"list": must be a list'),
      expect.stringContaining('"map": must be an object'),
    ]);
    expect(issues.join('')).not.toContain('hunter2');
  });

  test('name several resources in one argument', () => {
    const stop = toolNamed('stop_services');
    expect(issuesOfCall(stop, { services: '["shop/staging/search", "shop/staging/api"]' })).toEqual([]);
  });
});

describe('a number or boolean for the value of a variable', () => {
  const create = toolNamed('create_environment_variable');
  const set = toolNamed('set_environment_variables');

  test('is its text', () => {
    expect(lenientArguments(create, { key: 'A', value: 8080 })).toMatchObject({ value: '8080' });
    expect(lenientArguments(set, { variables: { A: true, B: -1 }, secrets: { C: 12_345_678 } })).toEqual({
      variables: { A: 'true', B: '-1' },
      secrets: { C: '12345678' },
    });
  });

  test('inside JSON text is exactly as written there', () => {
    expect(lenientArguments(set, { variables: '{"A": 1.0, "B": 1e3, "C": 12345678901234567890, "D": -0}' })).toEqual({
      variables: { A: '1.0', B: '1e3', C: '12345678901234567890', D: '-0' },
    });
  });

  test('is refused if nothing has the text that was written', () => {
    expect(issuesOfCall(create, { service: 'x', key: 'A', value: 1.5 })).toEqual([
      expect.stringContaining('in quotes'),
    ]);
    expect(issuesOfCall(create, { service: 'x', key: 'A', value: 2 ** 60 })).toHaveLength(1);
    for (const meta of [undefined, {}, { 'infra-mcp/written-numbers': 1 }])
      expect(withNumbersAsWritten(create, { value: 1.5 }, meta)).toEqual({ value: 1.5 });
  });
});

describe('messages', () => {
  test('keep the numbers that JavaScript writes otherwise, and lose what a client claims of them', () => {
    const call =
      '{"method":"tools/call","params":{"name":"t","arguments":{"v":1.0,"n":[2,1e3],"t":"1.0"},"_meta":{"infra-mcp/written-numbers":1}}}';
    expect(readJsonText(call)).toMatchObject({
      params: {
        arguments: { v: 1, n: [2, 1000], t: '1.0' },
        _meta: {
          'infra-mcp/written-numbers': [
            { path: ['v'], text: '1.0' },
            { path: ['n', 1], text: '1e3' },
          ],
        },
      },
    });
    expect(readJsonText(call.replaceAll(/1\.0|1e3/g, '1'))).toMatchObject({
      params: { _meta: { 'infra-mcp/written-numbers': [] } },
    });
  });

  test('with null for arguments have none; those of prompts are text', () => {
    expect(
      readJsonText(
        '[{"method":"tools/call","params":{"arguments":null}},{"method":"prompts/get","params":{"arguments":{"a":1.0,"b":true,"c":null}}}]',
      ),
    ).toEqual([
      { method: 'tools/call', params: {} },
      { method: 'prompts/get', params: { arguments: { a: '1.0', b: 'true' } } },
    ]);
  });

  test('nested too deeply are read without their numbers, which are not known', () => {
    const deep = `{"method":"tools/call","params":{"arguments":{"v":1.0,"n":${'['.repeat(30_000)}${']'.repeat(30_000)}},"_meta":{"infra-mcp/written-numbers":[]}}}`;
    expect(readJsonText(deep)).toHaveProperty('params._meta', {});
  });
});

/** A JSON number as text, as a client of another language may write it. */
const written = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);

const textOf = ({ content }: RawResult): string => (content ?? []).map(({ text }) => text).join('\n');

describe('over stdio', () => {
  let platform: TestPlatform;
  let dependencies: ReturnType<typeof createDependencies>;

  beforeAll(async () => {
    platform = await startTestPlatform();
    const client = createClient({ baseUrl: platform.url, credential: credentialOf(platform.token) });
    dependencies = createDependencies({
      tools,
      policy: { readOnly: false },
      connect: async () => ({ client }),
      secrets: () => [platform.token],
      version: '0.0.0',
      log: memoryLog(),
      clock: { now: Date.now },
      texts: textsIn(fileURLToPath(new URL('../../', import.meta.url))),
    });
  });

  afterAll(() => platform.close());

  test.each(['legacy', 'modern'] as const)('a plan shows what was understood (%s)', async (revision) => {
    const client = await rawStdio[revision](dependencies);
    const variable = await client.call('create_environment_variable', {
      environment: 'shop/staging',
      key: 'API_VERSION',
      value: written('1.0'),
      dry_run: 'true',
    });
    expect(variable.isError, textOf(variable)).toBeFalsy();
    expect(textOf(variable)).toContain('value: 1.0\n');
    const fraction = await client.call('create_environment_variable', {
      environment: 'shop/staging',
      key: 'RATIO',
      value: 0.1,
      dry_run: true,
    });
    expect(fraction.isError, textOf(fraction)).toBeFalsy();
    expect(textOf(fraction)).toContain('value: 0.1\n');
    const several = await client.call('set_environment_variables', {
      environment: 'shop/staging',
      variables: { SOME_RATIO: 1.5, OTHER_RATIO: written('1.50'), LARGE: 2 ** 60 },
      dry_run: true,
    });
    expect(several.isError, textOf(several)).toBeFalsy();
    for (const value of ['1.5', '1.50', String(2 ** 60)]) expect(textOf(several)).toContain(`value: ${value}\n`);
    const container = await client.call('update_container', {
      container: 'shop/staging/search',
      ports: '[{"name":"extra","internal_port":"9000","publicly_accessible":"false","protocol":"HTTP"}]',
      dry_run: true,
    });
    expect(container.isError, textOf(container)).toBeFalsy();
    expect(textOf(container)).toContain('9000');
    expect(textOf(container)).not.toContain('"9000"');
    const stored = await client.call('set_environment_variables', {
      environment: 'shop/staging',
      secrets: '{"PAYMENT_WORD": "correct horse battery"}',
      dry_run: true,
    });
    expect(stored.isError, textOf(stored)).toBeFalsy();
    expect(JSON.stringify(stored)).not.toContain('correct horse');
    const organization = await client.call('list_clusters', null as unknown as object);
    expect(organization.isError, textOf(organization)).toBeFalsy();
    await client.close();
  });

  test('a prompt takes numbers, and null for no arguments', async () => {
    const { request, close } = connectLines(dependencies);
    await request('initialize', initializeParams({}));
    const given = await request('prompts/get', {
      name: 'what-changed',
      arguments: { since: true, environment: null },
    }).catch(String);
    expect(given).toContain(String.raw`\"since\" must be`);
    const none = await request('prompts/get', { name: 'what-changed', arguments: null }).catch(String);
    expect(none).not.toContain('null');
    await close();
  });
});
