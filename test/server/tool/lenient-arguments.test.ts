import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { lenientArguments } from '../../../src/server/tool/lenient-arguments.ts';
import type { Tool } from '../../../src/server/tool/index.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { textOf, type TestClient } from '../../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

const tool = {
  input: {
    count: z.int().min(1).optional(),
    wait: z.boolean().optional(),
    name: z.string().optional(),
    empty: z.string().nullish(),
    needed: z.string(),
    size: z.number().default(3),
    either: z.union([z.string(), z.number()]).optional(),
    nested: z.object({ port: z.int(), note: z.string().optional() }).optional(),
    ports: z.array(z.object({ port: z.int() })).optional(),
  },
} as unknown as Tool;

const read = (args: Record<string, unknown>) => lenientArguments(tool, args);

describe('arguments are taken as they are meant', () => {
  test('numbers and booleans given as text', () => {
    expect(read({ count: '5', wait: 'true', size: '2.5' })).toEqual({ count: 5, wait: true, size: 2.5 });
    expect(read({ nested: { port: '8080' }, ports: [{ port: '80' }] })).toEqual({
      nested: { port: 8080 },
      ports: [{ port: 80 }],
    });
  });

  test('but not where text is meant, or it is not clear', () => {
    const unclear = { name: '5', either: '5', count: '5 of them', wait: 'yes', size: '0x10' };
    expect(read(unclear)).toEqual(unclear);
    expect(read({ count: '0' })).toEqual({ count: '0' });
  });

  test('null for absent, where null says nothing', () => {
    expect(read({ count: null, size: null, nested: { port: 1, note: null } })).toEqual({ nested: { port: 1 } });
    expect(read({ empty: null, needed: null, unknown: null })).toEqual({ empty: null, needed: null, unknown: null });
  });
});

describe('a call', () => {
  let platform: TestPlatform;
  let connectors: Connectors;
  let client: TestClient;

  beforeAll(async () => {
    platform = await startTestPlatform();
    connectors = connectorsTo(platform.url, platform.token);
    client = await connectors.modern();
  });

  afterAll(async () => {
    await connectors.close();
    await platform.close();
  });

  test('with null and "2" is carried out', async () => {
    const result = await client.call('list_deployments', {
      service: 'shop/staging/search',
      environment: null,
      page: null,
      page_size: '2',
    });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(result.structuredContent).toMatchObject({ page: 1, page_size: 2 });
  });

  test('of a tool that merges keeps null, which removes', async () => {
    const result = await client.call('update_container', {
      container_id: 'shop/staging/search',
      description: null,
      memory: '640',
      dry_run: true,
    });
    expect(result.isError, textOf(result)).toBeFalsy();
    expect(textOf(result)).toContain('640');
  });
});
