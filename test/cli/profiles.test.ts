import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chosenProfile, type Config, readConfig, settingsOf } from '../../src/cli/config/index.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'infra-mcp-profiles-'));
  file = join(folder, 'profiles.yaml');
});
afterEach(() => rm(folder, { recursive: true }));

const usual = `
profiles:
  staging:
    base-url: https://staging.example.com
    api-token-file: staging.token
    toolsets: [core, alerts]
    read-only: true
    project: payments
  live:
    base-url: https://api.example.com
    api-token-variable: LIVE_TOKEN
    request-timeout: 20
  local:
    environment: shop/staging
`;

type Env = Record<string, string>;

interface How {
  readonly flags?: Record<string, string>;
  readonly command?: 'stdio' | 'tools' | 'token';
  /** Of the file. */
  readonly mode?: number;
}

/** Reads the options of a server with a file of profiles. */
async function read(
  text: string,
  env: Env,
  { flags = {}, command = 'stdio', mode = 0o600 }: How = {},
): Promise<Config> {
  await writeFile(file, text);
  await chmod(file, mode);
  const environment = { INFRA_PROFILES_FILE: file, ...env };
  return readConfig(command, flags, environment, await chosenProfile(command, flags, environment)).config;
}

describe('a profile', () => {
  test('gives options, with paths from where its file lies', async () => {
    expect(await read(usual, { INFRA_PROFILE: 'staging' })).toMatchObject({
      baseUrl: 'https://staging.example.com',
      apiTokenFile: join(folder, 'staging.token'),
      toolsets: ['core', 'alerts'],
      readOnly: true,
      project: 'payments',
    });
  });

  test('takes its token from a variable that it names', async () => {
    expect(await read(usual, { LIVE_TOKEN: 'the-live-token' }, { flags: { profile: 'live' } })).toMatchObject({
      baseUrl: 'https://api.example.com',
      apiToken: 'the-live-token',
      requestTimeout: 20,
    });
  });

  test('can be of the embedded platform', async () => {
    const config = await read(usual, { INFRA_PROFILE: 'local' });
    expect(config).toMatchObject({ environment: 'shop/staging' });
    expect(config.baseUrl).toBeUndefined();
  });

  test('leaves other options to flags and environment', async () => {
    expect(
      await read(
        usual,
        { INFRA_PROFILE: 'staging', INFRA_LOG_LEVEL: 'debug' },
        { flags: { excludeTools: 'find_resource' } },
      ),
    ).toMatchObject({ logLevel: 'debug', excludeTools: ['find_resource'] });
  });

  test('is of no matter to commands that take none, nor is what a command does not take', async () => {
    expect((await read(usual, { INFRA_PROFILE: 'nobody' }, { command: 'token' })).project).toBeUndefined();
    expect(await read(usual, { INFRA_PROFILE: 'staging' }, { command: 'tools' })).toMatchObject({
      readOnly: true,
      toolsets: ['core', 'alerts'],
    });
  });

  test('is not read where none is chosen', async () => {
    expect((await read('not: [valid', {})).project).toBeUndefined();
  });

  test('is shown where options are listed, without its token', async () => {
    await writeFile(file, usual, { mode: 0o600 });
    const env = { INFRA_PROFILES_FILE: file, INFRA_PROFILE: 'live', LIVE_TOKEN: 'the-live-token' };
    const settings = settingsOf('stdio', {}, env, await chosenProfile('stdio', {}, env));
    expect(settings.find(({ option }) => option.name === 'baseUrl')).toMatchObject({
      value: 'https://api.example.com',
      source: 'base-url in the profile live',
    });
    expect(JSON.stringify(settings)).not.toContain('the-live-token');
  });
});

describe('what aborts startup', () => {
  test.each<[string, Env, string, How?]>([
    [usual, { INFRA_PROFILE: 'stagin' }, 'There is no profile "stagin" in @file; did you mean staging?'],
    [usual, { INFRA_PROFILE: '__proto__' }, 'There is no profile "__proto__"'],
    [usual, { INFRA_PROFILE: 'live' }, 'takes its token from the environment variable LIVE_TOKEN, which is not set'],
    [
      usual,
      { INFRA_PROFILE: 'staging', INFRA_READ_ONLY: 'false' },
      'INFRA_READ_ONLY is set, and the profile staging sets read-only too. Remove one.',
    ],
    [
      usual,
      { INFRA_PROFILE: 'staging' },
      '--base-url is set, and the profile staging sets base-url too',
      { flags: { baseUrl: 'https://other.example.com' } },
    ],
    [
      usual,
      { INFRA_PROFILE: 'staging', INFRA_API_TOKEN: 'of-another-platform' },
      'INFRA_API_TOKEN is set in addition to the profile staging. The platform and its token must come from the same source',
    ],
    [
      usual,
      { INFRA_PROFILE: 'local', INFRA_BASE_URL: 'https://api.example.com', INFRA_API_TOKEN: 'x' },
      'INFRA_BASE_URL is set in addition to the profile local',
    ],
    [
      'profiles: { a: { read-onyl: true } }',
      { INFRA_PROFILE: 'a' },
      'profiles.a.read-onyl is not an option; did you mean read-only?',
    ],
    [
      'profiles: { a: {}, b: { projct: x } }',
      { INFRA_PROFILE: 'a' },
      'profiles.b.projct is not an option; did you mean project?',
    ],
    ['profiles: { a: { profile: b } }', { INFRA_PROFILE: 'a' }, 'profiles.a.profile is not an option'],
    [
      'profiles: { a: { read-only: perhaps } }',
      { INFRA_PROFILE: 'a' },
      'read-only in the profile a must be true, false, 1 or 0',
    ],
    ['profiles: { a: { base-url: https://x.example.com } }', { INFRA_PROFILE: 'a' }, 'is set without a token'],
    [
      'profiles: { a: { base-url: https://x.example.com, api-token: hidden-one } }',
      { INFRA_PROFILE: 'a' },
      'Make it private with: chmod 600',
      { mode: 0o644 },
    ],
    [
      'profiles: { a: { base-url: https://x.example.com, api-token: hidden-one, api-token-variable: X } }',
      { INFRA_PROFILE: 'a', X: 'y' },
      'sets both api-token and api-token-variable',
    ],
    ['profiles: [a]', { INFRA_PROFILE: 'a' }, '@file: profiles: '],
    ['a: "hidden-one', { INFRA_PROFILE: 'a' }, '@file is not YAML'],
    [usual, { INFRA_PROFILE: 'a b' }, 'There is no profile "a b"'],
    [usual, { INFRA_PROFILE: '' }, 'INFRA_PROFILE is empty'],
  ])('%#', async (text, env, says, how) => {
    const failing = read(text, env, how);
    await expect(failing).rejects.toThrow(says.replace('@file', file));
    await expect(failing).rejects.not.toThrow(/hidden-one|of-another-platform/);
  });

  test('there is no file', async () => {
    await expect(chosenProfile('stdio', { profile: 'a' }, { XDG_CONFIG_HOME: folder })).rejects.toThrow(
      `no profiles file at ${join(folder, 'infra-mcp', 'profiles.yaml')}`,
    );
  });

  test('a chosen profile that nobody read', () => {
    expect(() => readConfig('stdio', { profile: 'a' }, {})).toThrow('was not read');
  });
});

test('a token may stand in a file that nobody else can read', async () => {
  expect(
    await read('profiles: { a: { base-url: https://x.example.com, api-token: the-token } }', { INFRA_PROFILE: 'a' }),
  ).toMatchObject({ apiToken: 'the-token' });
});
