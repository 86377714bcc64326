import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InMemoryTransport, type McpServer, type specTypeSchemas } from '@modelcontextprotocol/server';
import type { serveStdio } from '@modelcontextprotocol/server/stdio';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { lazySchemas, withLazySchemas } from '../../scripts/build/lazy-schemas.ts';

/** What a test looks at in the exports of a module. */
interface Exported {
  readonly parts: { readonly [name: string]: unknown; readonly list: readonly unknown[] } & (() => unknown);
  readonly requestSchemas: Readonly<Record<string, unknown>>;
  readonly ASchema: unknown;
  readonly BSchema: { readonly parts: () => unknown };
}

/** Runs a module whose schemas are made by `z`. @returns its exports, and what `z` has made so far. */
async function run(code: string): Promise<{ exports: Record<string, (given?: string) => Exported>; made: string[] }> {
  const made: string[] = [];
  Object.assign(globalThis, { schemaForTest: (name: string, parts: unknown) => (made.push(name), { name, parts }) });
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'schemaForTest'));
  const source = withLazySchemas('schemas.mjs', `const z = globalThis.schemaForTest;\n${code}`);
  return { exports: (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as never, made };
}

test('a schema is made when it is first used, once, with those that it consists of', async () => {
  const { exports, made } = await run(`
    const ASchema = z('A');
    const BSchema = z('B', { ASchema, list: [ASchema] });
    const CSchema = z('C');
    const known = new Set(Object.keys(BSchema.parts));
    const isKnown = (name) => known.has(name);
    export { BSchema, CSchema, isKnown };`);
  expect(made).toEqual([]);
  expect(exports['isKnown']!('none')).toBe(false);
  expect(made).toEqual(['A', 'B']);
  const b = exports['BSchema']!();
  expect(b.parts.list[0]).toBe(b.parts.ASchema);
  expect(exports['BSchema']!()).toBe(b);
  expect(made).toEqual(['A', 'B']);
});

test('tables of schemas make each of them when it is first read', async () => {
  const { exports, made } = await run(`
    function build() {
      const shape = { one: z('one') };
      const ASchema = z('A', { ...shape });
      const BSchema = z('B', () => { return { ASchema }; });
      const requestSchemas = { 'a/b': ASchema, b: z('inline') };
      return { ASchema, BSchema, requestSchemas };
    }
    const all = () => build();
    export { all };`);
  const schemas = exports['all']!();
  expect(Object.keys(schemas)).toEqual(['ASchema', 'BSchema', 'requestSchemas']);
  expect(made).toEqual([]);
  expect(schemas.requestSchemas['a/b']).toBe(schemas.ASchema);
  expect(schemas.requestSchemas.b).toBe(schemas.requestSchemas.b);
  expect(made).toEqual(['one', 'A', 'inline']);
  expect(schemas.BSchema.parts()).toEqual({ ASchema: schemas.ASchema });
});

test('code that would get another meaning is refused', () => {
  expect(() => withLazySchemas('a.mjs', 'const a = (ASchema) => ASchema.shape;')).toThrow('ASchema');
  expect(() => withLazySchemas('a.mjs', 'const _specTypeSchemas = {};')).toThrow('_specTypeSchemas[name] = schema;');
  expect(() => withLazySchemas('a.mjs', 'const a =')).toThrow('a.mjs');
});

interface Library {
  readonly McpServer: typeof McpServer;
  readonly InMemoryTransport: typeof InMemoryTransport;
  readonly serveStdio: typeof serveStdio;
  readonly specTypeSchemas: typeof specTypeSchemas;
}

/** The MCP library, bundled. */
async function bundled(isLazy: boolean): Promise<Library> {
  const directory = await mkdtemp(join(tmpdir(), 'infra-mcp-library-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const outfile = join(directory, 'library.mjs');
  await build({
    stdin: {
      contents:
        "export * from '@modelcontextprotocol/server'; export { serveStdio } from '@modelcontextprotocol/server/stdio';",
      resolveDir: import.meta.dirname,
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    alias: { '@modelcontextprotocol/server/_shims': join(import.meta.dirname, '../../scripts/build/shims.ts') },
    plugins: isLazy ? [lazySchemas] : [],
  });
  return (await import(pathToFileURL(outfile).href)) as Library;
}

const methods = `
  initialize ping server/discover tools/list tools/call prompts/list prompts/get resources/list resources/templates/list
  resources/read resources/subscribe completion/complete logging/setLevel tasks/get subscriptions/listen
  notifications/cancelled notifications/progress elicitation/create no/such/method`
  .trim()
  .split(/\s+/);

const person = { name: 'test', version: '1' };

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': person,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Parameters that some request accepts, and some that none does. */
const parameters: readonly unknown[] = [
  undefined,
  {},
  [],
  { name: 1 },
  { name: 'a', arguments: { a: 1 } },
  { cursor: 1 },
  { uri: 'a:b' },
  { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'a', value: 'b' } },
  { level: 'loud' },
  { _meta: envelope },
  { _meta: { ...envelope, 'io.modelcontextprotocol/protocolVersion': 1 } },
  { _meta: envelope, name: 'a' },
  { _meta: envelope, notifications: { toolsListChanged: 'yes' } },
  { protocolVersion: '2025-06-18', capabilities: { elicitation: {}, roots: { listChanged: 1 } }, clientInfo: person },
];

/** All that a server of the library answers to requests of every kind, in an order that doesn't depend on time. */
async function answersOf({ McpServer: Server, InMemoryTransport: Transport, serveStdio: serve }: Library) {
  const answers: unknown[] = [];
  for (const first of [{ protocolVersion: '2025-06-18', capabilities: {}, clientInfo: person }, { _meta: envelope }]) {
    const [near, far] = Transport.createLinkedPair();
    const handle = serve(
      () => {
        const mcp = new Server(person, { capabilities: { tools: {}, completions: {}, resources: {}, logging: {} } });
        mcp.server.setRequestHandler('tools/call', ({ params }) => ({ content: [], structuredContent: { ...params } }));
        mcp.server.setRequestHandler('tools/list', () => ({ tools: [] }));
        return mcp;
      },
      { transport: far },
    );
    const answered = new Map<unknown, unknown>();
    Object.assign(near, { onmessage: (message: { id?: unknown }) => void answered.set(message.id, message) });
    await near.start();
    const send = async (id: string, method: string, params: unknown): Promise<void> => {
      await near.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) } as never);
    };
    await send('first', '_meta' in first ? 'server/discover' : 'initialize', first);
    await expect.poll(() => answered.has('first')).toBe(true);
    for (const method of methods) {
      for (const [index, params] of parameters.entries()) await send(`${method} ${index}`, method, params);
    }
    await near.send({ jsonrpc: '2.0', id: 'last', method: 'tools/list', params: { _meta: envelope } });
    await expect.poll(() => answered.has('last')).toBe(true);
    answers.push(Object.fromEntries([...answered].toSorted(([a], [b]) => String(a).localeCompare(String(b)))));
    await handle.close();
  }
  return answers;
}

test('the library answers every message as it does without lazy schemas', async () => {
  const [usual, lazy] = [await bundled(false), await bundled(true)];
  const expected = await answersOf(usual);
  expect(Object.keys(expected[0] as object).length).toBeGreaterThan(100);
  expect(await answersOf(lazy)).toEqual(expected);
});

/** Every type of the protocol as a JSON schema. */
const described = ({ specTypeSchemas: schemas }: Library) =>
  Object.entries(schemas).map(([name, schema]) => [name, z.toJSONSchema(schema as never, { unrepresentable: 'any' })]);

test('the library describes every type as it does without lazy schemas', async () => {
  const [usual, lazy] = [await bundled(false), await bundled(true)];
  expect(described(usual).length).toBeGreaterThan(100);
  expect(described(lazy)).toEqual(described(usual));
});
