import { expect, test } from 'vitest';
import { inputSchema } from '../../src/server/tool/index.ts';
import { tools } from '../../tools/index.ts';
import { connectedForAll } from '../support/connected-platform.ts';
import type { Connectors } from '../support/connectors.ts';
import { failureIn, textOf } from '../support/mcp-clients.ts';

let connectors: Connectors;

connectedForAll((connected) => ({ connectors } = connected));

const choosing = tools.filter((tool) => Object.hasOwn(inputSchema(tool).properties ?? {}, 'fields'));

test.each(choosing.map((tool) => [tool.name, tool] as const))('%s takes no column that it does not know', (_, tool) => {
  const [issue] = tool.rules({ fields: ['no_such_column'] }).filter((one) => one.startsWith('"fields"'));
  expect(issue).toMatch(/there is no column no_such_column; there are \w+/);
  const [, known = ''] = issue!.split('; there are ');
  expect(tool.rules({ fields: known.split(', ') }).filter((one) => one.startsWith('"fields"'))).toEqual([]);
});

test('an unknown column is refused with those that there are, and an empty one is named', async () => {
  const client = await connectors.modern();
  const refused = await client.call('list_services', { environment: 'shop/staging', fields: ['name', 'colour'] });
  expect(failureIn(refused)).toMatchObject({ kind: 'bad_arguments' });
  expect(textOf(refused)).toMatch(/no column colour; there are .*name/);
  const shown = await client.call('list_services', {
    environment: 'shop/production',
    fields: ['name', 'provider_version'],
  });
  expect(shown.isError === true ? textOf(shown) : '').toBe('');
  expect(shown.structuredContent).toMatchObject({ empty_columns: ['provider_version'] });
});

test("the kind of a service is a column by that name, also where it is asked for by the platform's", async () => {
  const client = await connectors.modern();
  for (const column of ['kind', 'service_type']) {
    const { structuredContent } = await client.call('list_services', {
      environment: 'shop/staging',
      fields: ['name', column],
    });
    const rows = (structuredContent as { readonly results: readonly object[] }).results;
    expect(rows).toContainEqual({ name: 'orders-db', kind: 'database' });
  }
});

const service = 'shop/staging/checkout-api';

test('when a variable was changed is a column on request, and who changed it is found elsewhere', async () => {
  const client = await connectors.modern();
  const shown = await client.call('list_environment_variables', {
    service,
    fields: ['key', 'created_at', 'updated_at'],
  });
  const { results } = shown.structuredContent as { readonly results: readonly object[] };
  const time = expect.stringMatching(/^\d{4}-/) as string;
  expect(results, textOf(shown)).toContainEqual({ key: 'AWS_REGION', created_at: time, updated_at: time });
  expect(textOf(shown)).toMatch(/Next: list_events \{.*"kind":"variable"/);
  const usual = await client.call('list_environment_variables', { service });
  expect(JSON.stringify(usual.structuredContent)).not.toContain('updated_at');
  expect(textOf(usual)).not.toContain('list_events');
});

test('a key that is nowhere is said to be nowhere, whatever columns are chosen', async () => {
  const client = await connectors.modern();
  const none = await client.call('list_environment_variables', { service, key: 'NO_SUCH', fields: ['key', 'value'] });
  expect(none.structuredContent, textOf(none)).toMatchObject({ missing: 'NO_SUCH' });
  expect(textOf(none)).toContain('No variable or secret NO_SUCH in shop/staging/checkout-api');
});
