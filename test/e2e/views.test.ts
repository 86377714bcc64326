import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { showsViews, viewExtension, viewMimeType, viewNames, viewOfTool, viewUri } from '../../src/views/index.ts';
import { views } from '../../src/views/catalog.ts';
import { tools } from '../../tools/index.ts';
import { closeTestServers } from '../transport/test-server.ts';
import { connections, showing } from '../support/view-clients.ts';

afterEach(closeTestServers);

const declaring = (settings: unknown): unknown => ({ extensions: { [viewExtension]: settings } });

interface List {
  readonly tools: readonly { readonly name: string; readonly _meta?: Record<string, unknown> }[];
  readonly ttlMs?: number;
  readonly cacheScope?: string;
}

describe.each(connections)('a client of the %s revision', (_, connect) => {
  /** The list of tools as it came. */
  const listTo = async (extensions?: Parameters<typeof connect>[0]): Promise<{ text: string; list: List }> => {
    const { client, received, close } = await connect(extensions);
    onTestFinished(close);
    await client.listTools();
    const text = received.at(-1)!;
    return { text, list: JSON.parse(text) as List };
  };

  test('gets not a byte of views unless it declares that it shows them', async () => {
    const { text } = await listTo();
    expect(text).not.toContain('ui://');
    expect((await listTo({})).text).toBe(text);
    expect((await listTo({ 'io.example/other': {} })).text).toBe(text);
    expect((await listTo({ [viewExtension]: {} })).text).toBe(text);
    expect((await listTo({ [viewExtension]: { mimeTypes: ['text/html'] } })).text).toBe(text);
  });

  test('that shows views gets the same list, and with the tools of a view where it is', async () => {
    const [without, withViews] = [(await listTo()).list, (await listTo(showing)).list];
    const named = withViews.tools.flatMap(({ name, _meta: meta }) => (meta ? [[name, meta]] : []));
    expect(named).toEqual(
      without.tools.flatMap(({ name }) => {
        const view = viewOfTool(name);
        return view === undefined ? [] : [[name, { ui: { resourceUri: viewUri(view) } }]];
      }),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(withViews.tools.map(({ _meta, ...tool }) => tool)).toEqual(without.tools);
  });

  test('may keep only the list without views', async () => {
    const [without, withViews] = [(await listTo()).list, (await listTo(showing)).list];
    const isModern = without.ttlMs !== undefined;
    expect([without.ttlMs, without.cacheScope]).toEqual(isModern ? [300_000, 'private'] : [undefined, undefined]);
    expect([withViews.ttlMs, withViews.cacheScope]).toEqual(isModern ? [0, 'private'] : [undefined, undefined]);
  });

  test('finds views in no list of resources, and no view that there is not', async () => {
    const { client, received, close } = await connect(showing);
    onTestFinished(close);
    await client.listResources();
    await client.listResourceTemplates();
    expect(received.join()).not.toContain('ui://');
    await expect(client.readResource({ uri: 'ui://infra-mcp/nothing' })).rejects.toThrow(/nothing/);
  });
});

test('views are for tools that there are, and a tool has one', () => {
  const names = viewNames.flatMap((name) => views[name].tools);
  expect(names.filter((name) => !tools.some((tool) => tool.name === name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('a client shows views if it declares their type, whatever else it declares', () => {
  expect(showsViews(declaring({ mimeTypes: ['text/plain', viewMimeType], more: true }))).toBe(true);
  for (const other of [undefined, null, [], 'yes', { mimeTypes: viewMimeType }, { mimeTypes: [] }])
    expect(showsViews(declaring(other))).toBe(false);
  for (const other of [undefined, {}, { extensions: null }, { extensions: [viewExtension] }])
    expect(showsViews(other)).toBe(false);
});
