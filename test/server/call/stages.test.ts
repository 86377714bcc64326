import { describe, expect, test } from 'vitest';
import { seedId } from '../../../src/platform/seed/index.ts';
import type { Call } from '../../../src/server/call/call.ts';
import { newCall } from '../../../src/server/call/run-call.ts';
import { stages } from '../../../src/server/call/stages/stages.ts';
import { CallFailure, type Failure } from '../../../src/server/failure/index.ts';
import type { Policy } from '../../../src/server/guard/index.ts';
import type { EndedCall } from '../../../src/server/output/index.ts';
import { policyFrom } from '../../support/guard-fixture.ts';
import { callsOnPlatform, type Circumstances, fail, runStage } from './calls-on-platform.ts';

const callOf = callsOnPlatform();

test.each([[null], [[]], ['text'], [1], [undefined]])('arguments must be an object: %j', async (given) => {
  const { tool, context, deps } = await callOf('get_organization', {});
  expect(newCall(tool, given, context, deps, { note: () => undefined }).issues).toEqual([
    'the arguments must be an object',
  ]);
});

/** What a stage does with a call that all stages before it let pass. */
async function reach(name: string, tool: string, circumstances: Circumstances): Promise<Call | EndedCall> {
  let call = await callOf(tool, circumstances);
  for (const stage of stages.list) {
    if (stage.name === name) {
      circumstances.meanwhile?.(call);
      return runStage(stage, call);
    }
    const result = await runStage(stage, call);
    if ('reply' in result) throw new Error(`${stage.name} ended the call: ${JSON.stringify(result.reply)}`);
    call = result;
  }
  throw new Error(`there is no stage ${name}`);
}

const failureOf = async (result: Promise<unknown>): Promise<Failure> =>
  result.then(
    () => fail(),
    (error: unknown) => (error instanceof CallFailure ? error.failure : Promise.reject(error as Error)),
  );

const inStaging = (): Policy => ({
  readOnly: false,
  scope: { environment: { name: 'shop/staging', setBy: 'the test' } },
});
const inNowhere = (): Policy => ({
  readOnly: false,
  scope: { environment: { name: 'shop/nowhere', setBy: 'the test' } },
});
const unknown = '00000000-0000-4000-8000-000000000000';
const aborted = AbortSignal.abort();

/** For every kind of failure that a stage declares: a call that it ends so. */
const refusals: readonly (readonly [
  stage: string,
  kind: Failure['kind'],
  tool: string,
  circumstances: Circumstances,
])[] = [
  ['check controls', 'bad_arguments', 'stop_environment', { args: { dry_run: 'perhaps' } }],
  ['apply scope', 'not_possible', 'get_environment', { policy: inNowhere, args: { environment_id: undefined } }],
  ['check arguments', 'bad_arguments', 'get_environment', { args: { nonsense: 1 } }],
  ['assert tool allowed', 'denied', 'stop_environment', { policy: () => ({ readOnly: true }) }],
  ['resolve names', 'bad_address', 'get_environment', { args: { environment_id: 'shop/nowhere' } }],
  [
    'resolve names',
    'bad_arguments',
    'restart_services',
    { args: { application_ids: Array.from({ length: 101 }, () => unknown) } },
  ],
  [
    'resolve names',
    'not_possible',
    'get_application_status',
    { policy: inNowhere, args: { application_id: 'checkout-api' } },
  ],
  [
    'assert in scope',
    'denied',
    'get_application_status',
    { policy: inStaging, args: { application_id: seedId('service/shop/production/checkout-api') } },
  ],
  ['assert in scope', 'not_possible', 'get_application_status', { policy: inNowhere }],
  [
    'assert same environment',
    'not_possible',
    'restart_services',
    { args: { application_ids: [seedId('service/shop/production/checkout-api')] } },
  ],
  ['expand', 'bad_arguments', 'update_container', { args: { ports: [{ internal_port: -5 }] } }],
  [
    'expand',
    'denied',
    'update_container',
    { policy: () => policyFrom('deny: [{ environment: shop/staging, tier: read }]') },
  ],
  ['expand', 'not_possible', 'rollback_application', { args: { commit: 'abcdef0123456789abcdef0123456789abcdef01' } }],
  ['assert readable', 'denied', 'get_service', { policy: () => policyFrom('deny: [{ environment: shop/staging }]') }],
  [
    'assert permitted',
    'denied',
    'stop_environment',
    { policy: () => policyFrom('deny: [{ mode: STAGING, tier: destructive }]') },
  ],
  ['assert offered', 'not_possible', 'stop_environment', { context: { lacks: () => true } }],
  [
    'check no-op',
    'not_possible',
    'invite_member',
    { args: { email: 'dev@acme.example', role: undefined, role_id: seedId('role/admin') } },
  ],
  ['assert unlocked', 'not_possible', 'upgrade_cluster', { args: { cluster_id: seedId('cluster/batch') } }],
  ['plan', 'not_recorded', 'stop_environment', { dependencies: { keys: fail } }],
  ['confirm', 'not_confirmed', 'stop_environment', { context: { dialogue: { canAsk: false } } }],
  [
    'confirm',
    'pending',
    'restart_services',
    { policy: () => policyFrom('unattended: [disruptive]'), context: { dialogue: { canAsk: false } } },
  ],
  [
    'count high risk',
    'denied',
    'restart_services',
    {
      policy: () => policyFrom('unattended: [disruptive]\nmax_disruptive_per_hour: 9'),
      dependencies: { highRiskCalls: { nextAt: async () => undefined, take: async () => Date.now() } },
    },
  ],
  [
    'record intent',
    'not_recorded',
    'create_project',
    { dependencies: { recorder: { intent: fail, outcome: async () => undefined } } },
  ],
  ['send', 'cancelled', 'create_project', { context: { signal: aborted } }],
  ['send', 'not_connected', 'create_project', { dependencies: { connect: fail } }],
  [
    'send',
    'not_possible',
    'create_api_token',
    { dependencies: { handover: { whyUnavailable: async () => undefined, reserve: fail } } },
  ],
  [
    'send',
    'not_as_asked',
    'create_api_token',
    {
      dependencies: {
        handover: {
          whyUnavailable: async () => undefined,
          reserve: async () => ({ where: '', put: fail, release: async () => undefined }),
        },
      },
    },
  ],
  [
    'send',
    'partly',
    'set_environment_variables',
    {
      args: { variables: { FIRST: '1', SECOND: '2' } },
      // Both are planned; then the second comes to an application that isn't there.
      meanwhile: (call) =>
        void Object.assign((call as unknown as { operations: { input: object }[] }).operations[1]!.input, {
          application_id: unknown,
        }),
    },
  ],
  [
    'answer',
    'afterwards',
    'deploy_service',
    { meanwhile: (call) => void Object.assign(call, { tool: { ...call.tool, answer: fail } }) },
  ],
  [
    'answer',
    'not_as_asked',
    'create_environment',
    { meanwhile: (call) => void Object.assign(call, { args: { ...call.args, cluster_id: unknown } }) },
  ],
  ['answer', 'denied', 'find_resource', { policy: () => policyFrom('deny: [{ tool: list_projects }]') }],
  ['answer', 'not_possible', 'search_logs', { args: { text: undefined, pattern: '(' } }],
];

describe('a stage refuses as it says', () => {
  test.each(refusals)('%s: %s', async (stage, kind, tool, circumstances) => {
    const accepting =
      stages.list.findIndex(({ name }) => name === stage) > stages.list.findIndex(({ name }) => name === 'confirm');
    const agreed: Circumstances = accepting
      ? {
          ...circumstances,
          dependencies: {
            confirmer: { confirm: async () => ({ kind: 'approved', how: 'elicited' }) },
            ...circumstances.dependencies,
          },
        }
      : circumstances;
    expect(await failureOf(reach(stage, tool, agreed))).toMatchObject({ kind });
  });

  test('each in every way', () => {
    const declared = stages.list.flatMap(({ name, refuses }) => refuses.map((kind) => `${name}: ${kind}`));
    expect(refusals.map(([stage, kind]) => `${stage}: ${kind}`).toSorted()).toEqual(declared.toSorted());
  });
});

/** For every stage that may end a call otherwise: a call that it ends so. */
const replies: readonly (readonly [stage: string, outcome: string, tool: string, circumstances: Circumstances])[] = [
  ['check no-op', 'done', 'unlock_cluster', { args: { cluster_id: seedId('cluster/production') } }],
  ['dry run', 'planned', 'stop_environment', { args: { dry_run: true } }],
  ['confirm', 'asked', 'stop_environment', {}],
  ['answer', 'done', 'list_projects', {}],
];

describe('a stage replies as it says', () => {
  test.each(replies)('%s: %s', async (stage, outcome, tool, circumstances) => {
    expect(await reach(stage, tool, circumstances)).toMatchObject({ outcome: { outcome } });
  });

  test('each that may', () => {
    expect(replies.map(([stage]) => stage)).toEqual(
      stages.list.filter((stage) => stage.replies !== undefined).map(({ name }) => name),
    );
  });
});

test('a read passes the stages about changes without asking the platform', async () => {
  const call = await callOf('list_projects', {});
  let reads = 0;
  const counting: Call = {
    ...call,
    reader: { ...call.reader, read: () => fail(), attempt: () => fail(), under: () => ((reads += 1), call.reader) },
  };
  for (const stage of stages.list.filter(({ name }) =>
    [
      'assert offered',
      'check no-op',
      'assert unlocked',
      'plan',
      'dry run',
      'confirm',
      'count high risk',
      'record intent',
    ].includes(name),
  )) {
    expect(
      await runStage(stage, {
        ...counting,
        planned: [],
        operations: [],
        target: { kind: 'organization', mode: 'none' },
        risk: 'read',
      } as Call),
    ).toHaveProperty('tool');
  }
  expect(reads).toBe(0);
});
