import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openGuardFixture, policyFrom, type GuardFixture } from '../support/guard-fixture.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Json = Record<string, unknown>;

let platform: TestPlatform;
let proxy: RecordingProxy;
let guard: GuardFixture;
let connectors: Connectors;
/** Which of the changes is carried out and its answer lost, counted from one. */
let lostChange = Infinity;
let changes = 0;
/** Whether the token may not list secrets. */
let hidesSecrets = false;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (method, request, response) => {
      if (!hidesSecrets || method !== 'GET' || !request.url!.split('?')[0]!.endsWith('/secret')) return;
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end(JSON.stringify({ status: 403, error: 'Forbidden', message: 'not for this token' }));
    },
    dropsResponse: (method) => {
      if (method === 'GET') return false;
      changes += 1;
      return changes === lostChange;
    },
  });
  guard = await openGuardFixture();
  connectors = connectorsTo(proxy.url, platform.token);
});

afterEach(() => {
  lostChange = Infinity;
});

afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
  await guard.close();
});

const staging = { application: 'shop/staging/checkout-api' };
const tool = 'set_environment_variables';

async function setting(
  args: Json,
  { user = userAnswering(agree), policy }: { user?: ReturnType<typeof userAnswering>; policy?: string } = {},
) {
  const client = await connectors.modern(
    user,
    policy === undefined ? undefined : await policyFrom(policy),
    guard.parts,
  );
  changes = 0;
  const before = proxy.writes().length;
  const result = await client.call(tool, args);
  return {
    result,
    text: textOf(result),
    user,
    sent: proxy.writes().slice(before),
    rows: ((result.structuredContent as Json | undefined)?.['results'] ?? []) as Json[],
  };
}

async function valuesOf(application: string): Promise<Map<unknown, unknown>> {
  const client = await connectors.modern();
  const { structuredContent } = await client.call('list_environment_variables', {
    application_id: application,
    page_size: 100,
  });
  return new Map(
    ((structuredContent as Json)['results'] as Json[])
      .filter((row) => row['is_secret'] !== true)
      .map(({ key, value }) => [key, value]),
  );
}

const recorded = async (): Promise<string> => {
  await guard.settled();
  const files = await readdir(guard.dataDir, { recursive: true, withFileTypes: true });
  return (
    await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'latin1')),
    )
  ).join('\n');
};

describe('many variables at once', () => {
  test('creates what is new, changes what differs, leaves what is the same', async () => {
    const first = await setting({ ...staging, variables: { NEW_ONE: 'a', NEW_TWO: 'b' } });
    expect(first.rows.map(({ how }) => how)).toEqual(['created', 'created']);
    const { rows, sent } = await setting({ ...staging, variables: { NEW_ONE: 'a', NEW_TWO: 'c', NEW_THREE: 'd' } });
    expect(rows.map(({ key, how }) => [key, how])).toEqual([
      ['NEW_THREE', 'created'],
      ['NEW_TWO', 'changed'],
    ]);
    expect(sent).toHaveLength(2);
  });

  test('finds what is there beyond the first page of a list', async () => {
    const big = { application: 'shop/staging/storefront' };
    const many = Object.fromEntries(Array.from({ length: 110 }, (_, index) => [`PAGED_${index}`, 'a']));
    expect((await setting({ ...big, variables: many })).result.isError).toBeFalsy();
    const { rows, text } = await setting({ ...big, variables: { PAGED_0: 'b', PAGED_60: 'b', PAGED_109: 'b' } });
    expect(
      rows.map(({ how }) => how),
      text,
    ).toEqual(['changed', 'changed', 'changed']);
  });

  test('of which all are so already asks nobody, changes nothing, and plans nothing', async () => {
    await setting({ ...staging, variables: { SAME: 'a' } });
    for (const args of [{ dry_run: true }, {}]) {
      const { result, text, user, sent } = await setting({ ...staging, variables: { SAME: 'a' }, ...args });
      expect(result.isError, text).toBeFalsy();
      expect(text).toMatch(/nothing to change|Nothing was done/);
      expect([user.questions, sent]).toEqual([[], []]);
    }
  });

  test('of production are asked for once', async () => {
    const { user, result, text, sent } = await setting({
      application: 'shop/production/checkout-api',
      variables: { ONCE_A: '1', ONCE_B: '2', ONCE_C: '3' },
    });
    expect(result.isError, text).toBeFalsy();
    expect(user.questions).toHaveLength(1);
    for (const key of ['ONCE_A', 'ONCE_B', 'ONCE_C']) expect(user.questions[0]!.message).toContain(key);
    expect(sent).toHaveLength(3);
  });

  test('are denied before any is set when one of them is', async () => {
    const { result, sent, user } = await setting(
      { ...staging, variables: { DENIED_A: '1' }, secrets: { DENIED_B: 'correct-horse-7' } },
      { policy: 'deny: [{ tool: create_secret }]' },
    );
    expect(result.isError).toBe(true);
    expect([sent, user.questions]).toEqual([[], []]);
  });
});

describe('what fails in the middle', () => {
  test('says what was set before, by name, and claims nothing more', async () => {
    lostChange = 4;
    const { result, text, sent } = await setting({
      ...staging,
      variables: { PART_A: '1', PART_B: '2', PART_C: '3', PART_D: '4', PART_E: '5' },
    });
    expect(failureIn(result)).toMatchObject({
      kind: 'partly',
      outcome: 'unknown',
      done: 3,
      failures: [{ kind: 'api', outcome: 'unknown' }],
    });
    expect(text).toContain('3 of 5');
    for (const key of ['PART_A', 'PART_B', 'PART_C']) expect(text).toContain(key);
    expect(text).not.toContain('PART_E');
    expect(sent.length).toBeLessThanOrEqual(4);
    const values = await valuesOf(staging.application);
    expect(['PART_A', 'PART_B', 'PART_C', 'PART_E'].map((key) => values.get(key))).toEqual(['1', '2', '3', undefined]);
  });
});

describe('.env text', () => {
  test('is read as such files are', async () => {
    const env_text = [
      '# a comment',
      'ENV_PLAIN=one',
      'export ENV_EXPORTED=two',
      'ENV_QUOTED="three # no comment"',
      "ENV_SINGLE='four'",
      'ENV_COMMENTED=five # a comment',
      'ENV_LINES="six',
      'seven"',
      'ENV_EMPTY=',
      'ENV_TWICE=old',
      'ENV_TWICE=new',
      '',
    ].join('\n');
    const { result, text } = await setting({ ...staging, env_text });
    expect(result.isError, text).toBeFalsy();
    const values = await valuesOf(staging.application);
    expect(Object.fromEntries([...values].filter(([key]) => String(key).startsWith('ENV_')))).toMatchObject({
      ENV_PLAIN: 'one',
      ENV_EXPORTED: 'two',
      ENV_QUOTED: 'three # no comment',
      ENV_SINGLE: 'four',
      ENV_COMMENTED: 'five',
      ENV_LINES: 'six\nseven',
      ENV_TWICE: 'new',
    });
  });

  test('has secrets where the keys say so, by themselves or with their values, and the answer says which', async () => {
    const secret = {
      SHOP_DB_PASS: 'made-up-one',
      SHOP_REDIS_AUTH: 'made-up-two',
      SHOP_ROOT_PW: 'made-up-three',
      SHOP_SECRET_ID: 'made-up-four',
      SHOP_PAYMENT_KEY: 'madeUp0a9B8c7D6e5F4g3H',
    };
    const plain = {
      SHOP_SORT_KEY: 'customer',
      SHOP_PAYMENT_KEY_FILE: '/run/secrets/payment',
      SHOP_SMTP_AUTH: 'plain',
      SHOP_TOKEN_TTL: '3600',
    };
    const env_text = Object.entries({ ...secret, ...plain })
      .map(([key, value]) => `${key}=${value}`)
      .join('\n');
    const { result, rows, text } = await setting({ ...staging, env_text });
    const keysOf = (what: string) =>
      rows
        .filter(({ how }) => how === what)
        .map(({ key }) => String(key))
        .toSorted();
    expect(keysOf('stored as a secret'), text).toEqual(Object.keys(secret).toSorted());
    expect(keysOf('created')).toEqual(Object.keys(plain).toSorted());
    const values = await valuesOf(staging.application);
    for (const key of Object.keys(secret)) expect(values.has(key)).toBe(false);
    for (const value of Object.values(secret)) expect(JSON.stringify(result)).not.toContain(value);
  });

  test.each<[string, Json]>([
    ['in the map and the text', { variables: { BOTH_WAYS: 'a' }, env_text: 'BOTH_WAYS=b' }],
    ['as a variable and a secret', { variables: { BOTH_WAYS: 'a' }, secrets: { BOTH_WAYS: 'correct-horse-8' } }],
  ])('a key given twice is refused: %s', async (_, input) => {
    const { result, text, sent } = await setting({ ...staging, ...input });
    expect(result.isError).toBe(true);
    expect(text).toContain('BOTH_WAYS');
    expect(sent).toEqual([]);
  });

  test('without a single variable in it is refused', async () => {
    const { result, text, sent } = await setting({ ...staging, env_text: '{"json": "is not it"}' });
    expect(result.isError, text).toBe(true);
    expect(sent).toEqual([]);
  });
});

describe('what can be seen to be refused is not begun:', () => {
  test.each<[string, Json, RegExp]>([
    [
      'a variable that stands for another',
      { variables: { FREE_A: '1', AWS_REGION: 'eu-north-1' } },
      /AWS_REGION of the application is ALIAS.*Nothing was set/,
    ],
    [
      'a variable that is kept elsewhere',
      { variables: { FREE_A: '1', MAIL_API_URL: 'https://mail.example' } },
      /MAIL_API_URL of the application is EXTERNAL_SECRET, owned by external-secrets/,
    ],
    [
      'a secret with the key of a variable',
      { variables: { FREE_A: '1' }, secrets: { PAYMENT_PROVIDER: 'correct-horse-9' } },
      /PAYMENT_PROVIDER is a variable of the application/,
    ],
  ])('%s', async (_, input, says) => {
    const { text, sent, user } = await setting({ ...staging, ...input });
    expect(text).toMatch(says);
    expect([sent, user.questions]).toEqual([[], []]);
  });

  test('a variable with the key of a stored secret', async () => {
    await setting({ ...staging, secrets: { SEALED: 'correct-horse-10' } });
    const { text, sent, user } = await setting({ ...staging, variables: { FREE_A: '1', SEALED: 'c' } });
    expect(text).toMatch(
      /SEALED is a secret of the application, and a variable can't have the same key.*give it in "secrets"/,
    );
    expect([sent, user.questions]).toEqual([[], []]);
  });

  test('a variable of a service of a kind that has none to be set', async () => {
    for (const [service, says] of [['shop/staging/orders-db', 'a database has no variables']] as const) {
      const { text, sent } = await setting({ service, variables: { FREE_A: '1' } });
      expect(text).toContain(says);
      expect(sent).toEqual([]);
    }
  });

  test('where secrets are not listed, what the platform refuses is named, and what needs no new key is left for later', async () => {
    hidesSecrets = true;
    await setting({ ...staging, secrets: { STORED: 'correct-horse-10' } });
    await setting({ ...staging, variables: { THERE: 'a' } });
    const { result, text, sent } = await setting({ ...staging, variables: { THERE: 'b', STORED: 'c' } });
    hidesSecrets = false;
    expect(failureIn(result)).toMatchObject({
      kind: 'partly',
      done: 0,
      failures: [{ operation: 'create_environment_variable' }],
    });
    expect(text).toContain('STORED');
    expect(sent).toHaveLength(1);
    expect((await valuesOf(staging.application)).get('THERE')).toBe('a');
  });
});

describe('secrets', () => {
  const values = ['correct-horse-1', 'battery-staple-2', 'xylophone-3'];
  const args = {
    ...staging,
    variables: { SEEN_PLAIN: 'plain' },
    secrets: { HIDDEN_A: values[0] },
    env_text: `HIDDEN_PASSWORD=${values[1]}\nHIDDEN_TOKEN='${values[2]}'\n`,
  };

  test('show nowhere: not in a plan, a question, an answer, a log or the record', async () => {
    const planned = await setting({ ...args, dry_run: true });
    const production = await setting({ ...args, application: 'shop/production/checkout-api' });
    const { result, rows } = await setting(args);
    expect(rows.map(({ how }) => how)).toEqual([
      'stored as a secret',
      'stored as a secret',
      'stored as a secret',
      'created',
    ]);
    const everything =
      JSON.stringify([planned.result, production.result, production.user.questions, result, connectors.log.lines]) +
      (await recorded());
    expect(everything).toContain('HIDDEN_PASSWORD');
    for (const value of values) expect(everything).not.toContain(value);
  });

  test('that are there already are named, before anything else was set', async () => {
    hidesSecrets = true;
    const { result, text, rows, sent } = await setting({
      ...staging,
      variables: { BEFORE_IT: 'a', SEEN_PLAIN: 'changed' },
      env_text: 'HIDDEN_PASSWORD=another-staple-4\n',
    });
    hidesSecrets = false;
    expect(failureIn(result)).toMatchObject({
      kind: 'partly',
      done: 0,
      failures: [{ kind: 'api', operation: 'create_secret' }],
    });
    expect(rows).toEqual([]);
    expect(text).toContain('HIDDEN_PASSWORD already');
    expect(sent).toHaveLength(1);
    expect((await valuesOf(staging.application)).get('BEFORE_IT')).toBeUndefined();
    expect(JSON.stringify([result, connectors.log.lines]) + (await recorded())).not.toContain('another-staple-4');
  });
});

const listed = async (args: Json): Promise<{ rows: Json[]; text: string }> => {
  const result = await (await connectors.modern()).call('list_environment_variables', args);
  return { rows: ((result.structuredContent as Json | undefined)?.['results'] ?? []) as Json[], text: textOf(result) };
};

describe('of every owner that has variables:', () => {
  test.each([
    ['application', { service: 'shop/staging/checkout-api' }, 'APPLICATION'],
    ['container', { service: 'shop/staging/search' }, 'CONTAINER'],
    ['job', { service: 'shop/staging/nightly-report' }, 'JOB'],
    ['environment', { environment: 'shop/staging' }, 'ENVIRONMENT'],
  ])('%s', async (_, owner, scope) => {
    const given = {
      variables: { EVERY_PLAIN: 'seen', EVERY_LEVEL: 'high' },
      secrets: { EVERY_SECRET: 'xylophone-never-shown' },
    };
    const { rows, text } = await setting({ ...owner, ...given });
    expect(
      rows.map(({ key, how, scope: of }) => [key, how, of]),
      text,
    ).toEqual([
      ['EVERY_SECRET', 'stored as a secret', scope],
      ['EVERY_PLAIN', 'created', scope],
      ['EVERY_LEVEL', 'created', scope],
    ]);
    const changed = await setting({ ...owner, variables: { EVERY_PLAIN: 'other', EVERY_LEVEL: 'high' } });
    expect(
      changed.rows.map(({ key, how }) => [key, how]),
      changed.text,
    ).toEqual([['EVERY_PLAIN', 'changed']]);
    const list = await listed(owner);
    const own = list.rows.filter((row) => row['scope'] === scope && String(row['key']).startsWith('EVERY_'));
    expect(own.map(({ key, value, is_secret: isSecret }) => [key, value, isSecret])).toEqual([
      ['EVERY_PLAIN', 'other', undefined],
      ['EVERY_LEVEL', 'high', undefined],
      ['EVERY_SECRET', undefined, true],
    ]);
    expect(`${list.text}${JSON.stringify(platform.dump()['variable'])}`).not.toContain('xylophone-never-shown');
  });

  test('a list where secrets can not be read says so, and is cut into pages all the same', async () => {
    hidesSecrets = true;
    const { rows, text } = await listed({ service: 'shop/staging/nightly-report', page: 2, page_size: 2 });
    hidesSecrets = false;
    expect(rows).toHaveLength(2);
    expect(text).toContain('list_secrets_of_job');
  });
});
