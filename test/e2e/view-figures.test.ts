import { StreamableHTTPClientTransport as ModernHttp, type CallToolResult } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { metaKeys } from '../../src/views/index.ts';
import { connectLegacy, connectModern, type Extensions, type TestClient } from '../support/mcp-clients.ts';
import { showing } from '../support/view-clients.ts';
import { startFullServer } from '../transport/full-server.ts';
import { closeTestServers } from '../transport/test-server.ts';

let running: Awaited<ReturnType<typeof startFullServer>>;

beforeAll(async () => {
  running = await startFullServer();
});
afterAll(async () => {
  await closeTestServers();
  await running.close();
});

const connections = {
  modern: (extensions?: Extensions) =>
    connectModern(new ModernHttp(running.server.url), undefined, undefined, extensions),
  legacy: (extensions?: Extensions) => connectLegacy(new LegacyHttp(running.server.url), undefined, extensions),
} satisfies Readonly<Record<string, (extensions?: Extensions) => Promise<TestClient>>>;

/** A value without ages such as `(3s ago)`: they differ from one second to the next. */
const ageless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/\((?:in )?\d+[dhms](?: ago)?\)/g, ''));

/** A result without the budget, which each call changes, and what it has for views. */
const split = ({ _meta: meta = {}, ...result }: CallToolResult) => {
  const { [metaKeys.view]: figures, [metaKeys.budget]: _, ...rest } = meta;
  return { figures, result: ageless({ ...result, _meta: rest }) };
};

describe.each(['modern', 'legacy'] as const)('a result for a client of the %s revision', (era) => {
  test.each([
    ['diagnose_deployment', { environment: 'data/development' }, ['lines', 'service', 'timeline']],
    ['search_logs', { service: 'data/development/importer' }, ['lines']],
    ['get_service', { service: 'shop/staging/checkout-api' }, ['services']],
    ['list_services', {}, ['services']],
    ['get_organization_overview', {}, undefined],
    ['compare_environments', { first: 'shop/staging', second: 'shop/production' }, undefined],
  ] as const)('of %s has what views draw only where they are shown', async (name, args, members) => {
    const [plain, withViews] = [await connections[era](), await connections[era](showing)];
    const [one, other] = [await plain.call(name, args), await withViews.call(name, args)];
    await plain.close();
    await withViews.close();
    expect(split(one).figures).toBeUndefined();
    expect(JSON.stringify(one)).not.toContain('"figures"');
    expect(split(other).result).toEqual(split(one).result);
    const { figures } = split(other);
    expect(figures === undefined ? undefined : Object.keys(figures as object).toSorted()).toEqual(members);
  });
});
