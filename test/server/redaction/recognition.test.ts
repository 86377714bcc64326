import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenSecret } from '../../../src/contract/index.ts';
import { maskShapes, isSecretName, looksLikeSecret } from '../../../src/server/redaction/recognition/index.ts';
import { ordinaryTexts, secretSamples } from './corpus/samples.ts';
import { runs } from '../../support/runs.ts';

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

describe('recognition of secrets', () => {
  test('finds at least 97 % of the secrets of the corpus', () => {
    const found = secretSamples().flatMap(({ text, secrets }) => {
      const masked = maskShapes(text);
      return secrets.map((secret) => ({ secret, isHidden: !masked.includes(secret) }));
    });
    const hits = found.filter(({ isHidden }) => isHidden).length;
    console.info(`secrets found: ${hits} of ${found.length}, ${percent(hits, found.length)}`);
    expect(found.length).toBeGreaterThanOrEqual(150);
    expect(
      hits / found.length,
      `missed: ${found
        .filter(({ isHidden }) => !isHidden)
        .map(({ secret }) => secret)
        .join(', ')}`,
    ).toBeGreaterThanOrEqual(0.97);
  });

  test('changes at most 0.5 % of the lines of ordinary text', () => {
    const lines = ordinaryTexts().flatMap((text) => {
      const masked = maskShapes(text).split('\n');
      return text
        .split('\n')
        .map((line, index) => ({ line, isChanged: masked[index] !== line }))
        .filter(({ line }) => line !== '');
    });
    const changed = lines.filter(({ isChanged }) => isChanged);
    console.info(
      `ordinary lines changed: ${changed.length} of ${lines.length}, ${percent(changed.length, lines.length)}`,
    );
    expect(lines.length).toBeGreaterThanOrEqual(400);
    expect(changed.length / lines.length, changed.map(({ line }) => line).join('\n')).toBeLessThanOrEqual(0.005);
  });

  test('leaves what is around a secret as it was', () => {
    expect(maskShapes('psql postgres://app:p@ss/w0rd@db.example.test:5432/shop?sslmode=require now')).toBe(
      `psql postgres://app:${hiddenSecret}@db.example.test:5432/shop?sslmode=require now`,
    );
    expect(maskShapes('auth:\n  privateKey: |\n    made up\n    lines\n  user: app\n')).toBe(
      `auth:\n  privateKey: |\n    ${hiddenSecret}\n  user: app\n`,
    );
    expect(maskShapes('Set-Cookie: sid=made-up; Path=/; HttpOnly')).toBe(
      `Set-Cookie: sid=${hiddenSecret}; Path=/; HttpOnly`,
    );
    expect(maskShapes('Server=db;Password=Made Up;Encrypt=true')).toBe(
      `Server=db;Password=${hiddenSecret};Encrypt=true`,
    );
  });

  test('takes a secret for one, not a mark before it', () => {
    expect(maskShapes('DB_PASSWORD=[hidden]made-up-rest')).toBe('DB_PASSWORD=[hidden]');
    expect(maskShapes('DB_PASSWORD: [hidden, 12 characters]')).toBe('DB_PASSWORD: [hidden, 12 characters]');
    expect(maskShapes('see [hidden: made-up-rest] there')).toBe('see [hidden] there');
  });
});

/** Letters and digits that no fragment around them holds. */
const secrets = fc.stringMatching(/^q[0-9]z[a-z0-9]{8,24}7$/);

/** Each form in which a secret is recognised, whatever surrounds it by lines. */
const forms: readonly ((secret: string) => string)[] = [
  (secret) => `DB_PASSWORD=${secret}`,
  (secret) => `export API_TOKEN="${secret}"`,
  (secret) => `{"user":"app","password":"${secret}","port":80}`,
  (secret) => `{\\"clientSecret\\":\\"${secret}\\"}`,
  (secret) => `auth:\n  rootPassword: ${secret}\n  user: app`,
  (secret) => `tls:\n  privateKey: |\n    ${secret}\n    ${secret}\n  port: 80`,
  (secret) => `redis: {password: ${secret}, port: 80}`,
  (secret) => `{"tokens":["${secret}","${secret}"],"count":2}`,
  (secret) => `"passwords": {\n  "main": "${secret}"\n}`,
  (secret) => `apiKeys: {ci: ${secret}, user: app}`,
  (secret) => `passwords:\n  main: ${secret}\n  other: ${secret}`,
  (secret) => `{"header":"X-Api-Key","value":"${secret}"}`,
  (secret) => `env:\n- name: DB_PASSWORD\n  value: ${secret}\n- name: MODE`,
  (secret) => `[{"name":"DB_PASSWORD","value":"${secret}"}]`,
  (secret) => `[["auth.token","${secret}"],["port","80"]]`,
  (secret) => `postgres://app:${secret}@db:5432/shop`,
  (secret) => `amqp://app:x@${secret}/y@mq.example.test:5672/`,
  (secret) => `app:${secret}@tcp(db:3306)/shop`,
  (secret) => `Server=db;Password=${secret};Encrypt=true`,
  (secret) => `Authorization: Bearer ${secret}`,
  (secret) => `cookie: sid=${secret}; theme=${secret}`,
  (secret) => `curl -u app:${secret} -H 'X-Api-Key: ${secret}' https://api.example.test`,
  (secret) => `app --password ${secret} --port 80`,
  (secret) => `eyJhbGciOiJub25lIn0.eyJ${secret}.${secret}`,
  (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
  (secret) => `<password>${secret}</password>`,
  (secret) => `GET /in?access_token=${secret}&page=2`,
  (secret) => `ALTER ROLE app PASSWORD '${secret}'`,
];

/** What stands between secrets in hostile text: beginnings and ends of every form. */
const fragments = fc.constantFrom(
  'eyJ',
  '.',
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY-----',
  'a://',
  'a://b:',
  '@',
  '@h',
  '@tcp(',
  'authorization: ',
  'Authorization: Bearer ',
  'Digest ',
  'cookie: a=',
  '; ',
  'password',
  'password: ',
  'password=',
  '"password":"',
  '"token": ',
  "'",
  '"',
  '\\"',
  '\\n',
  '\n',
  '\n  ',
  ' ',
  ': ',
  '=',
  '{',
  '}',
  '[',
  ']',
  ',',
  '- ',
  'name: API_TOKEN',
  'header: X-Api-Key',
  'tokens: [',
  'passwords: {a: ',
  'pin: 4711',
  'value: ',
  '"name":"TOKEN",',
  '"value":"',
  'key: |\n',
  'secret: >-\n    ',
  '--token ',
  'curl -u a:',
  'mysql -p',
  'login a password ',
  'bearer ',
  'token is ',
  'DB_PASSWORD=',
  'FOO_KEY=',
  'STRIPE_KEY=a1B2c3D4e5F6g7H8',
  '[hidden]',
  '[hidden, 7 characters]',
  'ghp_aaaaaaaaaaaaaaaaaaaa',
  'AKIAAAAAAAAAAAAAAAAA',
  'hunter22',
  'required',
  'of',
  '#',
  ' # ',
  '|',
  '&',
  '?token=',
  ';password=',
  '<token>',
  '<',
  '>',
  '(',
  ')',
  '$2b$12$',
  'é',
  '😀',
  '\t',
);

describe('masking by shape', () => {
  test('changes nothing when it is done again, whatever the text', () => {
    const mixtures = fc
      .array(
        fc.oneof(
          { weight: 5, arbitrary: fragments },
          { weight: 1, arbitrary: fc.string() },
          { weight: 1, arbitrary: secrets },
        ),
        { maxLength: 30 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(mixtures, (text) => {
        const once = maskShapes(text);
        expect(maskShapes(once)).toBe(once);
      }),
      { numRuns: runs(3000) },
    );
  });

  test('leaves nothing of a secret, and the ordinary text around as it was', () => {
    const ordinary = fc.constantFrom(
      ...ordinaryTexts()
        .flatMap((text) => text.split('\n'))
        .filter((line) => maskShapes(`${line}\n\n`) === `${line}\n\n` && /^[\w<[]/.test(line)),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...forms), secrets, ordinary), { minLength: 1, maxLength: 5 }),
        ordinary,
        (parts, first) => {
          const masked = maskShapes(
            [first, ...parts.flatMap(([form, secret, line]) => [form(secret), line])].join('\n\n'),
          );
          for (const [, secret, line] of parts) {
            expect(masked).not.toContain(secret);
            expect(masked.split('\n')).toContain(line);
          }
          expect(masked.split('\n')[0]).toBe(first);
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});

describe('a name', () => {
  test.each([
    'DB_PASSWORD',
    'SMTP_PASS',
    'REDIS_AUTH',
    'ROOT_PW',
    'VAULT_SECRET_ID',
    'clientSecret',
    'SIGNING_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'apiKey',
    'X-Api-Key',
    'PGPASSWORD',
    'auth.rootPassword',
    'SECRET_KEY_BASE',
    '_authToken',
  ])('%s tells of a secret', (name) => expect(isSecretName(name)).toBe(true));

  test.each([
    'PORT',
    'TOKEN_TTL',
    'SECRET_NAME',
    'ACCESS_KEY_ID',
    'existingSecret',
    'tokenUrl',
    'max_tokens',
    'next_page_token',
    'BYPASS',
    'AUTHOR',
    'MONKEY',
    'STRIPE_KEY',
    'PUBLIC_KEY',
    'tokenizer',
    'passwordless',
    'git_token_id',
    'imagePullSecretsName',
    'a password',
  ])('%s tells of none', (name) => expect(isSecretName(name)).toBe(false));

  test('such as STRIPE_KEY tells where the value looks random', () => {
    expect(isSecretName('STRIPE_KEY', 'madeUp0a9B8c7D6e5F4g3H')).toBe(true);
    expect(isSecretName('FERNET_KEY', 'bWFkZXVwLWZlcm5ldC1rZXktMTIzNDU2Nzg5MC1hYmM=')).toBe(true);
    for (const [name, value] of [
      ['CACHE_KEY', 'madeUp0a9B8c7D6e5F4g3H'],
      ['SORT_KEY', 'customerId'],
      ['STRIPE_KEY', '/run/secrets/stripe.key'],
      ['ROW_KEY', '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e'],
      ['THEME_KEY', 'dark-mode-of-the-shop'],
    ] as const) {
      expect(isSecretName(name, value), name).toBe(false);
    }
    expect(isSecretName('PWD', '/app')).toBe(false);
    expect(isSecretName('SMTP_AUTH', 'plain')).toBe(false);
  });

  test("doesn't matter to a value that looks like a key itself", () => {
    expect(looksLikeSecret('LICENSE', 'A1b2C3d4E5f6G7h8J9')).toBe(true);
    expect(looksLikeSecret('GIT_COMMIT', '3f2a9c1b3f2a9c1b3f2a9c1b3f2a9c1b3f2a9c1b')).toBe(false);
  });
});
