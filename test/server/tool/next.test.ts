import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Policy } from '../../../src/server/guard/index.ts';
import { proposable, withProposable, type NextCall } from '../../../src/server/tool/index.ts';
import { metaKeys } from '../../../src/server/output/index.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { policyFrom } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform({ rateLimit: undefined });
  connectors = connectorsTo(platform.url, platform.token);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const failed = { service: 'data/development/importer' };

async function proposed(policy: Policy): Promise<string[]> {
  const { _meta: meta } = await (await connectors.modern(undefined, policy)).call('diagnose_deployment', failed);
  return ((meta?.[metaKeys.next] ?? []) as NextCall[]).map(({ tool }) => tool);
}

test('only calls of tools that are offered are proposed, and not what would follow another', async () => {
  expect(await proposed({ readOnly: false })).toEqual(['update_container', 'deploy_service', 'get_service']);
  expect(await proposed(await policyFrom('deny: [{ tool: update_container }]'))).toEqual(['get_service']);
});

test('what has to follow another call is proposed only where that is', () => {
  const chain: NextCall[] = [
    { tool: 'look', arguments: {}, why: '' },
    { tool: 'lift', arguments: {}, why: '', after: 'look' },
    { tool: 'deploy', arguments: {}, why: '', after: 'lift' },
    { tool: 'other', arguments: {}, why: '' },
  ];
  const without = (...names: string[]): string[] =>
    proposable(chain, (tool) => !names.includes(tool)).calls.map(({ tool }) => tool);
  expect([without(), without('look'), without('lift')]).toEqual([
    ['look', 'lift', 'deploy'],
    ['other'],
    ['look', 'other'],
  ]);
});

const call = (tool: string): NextCall => ({ tool, arguments: { service: 'a' }, why: '' });

test('rows that lead to calls propose none that is not offered', () => {
  const rows = [{ of: 'one', next: [call('look')] }, { of: 'two', next: [call('lift')] }, { of: 'three' }, 'four'];
  expect(withProposable({ rows }, (tool) => tool !== 'lift')).toEqual({
    rows: [{ of: 'one', next: [call('look')] }, { of: 'two', next: [] }, { of: 'three' }, 'four'],
  });
});

test('of more calls than most tools propose, as many are left as a tool allows', () => {
  const calls = ['a', 'b', 'c', 'd', 'e'].map(call);
  const left = (most?: number): number => proposable(calls, () => true, undefined, most).calls.length;
  expect([left(), left(4)]).toEqual([3, 4]);
});
