import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenSecret, operations } from '../../../src/contract/index.ts';
import { createRedaction, protectLog } from '../../../src/server/redaction/index.ts';
import { answerSchema, argumentSchema } from '../../../src/server/tool/index.ts';
import { memoryLog } from '../../support/call-context.ts';

const hook = (kind: string | undefined) => ({ kind, target_url: 'https://chat.acme.example/in/ops' });

describe('redaction of text', () => {
  const { text } = createRedaction({ configured: () => ['s3cr3t-token'] });

  test.each([
    ['the known s3cr3t-token of this process', `the known ${hiddenSecret} of this process`],
    ['in another spelling: czNjcjN0LXRva2Vu', `in another spelling: ${hiddenSecret}`],
    ['postgres://app:hunter2@db:5432/app', `postgres://app:${hiddenSecret}@db:5432/app`],
    ['redis://:hunter2@cache', `redis://:${hiddenSecret}@cache`],
    ['git clone https://abcdefghij0123456789@git.example/a.git', `git clone https://${hiddenSecret}@git.example/a.git`],
    ['key AKIAIOSFODNN7EXAMPLE used', `key ${hiddenSecret} used`],
    [`push with ghp_${'a'.repeat(36)}`, `push with ${hiddenSecret}`],
    [`sk-proj-${'a'.repeat(20)} and hvs.${'b'.repeat(24)}`, `${hiddenSecret} and ${hiddenSecret}`],
    ['https://hooks.slack.com/services/T000/B000/abcdefghijkl', `https://hooks.slack.com/services/${hiddenSecret}`],
    ['Authorization: Token abc.def', `Authorization: Token ${hiddenSecret}`],
    ['DB_PASSWORD=hunter22 PORT=80', `DB_PASSWORD=${hiddenSecret} PORT=80`],
    ['export AWS_SECRET_ACCESS_KEY="abc/def+1"', `export AWS_SECRET_ACCESS_KEY="${hiddenSecret}"`],
    ['{"api_key":"abcd1234","port":80}', `{"api_key":"${hiddenSecret}","port":80}`],
    ['psql --password hunter22 -h db', `psql --password ${hiddenSecret} -h db`],
    ['auth:\n  password: hunter22\n  user: app', `auth:\n  password: ${hiddenSecret}\n  user: app`],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', hiddenSecret],
    ['-----BEGIN PRIVATE KEY-----\ncut off', hiddenSecret],
  ])('%j becomes %j', (raw, masked) => expect(text(raw)).toBe(masked));

  test.each([
    ['https://git.example/owner/repo.git'],
    ['user@example.com'],
    ['0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e'],
    ['the token expired, the password is required'],
    ['invalid token: unexpected end of input'],
    ['http://app:8080/path@2'],
    ['commit 3f2a9c1b3f2a9c1b3f2a9c1b3f2a9c1b3f2a9c1b'],
  ])('leaves %j alone', (open) => expect(text(open)).toBe(open));

  test('of what was redacted already changes nothing', () => {
    const once = text(
      'DB_PASSWORD=hunter22 postgres://app:hunter2@db --token abcd1234 token: abcd1234 {"secret":"abcd"}',
    );
    expect(text(once)).toBe(once);
    const masked = createRedaction().value({ key: 'DB_PASSWORD', value: 'hunter22' });
    expect(createRedaction().value(masked)).toEqual(masked);
  });
});

test('equal and unequal secrets have one mask: none answers a guess', () => {
  const shown = createRedaction().value([
    { key: 'TOKEN', value: 'hunter22' },
    { key: 'TOKEN', value: 'hunter22' },
    { key: 'TOKEN', value: 'a1' },
  ]);
  expect((shown as { value: string }[]).map(({ value }) => value)).toEqual([hiddenSecret, hiddenSecret, hiddenSecret]);
});

describe('redaction of values', () => {
  const redactor = createRedaction();
  const shown = redactor.value;

  test('masks what the contract marks secret, at any depth', () => {
    const scaler = { trigger_authentication: { name: 'kafka', config_yaml: 'sasl: plaintext' } };
    expect(
      shown({ name: 'api', autoscaling: { scalers: [scaler] } }, answerSchema(operations.update_container)),
    ).toEqual({
      name: 'api',
      autoscaling: { scalers: [{ trigger_authentication: { name: 'kafka', config_yaml: hiddenSecret } }] },
    });
  });

  test('masks arguments that are secret', () => {
    const args = { application_id: 'x', key: 'DB', value: 'hunter22' };
    expect(shown(args, argumentSchema(operations.create_secret))).toEqual({ ...args, value: hiddenSecret });
    expect(shown(args, argumentSchema(operations.create_environment_variable))).toEqual(args);
  });

  test('masks undeclared members whose name tells, and no declared ones', () => {
    const answer = {
      id: '1',
      target_url: 'https://a.example',
      target_secret_set: true,
      target_secret: 'abc',
      api_token: 'def',
    };
    expect(shown(answer, answerSchema(operations.create_webhook))).toEqual({
      ...answer,
      target_secret: hiddenSecret,
      api_token: hiddenSecret,
    });
    const helm = {
      source: { git: { git_repository: { url: 'https://a.example', git_token_id: 'g-1', git_token_name: 'ci' } } },
    };
    expect(shown(helm, answerSchema(operations.get_helm))).toEqual(helm);
  });

  test('masks what follows the host in the address of a chat webhook', () => {
    const schema = answerSchema(operations.create_webhook);
    expect(shown(hook('STANDARD'), schema)).toEqual(hook('STANDARD'));
    for (const kind of ['SLACK', 'A_CHAT_OF_ANOTHER_PLATFORM', undefined])
      expect(shown(hook(kind), schema)).toEqual({ kind, target_url: `https://chat.acme.example/${hiddenSecret}` });
  });

  test('masks headers that carry a credential, as members and as pairs', () => {
    const sent = {
      authorization: 'Bearer inner-token',
      Cookie: 'sid=abc',
      accept: 'text/plain',
      headers: [{ name: 'Authorization', value: 'Basic abc' }],
    };
    expect(shown({ results: [{ id: '1', request: { sent } }] }, answerSchema(operations.list_webhook_events))).toEqual({
      results: [
        {
          id: '1',
          request: {
            sent: {
              ...sent,
              authorization: hiddenSecret,
              Cookie: hiddenSecret,
              headers: [{ name: 'Authorization', value: hiddenSecret }],
            },
          },
        },
      ],
    });
  });

  test.each([
    ['DB_PASSWORD', 'postgres'],
    ['API_TOKEN', '1'],
    ['STRIPE_SECRET', 'x'],
    ['clientSecret', 'x'],
    ['SIGNING_KEY', 'x'],
    // By its shape alone.
    ['LICENSE', 'A1b2C3d4E5f6G7h8J9'],
    ['CONFIG', 'deadbeefdeadbeefdeadbeefdeadbeef0'],
  ])('masks the variable %s', (key, value) => {
    expect(
      shown({ results: [{ key, value, scope: 'APPLICATION' }] }, answerSchema(operations.list_environment_variables)),
    ).toEqual({ results: [{ key, value: hiddenSecret, scope: 'APPLICATION' }] });
  });

  test.each([
    ['PORT', '8080'],
    ['TOKEN_TTL', '3600'],
    ['USE_TOKENS', 'true'],
    ['SECRET_NAME', 'checkout-db'],
    ['DB_PASSWORD', ''],
    ['IMAGE', 'registry.example/checkout-api-production-eu-west-1:1.2.3'],
    ['GIT_COMMIT', '3f2a9c1b3f2a9c1b3f2a9c1b3f2a9c1b3f2a9c1b'],
    ['TENANT', '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e'],
    ['GREETING', 'Hello World 123'],
  ])('leaves the variable %s alone', (key, value) => {
    const answer = { results: [{ key, value }] };
    expect(shown(answer, answerSchema(operations.list_environment_variables))).toEqual(answer);
  });

  test.each<[string, object, object]>([
    [
      'lists',
      { tokens: ['ci-token-42', 'word'], passwords: ['correct', 'horse'] },
      { tokens: [hiddenSecret, 'word'], passwords: [hiddenSecret, hiddenSecret] },
    ],
    [
      'maps',
      { passwords: { main: 'correct', replica: { eu: 'horse' } } },
      { passwords: { main: hiddenSecret, replica: { eu: hiddenSecret } } },
    ],
    [
      'maps of credentials',
      { credentials: { username: 'app', value: 'made-up-42', region: 'eu-west-1', password: 'plain' } },
      { credentials: { username: 'app', value: hiddenSecret, region: 'eu-west-1', password: hiddenSecret } },
    ],
    [
      'rows',
      { tokens: [{ id: 'ci-42', value: 'made-up-42', note: 'rotated 2026' }] },
      { tokens: [{ id: 'ci-42', value: hiddenSecret, note: 'rotated 2026' }] },
    ],
    [
      'numbers',
      { password: 12_345_678, pin: 4711, user_otp: 255_133, pins: [4711] },
      { password: hiddenSecret, pin: hiddenSecret, user_otp: hiddenSecret, pins: [4711] },
    ],
    [
      'numbers in maps and lists',
      { passwords: { main: 12_345_678 }, more: [{ passwords: [87_654_321] }] },
      { passwords: { main: hiddenSecret }, more: [{ passwords: [hiddenSecret] }] },
    ],
    [
      'pairs',
      [
        { header: 'X-Api-Key', value: 'abc' },
        { header: 'X-Auth-Token', values: ['made-up-42'] },
        { Parameter: 'db_password', Value: 12_345_678 },
      ],
      [
        { header: 'X-Api-Key', value: hiddenSecret },
        { header: 'X-Auth-Token', values: [hiddenSecret] },
        { Parameter: 'db_password', Value: hiddenSecret },
      ],
    ],
  ])('masks secrets in %s under names that tell', (_, value, masked) => {
    expect(shown({ value })).toEqual({ value: masked });
    expect(shown(shown({ value }))).toEqual({ value: masked });
  });

  test.each<[string, object]>([
    [
      'counts',
      {
        token_count: 5,
        tokens: 1200,
        max_tokens: 4096,
        prompt_tokens: 81_234,
        passwords: 3,
        secrets: 1024,
        token: 17,
        pin: 7,
      },
    ],
    ['ids of tokens', { tokens: [1, 2, 3, 17, 50_256] }],
    ['switches', { secret: true, secrets: [], token: null, passwords: {}, has_password: false }],
    [
      'rows of secrets',
      {
        secrets: [
          {
            id: '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e',
            key: 'DB_PASSWORD2',
            scope: 'APPLICATION',
            description: 'rotated 2026',
            service_name: 'api-v2',
          },
        ],
      },
    ],
    ['pages', { next_page_token: 'abc-123-def', nextPageToken: 20 }],
    [
      'what describes them',
      {
        token: {
          type: 'Bearer',
          expires_in: 3600,
          created_at: '2026-11-20T10:00:00Z',
          url: 'https://id.example.test/token2',
        },
        secret_ref: { name: 'db-2' },
      },
    ],
    [
      'headers',
      [
        { header: 'X-Request-Id', value: 'abc-123' },
        { parameter: 'page', value: 2 },
      ],
    ],
  ])('leaves %s alone', (_, value) => expect(shown(value)).toEqual(value));

  test('masks words after one that names them', () => {
    expect(
      shown({
        arguments: ['--password', 'hunter22', '--verbose'],
        set: [
          ['auth.token', 'x'],
          ['port', '80'],
        ],
      }),
    ).toEqual({
      arguments: ['--password', hiddenSecret, '--verbose'],
      set: [
        ['auth.token', hiddenSecret],
        ['port', '80'],
      ],
    });
    const names = ['DB_PASSWORD', 'API_TOKEN', 'PORT'];
    expect(shown({ names })).toEqual({ names });
  });

  test('masks a secret wherever else it stands in the answer', () => {
    const answer = {
      results: [
        { key: 'DB_PASSWORD', value: 'hunter-22' },
        { key: 'DSN', value: 'host=db pw hunter-22', aliased_variable: { key: 'X', value: 'hunter-22' } },
      ],
    };
    expect(JSON.stringify(shown(answer, answerSchema(operations.list_environment_variables)))).not.toContain('hunter');
  });

  test('takes any value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void redactor.value(value, answerSchema(operations.update_container))),
    );
  });

  test('never lets a distinct secret of a variable through, whatever stands beside it', () => {
    const secret = fc.stringMatching(/^[a-z]{4}[0-9]{4}[a-z_]{0,8}$/);
    fc.assert(
      fc.property(secret, fc.jsonValue(), fc.string(), (value, other, around) => {
        const answer = {
          results: [
            { key: 'DB_PASSWORD', value },
            { other, text: `${around}${value}${around}` },
          ],
        };
        const rows = (createRedaction().value(answer) as { results: [object, { text: string }] }).results;
        return !JSON.stringify(rows[0]).includes(value) && !rows[1].text.includes(value);
      }),
    );
  });
});

describe('a protected log', () => {
  test('shows no secret from fields, errors, their causes, or messages', () => {
    const kept = memoryLog();
    const log = protectLog(kept, createRedaction({ configured: () => ['s3cr3t-token'] }));
    const error = new Error('refused s3cr3t-token', { cause: new Error('PASSWORD=hunter22') });
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      log[level]({ err: error, args: { password: 'hunter23' }, n: 1 }, 'said s3cr3t-token');
    expect(kept.lines).toHaveLength(4);
    const written = JSON.stringify(kept.lines);
    expect(written).not.toMatch(/s3cr3t|hunter/);
    expect(written).toContain('refused [hidden]');
    expect(written).toContain('redaction.test.ts');
  });

  test('takes fields that hold themselves', () => {
    const kept = memoryLog();
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    protectLog(kept, createRedaction()).info({ circle }, 'x');
    expect(kept.lines).toHaveLength(1);
  });
});
