import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { millisecondsOf } from '../../../../src/server/guard/policy/rules.ts';
import { loadPolicy, parsePolicy } from '../../../../src/server/guard/policy/load.ts';
import { tools } from '../../../../tools/index.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';

const parse = (text: string) => parsePolicy('policy.yaml', text, tools);

const fullPolicy = `
read_only: false
deny:
  - name: nothing irreversible
    tier: [destructive, sensitive]
    mode: PRODUCTION
  - tool: upgrade_cluster
allow:
  - toolset: services
freeze:
  - name: weekend
    cron: 0 18 * * 5
    time_zone: Europe/Paris
    duration: P2DT12H
    project: payments
max_disruptive_per_hour: 5
unattended: [disruptive, { tool: create_container }]
operator_only: [destructive, sensitive]
value_from_env: [DEPLOY_KEY]
`;

describe('a policy file', () => {
  test('is read whole', async () => {
    const rules = await parse(fullPolicy);
    expect(rules).toMatchObject({
      deny: [
        {
          conditions: { tier: ['destructive', 'sensitive'], mode: ['PRODUCTION'] },
          setBy: 'policy.yaml, deny[0] "nothing irreversible"',
        },
        { conditions: { tool: ['upgrade_cluster'] }, setBy: 'policy.yaml, deny[1]' },
      ],
      allow: { rules: [{ toolset: ['services'] }], setBy: 'policy.yaml, allow' },
      freezes: [{ conditions: { project: ['payments'] }, setBy: 'policy.yaml, freeze[0] "weekend"' }],
      limit: { most: 5, setBy: 'policy.yaml, max_disruptive_per_hour' },
      unattended: { tiers: ['disruptive'], tools: ['create_container'] },
      operatorOnly: ['destructive', 'sensitive'],
      valueFromEnv: ['DEPLOY_KEY'],
    });
    expect(rules.readOnly).toBeUndefined();
  });

  test('may be JSON', async () => {
    expect(await parse('{"read_only": true, "deny": [{"tier": "sensitive"}]}')).toMatchObject({
      readOnly: 'policy.yaml, read_only',
      deny: [{ conditions: { tier: ['sensitive'] } }],
    });
  });

  test.each([
    ['readonly: true', 'policy.yaml:1: readonly: is not known; did you mean "read_only"?'],
    ['read_only: yes please', 'policy.yaml:1: read_only: must be true or false, not text'],
    [
      'deny:\n  - tool: stop_environment\n    enviroment: prod',
      'policy.yaml:3: deny[0].enviroment: is not known; did you mean "environment"?',
    ],
    [
      'deny:\n  - tool: stop_enviroment',
      'policy.yaml:2: deny[0].tool[0]: there is no tool "stop_enviroment"; did you mean "stop_environment"?',
    ],
    ['deny:\n  - tool: [list_projects, nonsense]', 'policy.yaml:2: deny[0].tool[1]: there is no tool "nonsense"'],
    ['deny:\n  - name: nothing', 'policy.yaml:2: deny[0]: needs at least one of tool, toolset'],
    ['deny:\n  - tier: []', 'policy.yaml:2: deny[0].tier: '],
    ['allow:\n\n  - mode: PROD', 'policy.yaml:3: allow[0].mode[0]: '],
    ['freeze:\n  - cron: 0 0 * * *\n    time_zone: Europe/Pari\n    duration: PT1H', 'policy.yaml:2: freeze[0]: '],
    ['freeze:\n  - cron: every day\n    time_zone: UTC\n    duration: PT1H', 'policy.yaml:2: freeze[0]: '],
    [
      'freeze:\n  - cron: 0 0 * * *\n    time_zone: UTC\n    duration: P1M',
      'policy.yaml:4: freeze[0].duration: must be a duration',
    ],
    ['freeze:\n  - cron: 0 0 * * *\n    duration: PT1H', 'policy.yaml:2: freeze[0].time_zone: '],
    [
      'unattended: [write]',
      'policy.yaml:1: unattended[0]: must be disruptive, destructive, sensitive or {tool: <name>}',
    ],
    ['unattended: [{ tools: [revoke_api_token] }]', 'policy.yaml:1: unattended[0]: must be disruptive'],
    [
      'unattended:\n  - disruptive\n  - tool: revoke_api_tokn',
      'policy.yaml:3: unattended[1].tool: there is no tool "revoke_api_tokn"; did you mean "revoke_api_token"?',
    ],
    [
      'unattended: [{ tool: list_projects }]',
      'policy.yaml:1: unattended[0] has no effect: no call of list_projects needs agreement',
    ],
    [
      'operator_only: [sensitive]\nunattended:\n  - tool: revoke_api_token',
      'policy.yaml:3: unattended[0] has no effect: operator_only leaves every call of revoke_api_token to the operator',
    ],
    ['operator_only: [write]', 'policy.yaml:1: operator_only[0]: '],
    [
      'unattended: [disruptive]\noperator_only:\n  - sensitive\n  - disruptive',
      'policy.yaml:4: operator_only[1]: "disruptive" stands in unattended too',
    ],
    ['max_disruptive_per_hour: -1', 'policy.yaml:1: max_disruptive_per_hour: '],
    ['value_from_env: [PATH=1]', 'policy.yaml:1: value_from_env[0]: must be the name'],
    ['read_only: true\nread_only: false', 'policy.yaml:2: Map keys must be unique'],
    ['deny: [', 'policy.yaml:1: '],
    ['', 'policy.yaml: holds no policy'],
    ['- deny', 'policy.yaml: holds no policy'],
  ])('with a fault is refused, naming its line: %j', async (text, fault) => {
    await expect(parse(text)).rejects.toThrow(fault);
  });

  test.each([
    [
      "environment: ' staging'",
      '" staging" begins or ends with a space, and no name does; write the name of an environment',
    ],
    ["project: 'shop '", '"shop " begins or ends with a space'],
    ["project: ''", '"" is empty'],
    ["environment: '  '", 'is empty'],
    ['environment: shop//staging', '"shop//staging" has an empty name in it'],
    ['environment: shop /staging', 'has a space beside a "/"'],
    ['environment: acme/shop/staging', 'is a path of 3 names'],
    [
      'project: acme/shop',
      'is a path of 2 names (a "/" in a name is written %2F); write the name of a project, or its id',
    ],
    ['environment: infra://project/x', 'is not the address of an environment'],
    ['environment: infra://environment/x/y/status', 'is not the address of an environment'],
    ['project: https://console.example/shop', 'is an address of something else'],
  ])('names places so that there could be one: not %j', async (place, fault) => {
    for (const rules of ['deny', 'allow'])
      await expect(parse(`${rules}:\n  - tier: read\n    ${place}`)).rejects.toThrow(fault);
    await expect(parse(`deny:\n  - tier: read\n    ${place}`)).rejects.toThrow('policy.yaml:3: deny[0].');
  });

  test.each([
    [
      '{ tool: lock_cluster, toolset: services }',
      'can never hold for lock_cluster: no call of it is one where toolset is services; correct the rule, or leave lock_cluster out',
    ],
    [
      '{ tool: [stop_environment, lock_cluster], tier: destructive }',
      'can never hold for lock_cluster: no call of it is one where tier is destructive',
    ],
    [
      '{ tool: list_projects, tier: [write, disruptive] }',
      'can never hold for list_projects: no call of it is one where tier is write or disruptive',
    ],
    [
      '{ tool: invite_member, mode: PRODUCTION }',
      'can never hold for invite_member: no call of it is one where mode is PRODUCTION',
    ],
    ['{ tool: invite_member, environment: live }', 'no call of it is one where environment is live'],
    ['{ toolset: webhooks, mode: PRODUCTION }', 'can never hold: no call is one where'],
    [
      '{ tier: write, mode: [PRODUCTION, unknown] }',
      'can never hold: a write counts as disruptive where mode is PRODUCTION or unknown; write "tier: disruptive"',
    ],
  ])('holds no rule whose conditions exclude each other: %s', async (rule, fault) => {
    await expect(parse(`deny:\n  - ${rule}`)).rejects.toThrow(
      `policy.yaml:2: deny[0] ${fault.startsWith('can') ? fault : ''}`,
    );
    await expect(parse(`deny:\n  - ${rule}`)).rejects.toThrow(fault);
    await expect(parse(`allow: [${rule}]`)).rejects.toThrow(fault);
    await expect(
      parse(`freeze: [{ cron: 0 18 * * 5, time_zone: UTC, duration: PT1H, ${rule.slice(1)}]`),
    ).rejects.toThrow(fault);
  });

  test('may hold for some tools by one condition, for others by another', async () => {
    for (const { name, toolset, operation } of tools)
      await parse(
        `deny: [{ tool: ${name} }, { tool: ${name}, toolset: ${toolset} }, { tool: ${name}, tier: ${operation.effect} }]`,
      );
    for (const name of [
      'deploy_application',
      'create_environment',
      'lock_cluster',
      'search_logs',
      'find_resource',
      'get_service',
      'set_environment_variables',
    ])
      await parse(`deny: [{ tool: ${name}, mode: PRODUCTION }]`);
    // What another tool carries out is denied by its name too.
    await parse(
      'deny: [{ tool: deploy_application, toolset: services }, { tier: [write, disruptive], mode: PRODUCTION }]',
    );
  });

  test('with several faults reports all of them', async () => {
    await expect(parse('readonly: true\ndenny: []')).rejects.toThrow(/policy\.yaml:1: .*\npolicy\.yaml:2: /);
  });

  test('is read from disk', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'policy.json');
    await expect(loadPolicy(path, tools)).rejects.toThrow(`can't be read from ${path}: ENOENT`);
    await writeFile(path, '{"read_only": true}');
    expect(await loadPolicy(path, tools)).toMatchObject({ readOnly: `${path}, read_only` });
  });
});

describe('a duration', () => {
  test.each([
    ['PT8H', 28_800_000],
    ['P2DT12H', 216_000_000],
    ['P1W', 604_800_000],
    ['PT1M30S', 90_000],
    ['P1M', undefined],
    ['P1Y', undefined],
    ['PT', undefined],
    ['P', undefined],
    ['PT0S', undefined],
    ['8h', undefined],
  ])('%s is %s ms', (text, length) => {
    expect(millisecondsOf(text)).toBe(length);
  });
});
