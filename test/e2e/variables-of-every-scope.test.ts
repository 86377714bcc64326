import { describe, expect, test } from 'vitest';
import { connectedForAll } from '../support/connected-platform.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { policyFrom } from '../support/guard-fixture.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import type { Json, TestPlatform } from '../support/test-platform.ts';
import type { Policy } from '../../src/server/guard/index.ts';

let platform: TestPlatform;
let connectors: Connectors;

connectedForAll((connected) => ({ platform, connectors } = connected));

async function calling(tool: string, args: Json, policy?: Policy) {
  const user = userAnswering(agree);
  const result = await (await connectors.modern(user, policy)).call(tool, args);
  return {
    text: textOf(result),
    isError: result.isError === true,
    answer: (result.structuredContent ?? {}) as Json,
    question: user.questions[0]?.message ?? '',
    questions: user.questions.length,
  };
}

const stored = (): string[] =>
  (platform.dump()['variable'] as Json[]).map(
    ({ key, scope, value }) => `${String(scope)} ${String(key)} ${String(value)}`,
  );
const outOfDate = (): number =>
  (platform.dump()['service'] as Json[]).filter(({ deployment_status }) => deployment_status === 'OUT_OF_DATE').length;
const listed = async (args: Json): Promise<readonly string[]> =>
  ((await calling('list_environment_variables', args)).answer['results'] as Json[]).map(
    (row) =>
      `${String(row['scope'])} ${String(row['key'])}${row['is_secret'] === true ? ' (secret)' : ` ${String(row['value'])}`}`,
  );

const idOf = (key: string, scope: string): string =>
  String((platform.dump()['variable'] as Json[]).find((row) => row['key'] === key && row['scope'] === scope)!['id']);

describe.each([
  ['session-cache', 'HELM', 'CACHE_TTL'],
  ['assets-bucket', 'TERRAFORM', 'TF_LOG'],
])('%s, of scope %s', (name, scope, key) => {
  const service = `shop/staging/${name}`;

  test('its variables are set, listed and deleted', async () => {
    const set = await calling('set_environment_variables', {
      service,
      variables: { [key]: '10', EXTRA: 'on' },
      secrets: { HELD: 'correct-horse-1' },
    });
    expect(set.isError, set.text).toBe(false);
    expect(set.answer['results']).toMatchObject([
      { key: 'HELD', how: 'stored as a secret', scope },
      { key: 'EXTRA', how: 'created', scope },
      { key, how: 'changed', scope },
    ]);
    expect(set.question).toContain(key);
    expect(`${set.question}${set.text}`).not.toContain('correct-horse');
    expect(await listed({ service })).toEqual(
      expect.arrayContaining([
        `${scope} ${key} 10`,
        `${scope} EXTRA on`,
        `${scope} HELD (secret)`,
        'PROJECT REGION eu-west-3',
        'PROJECT LICENCE_TOKEN (secret)',
      ]),
    );
    for (const one of ['EXTRA', 'HELD']) {
      const gone = await calling('delete_environment_variable', { service, key: one });
      expect(gone.answer, gone.text).toMatchObject({ deleted: one, of: service });
    }
    expect(stored().filter((row) => row.startsWith(`${scope} `))).toEqual([`${scope} ${key} 10`]);
  });

  test('what is inherited is not deleted there', async () => {
    const { isError, text } = await calling('delete_environment_variable', { service, key: 'REGION' });
    expect([isError, text]).toEqual([true, expect.stringContaining('only inherits REGION')]);
  });
});

describe('a project', () => {
  test('lists its own, and secrets by name only', async () => {
    expect(await listed({ project: 'shop' })).toEqual(['PROJECT REGION eu-west-3', 'PROJECT LICENCE_TOKEN (secret)']);
  });

  test('a change is confirmed as one of its gravest environment, and the plan names all of them and who sees it', async () => {
    const { text, isError, answer, question } = await calling('set_environment_variables', {
      project: 'shop',
      variables: { CURRENCY: 'EUR', REGION: 'eu-west-1' },
    });
    expect(isError, text).toBe(false);
    expect(question).toContain('Touches environment production, PRODUCTION');
    expect(question).toContain('Touches environment staging, STAGING');
    expect(question).toMatch(
      /Seen by: .*production\/checkout-api.*staging\/checkout-api|Seen by: .*staging\/checkout-api.*production\/checkout-api/,
    );
    expect(question.match(/Seen by:/g)).toHaveLength(1);
    expect(answer['results']).toMatchObject([
      { key: 'CURRENCY', how: 'created', scope: 'PROJECT' },
      { key: 'REGION', how: 'changed', scope: 'PROJECT' },
    ]);
    expect(await listed({ environment: 'shop/production' })).toContain('PROJECT REGION eu-west-1');
    expect(outOfDate()).toBeGreaterThan(5);
    const { original_change } = (platform.dump()['audit_event'] as Json[]).at(-1)!;
    expect(String(original_change)).toContain('eu-west-3');
  });

  test('a new variable of a project with production is disruptive; one of a service in staging is not', async () => {
    const made = await calling('set_environment_variables', { project: 'shop', variables: { ONE_MORE: '1' } });
    expect([made.isError, made.questions]).toEqual([false, 1]);
    const own = await calling('set_environment_variables', {
      service: 'shop/staging/session-cache',
      variables: { ONE_MORE: '2' },
    });
    expect([own.isError, own.questions]).toEqual([false, 0]);
  });

  test('the deletion tells which environments and services lose it, which keep their own, and what goes along', async () => {
    await platform.must('create_variable_of_environment', {
      environment_id: platform.seed['environment_id'],
      key: 'CURRENCY',
      value: 'USD',
    });
    const kept = await calling('delete_environment_variable', { project: 'shop', key: 'CURRENCY' });
    expect(kept.question).toContain('Then there is no CURRENCY.');
    expect(kept.question).toMatch(/Seen by: .*production\/checkout-api/);
    expect(kept.question).toMatch(/^Keep .* CURRENCY: .*staging/m);
    expect(kept.answer).toMatchObject({ deleted: 'CURRENCY', of: 'shop' });
    expect(stored()).toContain('ENVIRONMENT CURRENCY USD');
    const region = await calling('delete_environment_variable', { project: 'shop', key: 'REGION' });
    expect(region.question).toMatch(/^Deletes .*: .*\bAWS_REGION of staging\/checkout-api/m);
    expect(region.question).toMatch(/^Deletes .*: .*\bREGION of staging\/search/m);
    expect(stored().filter((row) => row.includes('REGION'))).toEqual([]);
    const secret = await calling('delete_environment_variable', { project: 'shop', key: 'LICENCE_TOKEN' });
    expect(secret.question).toContain('secret LICENCE_TOKEN');
  });
});

describe('one variable at a time', () => {
  test.each([
    [{ service: 'shop/staging/session-cache' }, 'HELM'],
    [{ service: 'shop/staging/assets-bucket' }, 'TERRAFORM'],
    [{ project: 'shop' }, 'PROJECT'],
    [{ environment: 'shop/staging' }, 'ENVIRONMENT'],
    [{ service: 'shop/staging/nightly-report' }, 'JOB'],
  ])('%j gets a variable and a secret, which is edited by key and deleted by id', async (owner, scope) => {
    const key = `SINGLE_${scope}`;
    const made = await calling('create_environment_variable', { ...owner, key, value: 'a' });
    expect(made.answer, made.text).toMatchObject({ key, scope, value: 'a' });
    const kept = await calling('create_secret', { ...owner, key: `${key}_TOKEN`, value: 'correct-horse-2' });
    expect(kept.answer, kept.text).toMatchObject({ key: `${key}_TOKEN`, scope });
    expect(`${kept.question}${kept.text}${JSON.stringify(kept.answer)}`).not.toContain('correct-horse');
    const where = 'environment' in owner ? { environment_id: owner.environment } : owner;
    const changed = await calling('update_environment_variable', {
      ...where,
      environment_variable_id: key,
      value: 'b',
    });
    expect(changed.answer, changed.text).toMatchObject({ key, changes: ['value: a → b'] });
    expect(changed.question).toMatch(
      scope === 'PROJECT'
        ? /Touches environment production, PRODUCTION[^]*Seen by: .*production/
        : scope === 'ENVIRONMENT'
          ? /Seen by: .*checkout-api/
          : /Seen by this \w+ only\./,
    );
    for (const id of [idOf(key, scope), idOf(`${key}_TOKEN`, scope)]) {
      const gone = await calling('delete_environment_variable', { ...owner, key: id });
      expect(gone.isError, gone.text).toBe(false);
    }
    expect(stored().join()).not.toContain(key);
  });

  test('an id that nobody has seen is looked up in the environment and its services', async () => {
    const fresh = connectorsTo(platform.url, platform.tokens.admin);
    for (const [key, scope] of [
      ['CACHE_TTL', 'HELM'],
      ['REPORT_FORMAT', 'JOB'],
    ] as const) {
      const user = userAnswering(agree);
      const result = await (
        await fresh.modern(user)
      ).call('update_environment_variable', {
        environment_id: platform.seed['environment_id'],
        environment_variable_id: idOf(key, scope),
        value: `new-${key}`,
      });
      expect(result.isError, textOf(result)).toBeFalsy();
      expect(stored()).toContain(`${scope} ${key} new-${key}`);
    }
    await fresh.close();
  });

  test('what people set comes before what the platform sets, and what an override replaces is in words', async () => {
    await platform.must('create_variable_of_project', {
      project_id: platform.seed['project_id'],
      key: 'STORAGE_REGION',
      value: 'eu-west-3',
    });
    const service = 'shop/staging/nightly-report';
    await calling('override_environment_variable', { service, variable: 'STORAGE_REGION', value: 'eu-central-1' });
    const { answer, text } = await calling('list_environment_variables', { service });
    const rows = answer['results'] as { scope: string; key: string; overridden_variable?: object }[];
    const scopes = rows.map(({ scope }) => scope);
    expect(scopes.lastIndexOf('JOB')).toBeLessThan(scopes.indexOf('BUILT_IN'));
    expect(scopes.slice(scopes.indexOf('BUILT_IN'))).not.toContainEqual(expect.not.stringMatching('BUILT_IN'));
    expect(rows.find(({ overridden_variable: one }) => one)).toMatchObject({ key: 'STORAGE_REGION' });
    expect(text).toMatch(/STORAGE_REGION \| eu-central-1 .*\| eu-west-3 of PROJECT$/m);
    await calling('delete_environment_variable', { service, key: 'STORAGE_REGION' });
  });

  test('what is inherited is overridden for a service or environment, and a secret is not', async () => {
    await platform.must('create_variable_of_project', {
      project_id: platform.seed['project_id'],
      key: 'SHARED_URL',
      value: 'one',
    });
    const service = await calling('override_environment_variable', {
      service: 'shop/staging/session-cache',
      environment_variable_id: 'SHARED_URL',
      value: 'two',
    });
    expect(service.answer, service.text).toMatchObject({
      key: 'SHARED_URL',
      scope: 'HELM',
      variable_type: 'OVERRIDE',
      value: 'two',
    });
    const environment = await calling('override_environment_variable', {
      environment: 'shop/staging',
      environment_variable_id: idOf('SHARED_URL', 'PROJECT'),
      value: 'three',
    });
    expect(environment.answer, environment.text).toMatchObject({ scope: 'ENVIRONMENT', value: 'three' });
    await platform.must('create_secret_of_project', {
      project_id: platform.seed['project_id'],
      key: 'SHARED_KEY',
      value: 'correct-horse-3',
    });
    const secret = await calling('override_environment_variable', {
      environment: 'shop/staging',
      environment_variable_id: idOf('SHARED_KEY', 'PROJECT'),
      value: 'x',
    });
    expect([secret.isError, secret.text]).toEqual([true, expect.stringContaining('is a secret')]);
    const elsewhere = await calling('override_environment_variable', {
      service: 'shop/staging/session-cache',
      environment_variable_id: idOf('LOG_LEVEL', 'ENVIRONMENT').replace(/^./, '0'),
      value: 'x',
    });
    expect([elsewhere.isError, elsewhere.text]).toEqual([true, expect.stringContaining('no variable')]);
  });

  test("what an environment inherits of its project isn't changed there", async () => {
    const { isError, text, questions } = await calling('update_environment_variable', {
      environment_id: 'shop/staging',
      environment_variable_id: idOf('SHARED_URL', 'ENVIRONMENT'),
      value: 'four',
    });
    expect([isError, questions], text).toEqual([false, 1]);
    expect(stored()).toEqual(expect.arrayContaining(['PROJECT SHARED_URL one', 'ENVIRONMENT SHARED_URL four']));
    await platform.must('create_variable_of_project', {
      project_id: platform.seed['project_id'],
      key: 'ONLY_SHARED',
      value: 'one',
    });
    const shared = await calling('update_environment_variable', {
      environment_id: 'shop/staging',
      environment_variable_id: 'ONLY_SHARED',
      value: 'two',
    });
    expect([shared.isError, shared.text]).toEqual([
      true,
      expect.stringContaining('Give the project in place of the environment'),
    ]);
  });
});

describe('what an operator forbids holds for a project, too', () => {
  const change = ['set_environment_variables', { project: 'shop', variables: { FORBIDDEN: '1' } }] as const;
  const rules: [string, Policy | string][] = [
    ['a denied mode', 'deny:\n  - { mode: PRODUCTION, tier: [write, disruptive] }\n'],
    ['a denied environment', 'deny:\n  - { environment: shop/production, tier: [write, disruptive] }\n'],
    ['only another environment allowed', 'allow:\n  - { tier: read }\n  - { environment: shop/staging }\n'],
    ['only another mode allowed', 'allow:\n  - { tier: read }\n  - { mode: STAGING }\n'],
    ['a freeze of one mode', 'freeze:\n  - { mode: PRODUCTION, cron: "* * * * *", time_zone: UTC, duration: PT8H }\n'],
    ['a denied tool', 'deny:\n  - { tool: create_environment_variable }\n'],
    [
      'a server kept to an environment',
      { readOnly: false, scope: { environment: { name: 'shop/staging', setBy: 'INFRA_ENVIRONMENT' } } },
    ],
    [
      'a server kept to another project',
      { readOnly: false, scope: { project: { name: 'blog', setBy: 'INFRA_PROJECT' } } },
    ],
  ];

  test.each(rules)('%s', async (_, rule) => {
    const before = platform.dump()['variable'];
    const { isError, questions, text } = await calling(
      ...change,
      typeof rule === 'string' ? await policyFrom(rule) : rule,
    );
    expect([isError, questions], text).toEqual([true, 0]);
    expect(platform.dump()['variable']).toEqual(before);
  });

  test('a server kept to the project may', async () => {
    const { isError, text } = await calling(...change, {
      readOnly: false,
      scope: { project: { name: 'shop', setBy: 'INFRA_PROJECT' } },
    });
    expect(isError, text).toBe(false);
  });

  test('a server kept to a project fills no project in where an environment could be meant', async () => {
    const { isError, text } = await calling(
      'set_environment_variables',
      { variables: { UNNAMED: '1' } },
      { readOnly: false, scope: { project: { name: 'shop', setBy: 'INFRA_PROJECT' } } },
    );
    expect([isError, text]).toEqual([true, expect.stringContaining('exactly one of')]);
    expect(
      (
        await calling(
          'list_environment_variables',
          { environment: 'staging' },
          { readOnly: false, scope: { project: { name: 'shop', setBy: 'INFRA_PROJECT' } } },
        )
      ).isError,
    ).toBe(false);
  });

  test('a locked cluster of one of its environments', async () => {
    await platform.must('lock_cluster', {
      cluster_id: platform.seed['cluster_id'],
      reason: 'maintenance',
      ttl_in_days: 1,
    });
    const { isError, text, questions } = await calling('set_environment_variables', {
      project: 'shop',
      variables: { FORBIDDEN: '2' },
    });
    expect([isError, questions, text]).toEqual([true, 0, expect.stringContaining('locked')]);
  });
});
