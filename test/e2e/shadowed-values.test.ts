import { expect, test } from 'vitest';
import { connectedForAll } from '../support/connected-platform.ts';
import type { Connectors } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import type { Json } from '../support/test-platform.ts';

let connectors: Connectors;

connectedForAll((connected) => ({ connectors } = connected));

async function call(tool: string, args: Json) {
  const client = await connectors.modern(userAnswering(agree));
  const result = await client.call(tool, args);
  expect(failureIn(result), textOf(result)).toBeUndefined();
  return { text: textOf(result), data: result.structuredContent as Json };
}

const service = 'shop/staging/checkout-api';

test.each<[string, Json, string, Json]>([
  [
    'create_environment_variable',
    { service, key: 'LOG_LEVEL', value: 'trace' },
    'The variable LOG_LEVEL of scope ENVIRONMENT no longer counts for this application.',
    { key: 'LOG_LEVEL', scope: 'ENVIRONMENT', kind: 'variable', for: 'application' },
  ],
  [
    'create_secret',
    { service, key: 'SHARED_TOKEN', value: 'hush-hush-hush' },
    'The secret SHARED_TOKEN of scope ENVIRONMENT no longer counts for this application.',
    { key: 'SHARED_TOKEN', scope: 'ENVIRONMENT', kind: 'secret', for: 'application' },
  ],
  [
    'set_environment_variables',
    { environment: 'shop/staging', variables: { REGION: 'eu-north-1', UNSEEN_BEFORE: 'x' } },
    'The variable REGION of scope PROJECT no longer counts in this environment.',
    { key: 'REGION', scope: 'PROJECT', kind: 'variable', for: 'environment' },
  ],
])(
  '%s says in plan and answer which wider value no longer counts, and for whom',
  async (tool, args, line, shadowed) => {
    const planned = await call(tool, { ...args, dry_run: true });
    expect((planned.data['dry_run'] as { effects: string[] }).effects).toContain(line);
    const { text, data } = await call(tool, args);
    expect(text.split(line)).toHaveLength(2);
    expect(data['no_longer_counts']).toEqual([shadowed]);
  },
);

test('a key that nothing wider has takes no place', async () => {
  for (const args of [
    { service, key: 'ONLY_HERE', value: 'x' },
    { project: 'shop', key: 'ONLY_THERE', value: 'x' },
  ]) {
    const planned = await call('create_environment_variable', { ...args, dry_run: true });
    expect(planned.text).not.toContain('no longer counts');
    const { text, data } = await call('create_environment_variable', args);
    expect(text).not.toContain('no longer counts');
    expect(data['no_longer_counts']).toBeUndefined();
  }
});

test('a value that is changed tells the old and the new one once, by its key', async () => {
  const environment = 'shop/production';
  const args = { environment, variables: { LOG_LEVEL: 'error' } };
  const planned = await call('set_environment_variables', { ...args, dry_run: true });
  expect(planned.text).toContain('LOG_LEVEL: warn → error');
  const { text, data } = await call('set_environment_variables', args);
  expect(text.match(/warn → error/g)).toHaveLength(1);
  expect(data['results']).toMatchObject([{ key: 'LOG_LEVEL', how: 'changed', from: 'warn', to: 'error' }]);
});

test('a new database says by which keys its neighbours see its variables', async () => {
  const args = { environment_id: 'shop/staging', name: 'newdb', type: 'REDIS', version: '7', mode: 'CONTAINER' };
  const planned = await call('create_database', { ...args, dry_run: true });
  expect(planned.text).toMatch(/BUILT_IN variables, whose keys contain its id/);
  const { text, data } = await call('create_database', args);
  const keys = data['variables'] as string[];
  expect(new Set(keys.map((key) => /[A-Z]+$/.exec(key)?.[0]))).toEqual(
    new Set(['HOST', 'NAME', 'PASSWORD', 'PORT', 'USER']),
  );
  const seen = await call('list_environment_variables', { service });
  for (const key of keys) expect(seen.text).toContain(key);
  expect(text).toMatch(/no tool makes aliases of them/);
});
