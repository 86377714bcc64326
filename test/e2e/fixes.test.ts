import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issuesOfCall } from '../support/argument-issues.ts';
import type { NextCall } from '../../src/server/tool/index.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import { scenarios } from '../../src/platform/testing/scenarios/scenarios.ts';
import { tools } from '../../tools/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

/** How a failure is mended by what its diagnosis proposes. */
interface Mending {
  /**
   * Tools of the proposed calls that are taken, in order; the calls that a diagnosis among them proposes take the place
   * of the others.
   */
  readonly take: readonly string[];
  /** What the user fills in. */
  readonly fill?: string;
  /** A call more, once what it waited for is there. */
  readonly after?: { readonly tool: string; readonly arguments: Record<string, unknown> };
  readonly service: string;
}

const mendings: Readonly<Record<string, Mending>> = {
  'bad-image-tag': { take: ['update_container', 'deploy_service'], service: 'pricing/staging/pricing-engine' },
  'failing-readiness-probe': { take: ['update_container', 'deploy_service'], service: 'discovery/staging/suggest' },
  'missing-variable': {
    take: ['set_environment_variables', 'deploy_service'],
    fill: 'https://rates.acme.example',
    service: 'payments/staging/payments-api',
  },
  'wrong-variable-value': {
    take: ['set_environment_variables', 'deploy_service'],
    service: 'orders/staging/orders-api',
  },
  'wrong-port': { take: ['update_container', 'deploy_service'], service: 'shop/gifts/gift-cards' },
  'out-of-memory': { take: ['update_container', 'deploy_service'], service: 'discovery/production/recommendations' },
  'docker-build-error': { take: ['deploy_application'], service: 'shop/returns/returns-portal' },
  'terraform-state-lock': { take: ['restart_services', 'deploy_service'], service: 'network/staging/private-network' },
  'helm-timeout': { take: ['update_helm', 'deploy_service'], service: 'data/streaming/event-bus' },
  'database-down': { take: ['deploy_service', 'deploy_service'], service: 'ledger/staging/ledger-api' },
  'image-pull-denied': { take: ['update_container', 'deploy_service'], service: 'shop/notifications/mailer' },
  'flaky-migration-job': {
    take: ['diagnose_deployment', 'deploy_service'],
    after: { tool: 'deploy_service', arguments: { service: 'billing/staging/billing-api' } },
    service: 'billing/staging/billing-api',
  },
  'cluster-locked': {
    take: ['get_environment_overview', 'unlock_cluster', 'deploy_service'],
    service: 'warehouse/production/stock-sync',
  },
};

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: scenarios.map(({ name }) => name) });
  connectors = connectorsTo(platform.url, platform.token);
  client = await connectors.modern(userAnswering(agree));
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const nextOf = (result: CallToolResult): readonly NextCall[] =>
  (result._meta?.[metaKeys.next] ?? []) as readonly NextCall[];

const must = async ({ tool, arguments: args }: Pick<NextCall, 'tool' | 'arguments'>): Promise<CallToolResult> => {
  const result = await client.call(tool, args);
  expect(result.isError, `${tool} ${JSON.stringify(args)}: ${textOf(result)}`).toBeFalsy();
  return result;
};

/** The calls that lack what only the user knows. */
const openOf = (result: CallToolResult): readonly NextCall[] =>
  (result.structuredContent as { next_once_known?: readonly NextCall[] } | undefined)?.next_once_known ?? [];

/** A call with what it lacked: `needs` names the argument and the form of its value. */
function filled({ arguments: args, needs = '' }: NextCall, value: string): NextCall['arguments'] {
  const [argument, form] = needs.split(/ (.+)/);
  return { ...args, [argument!]: form!.replace(/<[^>]*>/, value) };
}

const latestOf = async (service: string): Promise<unknown> => {
  const { results } = (await must({ tool: 'list_deployments', arguments: { service } })).structuredContent as {
    results: { state: string }[];
  };
  return results[0]?.state;
};

/** How the latest deployment of a service ended, once nothing of it moves. */
const expectEnd = (service: string, state: RegExp) =>
  expect.poll(() => latestOf(service), { interval: 20 }).toMatch(state);

function expectUsable(calls: readonly NextCall[]): void {
  expect(calls.length).toBeGreaterThan(0);
  expect(calls[0]?.tool).not.toBe('unlock_cluster');
  for (const { tool: name, arguments: args } of calls)
    expect(
      issuesOfCall(
        tools.find((tool) => tool.name === name)!,
        args,
      ),
      `${name} ${JSON.stringify(args)}`,
    ).toEqual([]);
}

test('every failure has a fix', () => {
  expect(Object.keys(mendings).toSorted()).toEqual(scenarios.map(({ name }) => name).toSorted());
});

describe.each(Object.entries(mendings))('%s', (_, { take, after, fill, service }) => {
  test('is gone after the calls that its diagnosis proposes', async () => {
    const diagnosis = await must({
      tool: 'diagnose_deployment',
      arguments: { environment: service.split('/').slice(0, 2).join('/') },
    });
    let proposed: readonly NextCall[] = [...openOf(diagnosis), ...nextOf(diagnosis)];
    expectUsable(nextOf(diagnosis));
    expect(nextOf(diagnosis).some(({ needs }) => needs !== undefined)).toBe(false);
    for (const tool of take) {
      const call = proposed.find((one) => one.tool === tool);
      const others = proposed.filter((one) => one !== call);
      expect(call, `${tool} among ${proposed.map((one) => one.tool).join(', ')}`).toBeDefined();
      if (call!.needs !== undefined)
        expect(textOf(diagnosis)).toContain(
          `With what only the user knows: ${tool} ${JSON.stringify(call!.arguments)} and ${call!.needs}`,
        );
      const result = await must({
        tool,
        arguments: call!.needs === undefined ? call!.arguments : filled(call!, fill!),
      });
      // The lock is free once its holder is up again.
      if (tool === 'restart_services') await expectEnd('network/tooling/plan-runner', /^RESTARTED$/);
      proposed = others;
      if (tool === 'diagnose_deployment') expectUsable((proposed = nextOf(result)));
    }
    if (after) await must(after);
    await expectEnd(service, /^DEPLOYED$/);
  });
});

describe('an application', () => {
  // What its scenario broke is mended above.
  const application_id = 'payments/staging/payments-api';

  test.each([
    [
      'is asked at another port than it listens on',
      {
        ports: [{ internal_port: 9000, publicly_accessible: true }],
        healthchecks: { readiness_probe: { type: { http: { port: 9000, path: '/health' } } } },
      },
    ],
    ['has too little memory', { memory: 40 }],
  ])('that %s is mended by what its diagnosis proposes', async (_, wrong) => {
    await must({ tool: 'update_application', arguments: { application_id, ...wrong } });
    await client.call('deploy_service', { service: application_id, wait: true });
    const diagnosis = await must({ tool: 'diagnose_deployment', arguments: { service: application_id } });
    const calls = nextOf(diagnosis);
    expect(
      calls.map(({ tool }) => tool),
      textOf(diagnosis),
    ).toEqual(expect.arrayContaining(['update_application', 'deploy_service']));
    expectUsable(calls);
    for (const one of calls.slice(0, 2)) await must(one);
    await expectEnd(application_id, /^DEPLOYED$/);
  });
});

test('the registry that refuses an image is named, and the one from before is proposed', async () => {
  const fresh = await startTestPlatform({ scenarios: ['image-pull-denied'] });
  const others = connectorsTo(fresh.url, fresh.token);
  const result = await (await others.modern()).call('diagnose_deployment', { service: 'shop/notifications/mailer' });
  await others.close();
  const { cause } = result.structuredContent as { cause: { sentence: string } };
  expect(cause.sentence).toMatch(/^The registry "docker-hub" refuses to give out the image ".*acme\/mailer:1\.9\.0"/);
  expect(nextOf(result)[0]).toMatchObject({
    tool: 'update_container',
    arguments: { registry: fresh.seed['registry_id'] },
  });
  await fresh.close();
});
