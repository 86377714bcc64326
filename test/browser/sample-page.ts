import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { RecordedCall } from '../../src/server/audit/index.ts';
import type { Plan } from '../../src/server/guard/index.ts';
import { approvalRequest, approvalsIn } from '../server/guard/approvals/approvals-fixture.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { startTestServer } from '../transport/test-server.ts';

/** The time at which the pages are looked at. */
export const lookedAt = Date.parse('2026-11-20T10:00:00Z');

const minute = 60_000;

interface SampleCall {
  readonly principal: string;
  readonly minutesAgo: number;
  readonly typed?: string;
  readonly plan: Partial<Plan>;
}

/** Calls of two callers, with every mode that looks different. */
const sampleCalls: readonly SampleCall[] = [
  {
    principal: 'key:ci',
    minutesAgo: 12,
    typed: 'shop/production',
    plan: { effects: ['Takes down checkout-api (RUNNING), worker (RUNNING) and orders-db (RUNNING).'] },
  },
  {
    principal: 'oauth:user:ann@example.com',
    minutesAgo: 3,
    typed: undefined,
    plan: {
      tool: 'deploy_service',
      tier: 'disruptive',
      summary: 'Deploy it.',
      target: {
        kind: 'application',
        id: 'a-1',
        name: 'storefront',
        mode: 'unknown',
        path: 'shop/preview-42/storefront',
      },
      requests: [
        {
          method: 'POST',
          path: '/application/a-1/deploy',
          body: { git_commit_id: '4f0c1d2e9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d' },
        },
      ],
    },
  },
  {
    principal: 'key:ci',
    minutesAgo: 1,
    typed: undefined,
    plan: {
      tool: 'update_application',
      tier: 'disruptive',
      summary: 'Change it.',
      target: {
        kind: 'application',
        id: 'a-2',
        name: 'checkout-api',
        mode: 'STAGING',
        path: 'shop/staging/checkout-api',
      },
      requests: [{ method: 'PUT', path: '/application/a-2', body: { memory: 1024 } }],
      effects: ['memory: 512 becomes 1024'],
    },
  },
  {
    principal: 'oauth:user:ann@example.com',
    minutesAgo: 0,
    typed: undefined,
    plan: {
      tool: 'create_webhook',
      tier: 'sensitive',
      summary: 'Create it.',
      target: { kind: 'organization', id: 'o-1', name: 'acme', mode: 'none', path: 'organization acme' },
      requests: [
        { method: 'POST', path: '/organization/o-1/webhook', body: { target_url: 'https://hooks.example/in' } },
      ],
    },
  },
];

const recorded = (minutesAgo: number, more: object): RecordedCall =>
  ({ at: new Date(lookedAt - minutesAgo * minute).toISOString(), request_id: 'r', ...more }) as RecordedCall;

const latestCalls: readonly RecordedCall[] = [
  recorded(180, {
    who: 'oauth:user:ann@example.com',
    tool: 'list_projects',
    tier: 'read',
    confirmed: 'not_needed',
    outcome: 'done',
    target: { kind: 'organization', name: 'acme' },
  }),
  recorded(14, {
    who: 'key:ci',
    tool: 'stop_environment',
    tier: 'destructive',
    outcome: 'refused',
    why: 'operator_refused',
    target: { kind: 'environment', name: 'production', path: 'shop/production' },
  }),
  recorded(2, {
    who: 'key:ci',
    tool: 'deploy_service',
    tier: 'disruptive',
    confirmed: 'page',
    outcome: 'done',
    target: { kind: 'application', name: 'worker', path: 'shop/staging/worker' },
  }),
];

/** What a sample page starts with. */
interface SamplePageOptions {
  /** Default: those above. */
  readonly calls?: readonly SampleCall[];
  readonly records?: readonly RecordedCall[];
  readonly now?: () => number;
  /** Whether the operator set a secret. */
  readonly isOpen?: boolean;
}

/** Serves the approvals page about sample calls, at a time that stands still. It ends with the test. */
export async function startSamplePage({
  calls = sampleCalls,
  records = latestCalls,
  now = () => lookedAt,
  isOpen = true,
}: SamplePageOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'infra-mcp-page-'));
  const fixture = approvalsIn(folder);
  onTestFinished(async () => {
    fixture[Symbol.dispose]();
    // Writes that are under way may still add a file.
    await rm(folder, { recursive: true, maxRetries: 10 });
  });
  if (isOpen) await setOperatorSecret(fixture.operator);
  let asked = 0;
  /** Makes one more call wait. @returns its code. */
  const ask = async ({ principal, minutesAgo, typed, plan }: SampleCall): Promise<string> => {
    const base = approvalRequest().plan;
    const approval = await fixture.approvals.ask(
      {
        ...approvalRequest(),
        call: `call ${asked++}`,
        principal,
        identity: principal,
        typed,
        plan: { ...base, target: { ...base.target, name: 'production', path: 'shop/production' }, ...plan },
      },
      lookedAt - minutesAgo * minute,
    );
    return approval.kind === 'pending' ? approval.code : approval.kind;
  };
  for (const call of calls) await ask(call);
  const { url } = await startTestServer({
    approvals: { queue: fixture.queue, approveCommand: 'infra-mcp approve', latestCalls: async () => records },
    clock: { now },
  });
  return { address: new URL('/approvals', url).href, ask, queue: fixture.queue, decide: fixture.decide };
}

/** Gives the operator's secret, as a person does. */
export async function enter(tab: Page, address: string): Promise<void> {
  await tab.goto(address);
  await tab.getByLabel('Operator secret').fill(operatorSecret);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('heading', { name: 'Latest calls' }).waitFor();
}
