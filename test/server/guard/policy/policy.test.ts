import { describe, expect, test } from 'vitest';
import { effects, operations, type OperationName } from '../../../../src/contract/index.ts';
import { parsePolicy } from '../../../../src/server/guard/policy/load.ts';
import {
  allowedVariables,
  allowsUnattended,
  denialOf,
  denialOfCall,
  isOperatorOnly,
  isReadOnly,
  limitOf,
  needsLocation,
  needsProjectName,
  withRules,
  type Policy,
} from '../../../../src/server/guard/policy/policy.ts';
import type { Target } from '../../../../src/server/context/index.ts';
import { riskOf } from '../../../../src/server/guard/risk/risk.ts';
import { tools } from '../../../../tools/index.ts';

const policyOf = async (text: string): Promise<Policy> => ({
  readOnly: false,
  rules: [await parsePolicy('p.yaml', text, tools)],
});

const toolNamed = (name: string) => tools.find((tool) => tool.name === name)!;

const id = '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e';
const production: Target = {
  kind: 'application',
  id: 'a',
  name: 'api',
  environment: { id, name: 'Live' },
  project: { id: 'p', name: 'payments' },
  mode: 'PRODUCTION',
};
const staging: Target = { ...production, environment: { id: 'other', name: 'staging' }, mode: 'STAGING' };
const lost: Target = { kind: 'application', id: 'a', environment: {}, project: {}, mode: 'unknown' };
const nowhere: Target = { kind: 'organization', id: 'o', mode: 'none' };
const fresh: Target = {
  kind: 'environment',
  name: 'live',
  environment: { name: 'live' },
  project: { id: 'p' },
  mode: 'STAGING',
};

const accented: Target = {
  ...production,
  environment: { id: 'other', name: 'caf\u00e9' },
  project: { id: 'q', name: 'a/b' },
};

const places = { production, staging, lost, accented };

const friday = Date.parse('2026-11-20T18:30:00Z');

/** Where the rule is set that denies a call; undefined when it may pass. */
async function deniedBy(text: string, name: OperationName, target: Target, now = 0): Promise<string | undefined> {
  const tool = toolNamed(name);
  return denialOfCall(
    { tool, operation: tool.operation, target, risk: riskOf(tool.operation, target) },
    await policyOf(text),
    now,
  )?.setBy;
}

describe('a rule that denies', () => {
  test.each([
    ['{ tool: deploy_application }', 'production', true],
    ['{ tool: [stop_environment, deploy_application] }', 'production', true],
    ['{ tool: stop_environment }', 'production', false],
    ['{ toolset: services }', 'production', true],
    ['{ toolset: clusters }', 'production', false],
    ['{ tier: disruptive }', 'production', true],
    ['{ tier: write }', 'production', false],
    ['{ tier: write }', 'staging', true],
    ['{ mode: PRODUCTION }', 'production', true],
    ['{ mode: PRODUCTION }', 'staging', false],
    ['{ environment: live }', 'production', true],
    ['{ environment: staging }', 'production', false],
    [`{ environment: ${id} }`, 'production', true],
    [`{ environment: ${id} }`, 'staging', false],
    ['{ project: PAYMENTS }', 'production', true],
    ['{ project: other }', 'production', false],
    // Ids, names and paths are compared as everywhere else.
    [`{ environment: ${id.toUpperCase()} }`, 'production', true],
    [`{ environment: 'infra://environment/${id}' }`, 'production', true],
    ['{ environment: payments/live }', 'production', true],
    ['{ environment: PAYMENTS/Live }', 'production', true],
    ['{ environment: shop/live }', 'production', false],
    ['{ environment: payments/staging }', 'production', false],
    [`{ environment: payments/${id} }`, 'production', true],
    ['{ environment: "cafe\\u0301" }', 'accented', true],
    ['{ environment: "caf\\u00e9" }', 'accented', true],
    ['{ environment: "CAF\\u00c9" }', 'accented', true],
    ['{ project: "a%2Fb" }', 'accented', true],
    ['{ environment: "a%2Fb/cafe\\u0301" }', 'accented', true],
    ['{ environment: payments/live }', 'lost', true],
    ['{ tool: deploy_application, mode: STAGING }', 'production', false],
    ['{ tool: deploy_application, mode: [STAGING, PRODUCTION] }', 'production', true],
    // In doubt it holds.
    ['{ mode: PRODUCTION }', 'lost', true],
    ['{ mode: unknown }', 'lost', true],
    ['{ environment: live }', 'lost', true],
    [`{ environment: ${id} }`, 'lost', true],
    ['{ project: payments }', 'lost', true],
    ['{ tool: stop_environment, project: payments }', 'lost', false],
  ] as const)('%s holds for a deploy on %s: %s', async (rule, place, holds) => {
    expect(await deniedBy(`deny: [${rule}]`, 'deploy_application', places[place])).toBe(
      holds ? 'p.yaml, deny[0]' : undefined,
    );
  });

  test('about an environment has no hold on what is in none', async () => {
    expect(
      await deniedBy(
        'deny: [{ mode: PRODUCTION }, { environment: live }, { project: payments }]',
        'invite_member',
        nowhere,
      ),
    ).toBeUndefined();
  });

  test('about an environment holds for one that is to have its name, not its id', async () => {
    expect(await deniedBy('deny: [{ environment: Live }]', 'create_environment', fresh)).toBe('p.yaml, deny[0]');
    expect(await deniedBy(`deny: [{ environment: ${id} }]`, 'create_environment', fresh)).toBeUndefined();
  });

  test('is stronger than one that allows', async () => {
    expect(
      await deniedBy(
        '{ allow: [{ toolset: services }], deny: [{ tier: disruptive }] }',
        'deploy_application',
        production,
      ),
    ).toBe('p.yaml, deny[0]');
  });

  test('says when it holds only in doubt', async () => {
    const tool = toolNamed('deploy_application');
    const policy = await policyOf('deny: [{ name: no prod, mode: PRODUCTION }]');
    expect(denialOfCall({ tool, operation: tool.operation, target: lost, risk: 'disruptive' }, policy, 0)).toEqual({
      rule: 'the policy denies it where mode is PRODUCTION',
      setBy: 'p.yaml, deny[0] "no prod"',
      instead: expect.stringMatching(/^Where that does not hold it is allowed.*in doubt the rule holds\.$/),
    });
  });
});

describe('rules that allow', () => {
  test.each([
    ['[{ toolset: services }]', 'production', true],
    ['[{ toolset: clusters }, { mode: PRODUCTION }]', 'production', true],
    ['[{ mode: STAGING }]', 'production', false],
    ['[{ mode: STAGING }]', 'lost', false],
    ['[{ environment: live }]', 'lost', false],
    ['[{ environment: payments/live }]', 'production', true],
    ['[{ environment: payments/live }]', 'lost', false],
    ['[{ environment: other/live }]', 'production', false],
    ['[]', 'production', false],
  ] as const)('%s let a deploy on %s pass: %s', async (allow, place, passes) => {
    expect(await deniedBy(`allow: ${allow}`, 'deploy_application', places[place])).toBe(
      passes ? undefined : 'p.yaml, allow',
    );
  });

  test('are told in the denial', async () => {
    const policy = await policyOf('allow: [{ tier: read }, { tier: [write, disruptive], mode: STAGING }]');
    expect(
      denialOfCall(
        {
          tool: toolNamed('deploy_application'),
          operation: operations.deploy_application,
          target: production,
          risk: 'disruptive',
        },
        policy,
        0,
      )?.instead,
    ).toBe('Allowed is what one of these holds for: tier is read; tier is write or disruptive, mode is STAGING.');
  });
});

describe('a freeze', () => {
  const weekend = 'freeze: [{ cron: 0 18 * * 5, time_zone: Europe/Paris, duration: P2DT12H }]';

  test.each([
    ['just before', '2026-11-20T16:59:59.999Z', false],
    ['as it begins', '2026-11-20T17:00:00.000Z', true],
    ['in between', '2026-11-22T12:00:00Z', true],
    ['in its last moment', '2026-11-23T04:59:59.999Z', true],
    ['as it ends', '2026-11-23T05:00:00.000Z', false],
    ['in summer, an hour earlier', '2026-07-03T16:00:00.000Z', true],
    ['in summer, before that', '2026-07-03T15:59:59.000Z', false],
  ])('holds %s: %s %s', async (_, at, holds) => {
    expect(await deniedBy(weekend, 'create_project', nowhere, Date.parse(at))).toBe(
      holds ? 'p.yaml, freeze[0]' : undefined,
    );
  });

  test('is not about reads, unless it says so', async () => {
    expect(await deniedBy(weekend, 'list_projects', nowhere, friday)).toBeUndefined();
    expect(await deniedBy(weekend.replace('{', '{ tier: read,'), 'list_projects', nowhere, friday)).toBe(
      'p.yaml, freeze[0]',
    );
  });

  test('is only about what its conditions hold for, in doubt too', async () => {
    const grave = weekend.replace('{', '{ mode: PRODUCTION,');
    expect(await deniedBy(grave, 'deploy_application', production, friday)).toBe('p.yaml, freeze[0]');
    expect(await deniedBy(grave, 'deploy_application', lost, friday)).toBe('p.yaml, freeze[0]');
    expect(await deniedBy(grave, 'deploy_application', staging, friday)).toBeUndefined();
  });

  test('says when changes are allowed again', async () => {
    const denial = denialOfCall(
      { tool: toolNamed('create_project'), operation: operations.create_project, target: nowhere, risk: 'write' },
      await policyOf(weekend),
      friday,
    );
    expect(denial?.instead).toContain('2026-11-23T05:00:00.000Z');
  });
});

/** Names of the tools that a policy can never let pass. */
const never = async (text: string): Promise<string[]> => {
  const policy = await policyOf(text);
  return tools.filter((tool) => denialOf(tool, policy)).map(({ name }) => name);
};

describe('tools that can never pass', () => {
  const changing = tools.filter(({ operation }) => operation.effect !== 'read').map(({ name }) => name);

  test('are all that change something, read-only', async () => {
    expect(await never('read_only: true')).toEqual(changing);
    expect(isReadOnly(await policyOf('read_only: true'))).toBe(true);
    expect(isReadOnly({ readOnly: true })).toBe(true);
    expect(isReadOnly({ readOnly: false })).toBe(false);
  });

  test('are those denied wherever they go', async () => {
    expect(
      await never(
        'deny: [{ tool: lock_cluster }, { tool: stop_environment, mode: PRODUCTION }, { toolset: webhooks }]',
      ),
    ).toEqual(['lock_cluster', 'create_webhook', 'list_webhook_events']);
  });

  test('are not those whose tier depends on where they go', async () => {
    expect(await never('deny: [{ tier: disruptive }]')).toEqual([
      'restart_services',
      'redeploy_terraform',
      'lock_cluster',
      'cancel_deployment',
      'unlock_cluster',
      'silence_alert_rule',
      'update_deployment_rule',
      'create_deployment_window',
      'run_job',
      'cancel_job_run',
    ]);
    expect(await never('deny: [{ tier: write }]')).toEqual([
      'create_project',
      'test_webhook',
      'test_alert_receiver',
      'create_labels_group',
      'create_annotations_group',
    ]);
    expect(await never('deny: [{ tier: write }, { tier: disruptive, toolset: services }]')).toContain(
      'deploy_application',
    );
  });

  test('are those that no rule can allow', async () => {
    const hopeless = await never('allow: [{ mode: STAGING }, { tool: list_projects }]');
    expect(hopeless).toEqual(expect.arrayContaining(['get_organization', 'invite_member', 'create_project']));
    expect(hopeless).not.toEqual(expect.arrayContaining(['list_projects']));
    expect(hopeless).not.toEqual(expect.arrayContaining(['deploy_application']));
  });

  test('are none without rules', () => {
    expect(tools.filter((tool) => denialOf(tool, { readOnly: false }))).toEqual([]);
  });
});

describe('what a policy has to know', () => {
  test.each([
    ['{}', false, false],
    ['deny: [{ tier: destructive }]', false, false],
    ['deny: [{ mode: PRODUCTION }]', true, false],
    ['deny: [{ tier: write, mode: STAGING }]', false, false],
    [`deny: [{ project: ${id} }]`, true, false],
    ['allow: [{ project: payments }]', true, true],
    ['allow: [{ environment: payments/live }]', true, true],
    [`allow: [{ environment: ${id}/live }]`, true, false],
  ])('%s: of a read where it goes %s, of projects their names %s', async (text, place, name) => {
    const policy = await policyOf(text);
    expect([
      needsLocation(toolNamed('get_application_logs'), operations.get_application_logs, policy),
      needsProjectName(policy),
    ]).toEqual([place, name]);
  });
});

const tightened = async (base: string, more: string): Promise<Policy> =>
  withRules(await policyOf(base), await parsePolicy('request', more, tools));

const unattendedTiers = (policy: Policy): string[] =>
  effects.filter((risk) => allowsUnattended({ tool: 'restart_services', risk }, policy));

const leftToOperator = (policy: Policy): string[] => effects.filter((tier) => isOperatorOnly(tier, policy));

describe('several sets of rules', () => {
  test('all have to permit a call', async () => {
    const policy = await tightened('allow: [{ toolset: services }]', 'deny: [{ tool: deploy_application }]');
    expect(denialOf(toolNamed('deploy_application'), policy)?.setBy).toBe('request, deny[0]');
    expect(denialOf(toolNamed('list_projects'), policy)?.setBy).toBe('p.yaml, allow');
    expect(denialOf(toolNamed('get_application_logs'), policy)).toBeUndefined();
  });

  test('never loosen one another', async () => {
    const policy = await tightened(
      'read_only: true\nunattended: [disruptive]\nvalue_from_env: [A]\nmax_disruptive_per_hour: 2',
      'read_only: false\nunattended: [disruptive, destructive]\nvalue_from_env: [A, B]\nmax_disruptive_per_hour: 9\nallow: [{ tier: write }]',
    );
    expect(isReadOnly(policy)).toBe(true);
    expect(denialOf(toolNamed('create_project'), policy)?.setBy).toBe('p.yaml, read_only');
    expect(unattendedTiers(policy)).toEqual(['disruptive']);
    expect(allowedVariables(policy)).toEqual(['A']);
    expect(limitOf(policy)).toEqual({ most: 2, setBy: 'p.yaml, max_disruptive_per_hour' });
  });

  test('leave to the operator what any of them does, even where another lets callers confirm', async () => {
    const [one, other] = ['operator_only: [disruptive]', 'unattended: [disruptive, destructive]'];
    for (const policy of [await tightened(one, other), await tightened(other, one)]) {
      expect(leftToOperator(policy)).toEqual(['disruptive']);
      expect(unattendedTiers(policy)).toEqual(['destructive']);
    }
    expect(leftToOperator(await tightened(one, 'operator_only: [sensitive]'))).toEqual(['disruptive', 'sensitive']);
    expect(leftToOperator(await tightened(one, 'operator_only: []'))).toEqual(['disruptive']);
    expect(leftToOperator({ readOnly: false })).toEqual([]);
  });

  test('let a caller confirm a call of a named tool only where each that has unattended names it, or its tier', async () => {
    const token = { tool: 'revoke_api_token', risk: 'sensitive', needsName: true } as const;
    const deletion = { tool: 'delete_environment', risk: 'destructive' } as const;
    const first = await policyOf('unattended: [{ tool: revoke_api_token }, { tool: delete_environment }]');
    for (const [other, ...expected] of [
      ['unattended: [destructive, sensitive]', false, true],
      ['unattended: [{ tool: revoke_api_token }]', true, false],
      ['unattended: []', false, false],
      ['operator_only: [sensitive]', false, true],
      ['max_disruptive_per_hour: 9', true, true],
    ] as const) {
      const stricter = await policyOf(other);
      for (const rules of [
        [...first.rules!, ...stricter.rules!],
        [...stricter.rules!, ...first.rules!],
      ]) {
        const policy = { readOnly: false, rules };
        expect([allowsUnattended(token, policy), allowsUnattended(deletion, policy)], other).toEqual(expected);
      }
    }
    expect(allowsUnattended({ ...token, tool: 'create_api_token' }, first)).toBe(false);
    expect(allowsUnattended(token, await policyOf('unattended: [sensitive]'))).toBe(false);
  });

  test('allow nothing unattended, and no variable, unless one says so', () => {
    expect(unattendedTiers({ readOnly: false })).toEqual([]);
    expect(allowedVariables({ readOnly: false })).toEqual([]);
    expect(limitOf({ readOnly: false })).toBeUndefined();
  });
});
