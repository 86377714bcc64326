import { expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { connectedForAll } from '../support/connected-platform.ts';
import type { Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import type { Json } from '../support/test-platform.ts';

let connectors: Connectors;

connectedForAll((connected) => ({ connectors } = connected));

async function call(tool: string, args: Json) {
  const result = await (await connectors.modern(userAnswering(agree))).call(tool, args);
  expect(result.isError === true ? textOf(result) : '').toBe('');
  return { text: textOf(result), answer: result.structuredContent as Json };
}

/** The warnings of a plan or an answer about clusters. */
const warnings = (text: string): string[] => text.match(/^Nothing can run on cluster .*$/gm) ?? [];

const broken = { cluster: 'edge-lab' };

test.each([
  ['create_environment', { project: 'shop', name: 'edge', mode: 'DEVELOPMENT' }],
  ['clone_environment', { environment: 'shop/staging', name: 'edge-copy', mode: 'DEVELOPMENT' }],
])('the plan and the answer of %s warn of a cluster that can not be used', async (tool, args) => {
  const { text } = await call(tool, { ...args, ...broken, dry_run: true });
  expect(warnings(text)).toEqual([expect.stringContaining('INVALID_CREDENTIALS')]);
  const { text: answer } = await call(tool, { ...args, ...broken });
  expect(warnings(answer)).toEqual(warnings(text));
  expect(warnings((await call(tool, { ...args, name: 'fine', cluster: 'main', dry_run: true })).text)).toEqual([]);
});

test('so do the plans of what is deployed there, or made to run there', async () => {
  const {
    answer: { id: environment_id },
  } = await call('create_environment', { project: 'data', name: 'edge', mode: 'DEVELOPMENT', ...broken });
  const made = { environment: 'data/edge', name: 'cache', type: 'REDIS', version: '7', mode: 'CONTAINER' };
  expect(warnings((await call('create_database', { ...made, dry_run: true })).text)).toHaveLength(1);
  await call('create_database', made);
  const deploying = { service: 'data/edge/cache', dry_run: true };
  expect(warnings((await call('deploy_service', deploying)).text)).toHaveLength(1);
  expect(warnings((await call('deploy_service', { environment: environment_id, dry_run: true })).text)).toHaveLength(1);
  const elsewhere = { application: seedId('service/shop/production/checkout-api'), dry_run: true };
  expect(warnings((await call('deploy_application', elsewhere)).text)).toEqual([]);
});
