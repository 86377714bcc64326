import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCredentialFile } from '../../src/client/index.ts';
import { readConfig } from '../../src/cli/config/index.ts';
import { placeholderIn, valueFault } from '../../src/contract/index.ts';
import { runChecks } from '../../src/cli/doctor/doctor.ts';

const placeholders = [
  '${INFRA_TOKEN}',
  '${input:api-token}',
  '${env:TOKEN}',
  '${user_config.api_token}',
  '<YOUR_TOKEN>',
  '<your API key>',
  '{{token}}',
  '{{ secrets.TOKEN }}',
  '$TOKEN',
  '%TOKEN%',
];

const unshown = [
  '${TOKEN:-hunter2hunter2}',
  '<hunter2hunter2>',
  '$hunter2hunter2',
  '"hunter2hunter2"',
  "'hunter2hunter2'",
  'INFRA_API_TOKEN=hunter2hunter2',
  'export TOKEN=hunter2hunter2',
];

const real = [
  'qov_4fz8Jk2',
  'Bearer eyJhbGciOiJub25lIn0.eyJhIjoxfQ.',
  'QUJDRA==',
  'aB-_~.+/=',
  '$2b$10$abcdefghijklmnopqrstuv',
];

const withToken = (token: string) =>
  readConfig('stdio', {}, { INFRA_BASE_URL: 'https://api.example.com', INFRA_API_TOKEN: token });

const messageOf = (act: () => unknown): string => {
  try {
    act();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a token', () => {
  test.each(placeholders)('%s is a placeholder, which is named', (token) => {
    expect(messageOf(() => withToken(token))).toMatch(/^INFRA_API_TOKEN is/);
    expect(messageOf(() => withToken(token))).toContain(token);
    expect(messageOf(() => withToken(`Bearer ${token}`))).toContain(token);
  });

  test.each(unshown)('%s is refused, and not repeated', (token) => {
    const message = messageOf(() => withToken(token));
    expect(message).toMatch(/^INFRA_API_TOKEN /);
    expect(message).not.toContain('hunter2');
  });

  test.each(real)('%s is taken', (token) => {
    expect(withToken(token).config.apiToken).toBe(token);
  });
});

test.each([
  '${BASE_URL}',
  'https://${HOST}/api',
  '<YOUR_URL>',
  '"https://api.example.com"',
  'INFRA_BASE_URL=https://api.example.com',
  '$BASE_URL',
])('the address %s is refused', (address) => {
  const message = messageOf(() => readConfig('stdio', {}, { INFRA_BASE_URL: address, INFRA_API_TOKEN: 'token' }));
  expect(message).toMatch(/^INFRA_BASE_URL (?:is|contains|has) /);
});

test.each([
  ['https://<host>', 'contains the placeholder <host>,'],
  ['https://<your-platform>/api', 'contains the placeholder <your-platform>,'],
  ['http://$HOST:8080', 'contains the placeholder $HOST,'],
  ['https://api.%DOMAIN%/', 'contains the placeholder %DOMAIN%,'],
  ['https://<hunter2hunter2>', 'contains a placeholder,'],
])('of the address %s the placeholder is named', (address, named) => {
  const start = () => readConfig('stdio', {}, { INFRA_BASE_URL: address, INFRA_API_TOKEN: 'token' });
  expect(messageOf(start)).toContain(`INFRA_BASE_URL ${named}`);
});

test('signs of placeholders after the host of an address, or in its password, are none', () => {
  for (const rest of ['api.test/%20a%20', 'api.test/$a', 'user:pa$ss@api.test', 'api.test/?a=<b>'])
    expect(placeholderIn(`https://${rest}`)).toBeUndefined();
});

test('an option that a client left unfilled is refused, whatever it is for', () => {
  expect(messageOf(() => readConfig('stdio', {}, { INFRA_ORGANIZATION: '${user_config.organization}' }))).toContain(
    'INFRA_ORGANIZATION is',
  );
  expect(messageOf(() => readConfig('stdio', {}, { INFRA_AUDIT_COMMAND: '["sh", "-c", "cat > ${LOG}"]' }))).toBe('');
});

test('a token file with a placeholder, and doctor says the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'placeholders-'));
  try {
    for (const [text, said] of [
      ['${TOKEN}\n', '${TOKEN}'],
      ['INFRA_API_TOKEN=hunter2hunter2\n', 'NAME=value'],
    ] as const) {
      const file = join(folder, 'token');
      await writeFile(file, text, { mode: 0o600 });
      const error = await readCredentialFile(file).catch((one: unknown) => one as Error);
      expect((error as Error).message).toContain(said);
      expect((error as Error).message).toContain(file);
      const findings = await runChecks(
        'stdio',
        {},
        { INFRA_BASE_URL: 'http://127.0.0.1:9', INFRA_API_TOKEN_FILE: file, XDG_DATA_HOME: folder },
      );
      expect(findings.find(({ state, says }) => state === 'bad' && says.includes(said))).toBeDefined();
      expect(JSON.stringify(findings)).not.toContain('hunter2');
    }
    const given = await runChecks('stdio', {}, { INFRA_BASE_URL: 'http://127.0.0.1:9', INFRA_API_TOKEN: '${TOKEN}' });
    expect(given.find(({ state, says }) => state === 'bad' && says.includes('INFRA_API_TOKEN is'))).toBeDefined();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('values without placeholders have no fault', () => {
  for (const text of real) expect([placeholderIn(text), valueFault(text)]).toEqual([undefined, undefined]);
});
