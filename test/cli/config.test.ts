import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { ConfigError, optionHelp, optionsOf, readConfig } from '../../src/cli/config/index.ts';

const real = { INFRA_BASE_URL: 'https://api.example.com', INFRA_API_TOKEN: 'super-secret' };
const read = (env: NodeJS.ProcessEnv, flags = {}) => readConfig('stdio', flags, env);
/** What is said against a configuration. */
const faults = (env: NodeJS.ProcessEnv, flags = {}, command: 'stdio' | 'platform' | 'token' = 'stdio'): string => {
  try {
    readConfig(command, flags, env);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
};

const engine = (env: NodeJS.ProcessEnv, flags = {}): string => readConfig('doctor platform', flags, env).config.engine;

describe('a value', () => {
  test('comes from the flag, else the environment, else the default', () => {
    expect(read({}).config.timeScale).toBe(1);
    expect(read({ INFRA_TIME_SCALE: '0.5' }).config.timeScale).toBe(0.5);
    expect(read({ INFRA_TIME_SCALE: '0.5' }, { timeScale: '0' }).config.timeScale).toBe(0);
  });

  test('of the engine also comes from DOCKER_HOST, where nothing of our own sets it', () => {
    expect(engine({ DOCKER_HOST: 'tcp://127.0.0.1:2375' })).toBe('tcp://127.0.0.1:2375');
    expect(engine({ DOCKER_HOST: '' })).toBe('unix:///var/run/docker.sock');
    expect(engine({ DOCKER_HOST: 'tcp://127.0.0.1:2375', INFRA_ENGINE: 'unix:///ours.sock' })).toBe(
      'unix:///ours.sock',
    );
    expect(engine({ DOCKER_HOST: 'tcp://127.0.0.1:2375' }, { engine: 'unix:///given.sock' })).toBe(
      'unix:///given.sock',
    );
    expect(faults({ DOCKER_HOST: 'tcp://127.0.0.1:2375', INFRA_ENGINE: '' }, {}, 'platform')).toContain(
      'INFRA_ENGINE is empty',
    );
  });

  test.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('%s is %s', (text, value) => {
    expect(read({ INFRA_READ_ONLY: text }).config.readOnly).toBe(value);
  });

  test.each([
    ['INFRA_READ_ONLY', ['yes', 'TRUE', 'on', ' 1']],
    ['INFRA_TIME_SCALE', ['-1', 'fast', '1e9', '1001', '0x1']],
    ['INFRA_RATE_LIMIT', ['0', '1.5', '-3', 'many']],
    ['INFRA_REQUEST_TIMEOUT', ['0', '51', '30s']],
    ['INFRA_LOG_LEVEL', ['verbose', 'WARN']],
    ['INFRA_BASE_URL', ['api.example.com', 'ftp://example.com', 'https://']],
  ])('an invalid value of %s aborts startup and names the option', (env, values) => {
    for (const value of values)
      expect(faults({ INFRA_API_TOKEN: 'super-secret', [env]: value }), value).toMatch(new RegExp(`^${env} must be `));
  });

  test('that is wrong is named as it was given', () => {
    expect(faults({ INFRA_PLATFORM_PORT: '99999' }, {}, 'platform')).toMatch(/^INFRA_PLATFORM_PORT must be/);
    expect(faults({ INFRA_PLATFORM_PORT: '99999' }, { port: 'http' }, 'platform')).toMatch(/^--port must be/);
  });

  test.each(optionHelp.map(({ env, commands }): [string, (typeof commands)[number]] => [env, commands[0]!]))(
    'of %s may not be empty',
    (env, command) => {
      expect(() => readConfig(command, {}, { [env]: '' })).toThrow(`${env} is empty`);
      expect(() => readConfig(command, {}, { [env]: '  ' })).toThrow(`${env} is empty`);
    },
  );

  test('of an option that the command does not take is left alone', () => {
    expect(faults({ INFRA_API_TOKEN: 'super-secret', INFRA_READ_ONLY: 'perhaps' }, {}, 'token')).toBe('');
  });

  test('that is wrong is reported together with all others', () => {
    expect(faults({ INFRA_TIME_SCALE: 'x', INFRA_READ_ONLY: 'x', INFRA_READONLY: 'x' }).split('\n')).toHaveLength(3);
  });

  test('that is secret is never repeated', () => {
    const secret = 'se cret\u0000';
    expect(faults({ INFRA_PLATFORM_TOKEN: secret }, {}, 'platform')).toContain('INFRA_PLATFORM_TOKEN must be');
    expect(faults({ INFRA_PLATFORM_TOKEN: secret }, {}, 'platform')).not.toContain('se cret');
    expect(faults({ INFRA_BASE_URL: 'ftp://user:se cret@x' })).not.toContain('se cret');
    expect(faults({ ...real, INFRA_API_TOKEN_FILE: '/token' })).not.toContain('super-secret');
  });
});

describe('the data directory', () => {
  test.each([
    [{}, `${homedir()}/.local/share/infra-mcp`],
    [{ XDG_DATA_HOME: '/data' }, '/data/infra-mcp'],
    [{ XDG_DATA_HOME: 'relative' }, `${homedir()}/.local/share/infra-mcp`],
    [{ XDG_DATA_HOME: '/data', INFRA_DATA_DIR: '/mine' }, '/mine'],
    [{ INFRA_DATA_DIR: '~/infra' }, `${homedir()}/infra`],
    [{ INFRA_DATA_DIR: 'infra' }, `${process.cwd()}/infra`],
  ])('with %o is %s', (env, directory) => {
    expect(read(env).config.dataDir).toBe(directory);
  });
});

describe('options that contradict each other abort startup', () => {
  test.each([
    [{ ...real, INFRA_API_TOKEN_FILE: '/token' }, 'INFRA_API_TOKEN and INFRA_API_TOKEN_FILE are both set'],
    [{ INFRA_BASE_URL: real.INFRA_BASE_URL }, 'INFRA_BASE_URL is set without a token'],
    [{ INFRA_API_TOKEN: 'super-secret' }, 'set without INFRA_BASE_URL'],
    [{ INFRA_API_TOKEN_FILE: '/token' }, 'set without INFRA_BASE_URL'],
  ])('%o', (env, words) => {
    expect(faults(env)).toContain(words);
  });

  test('two tokens for the platform', () => {
    expect(faults({ INFRA_PLATFORM_TOKEN_FILE: '/token' }, { token: 'a' }, 'platform')).toContain(
      '--token and --token-file are both set',
    );
  });

  test('and those that agree do not', () => {
    expect(read(real).config).toMatchObject({ baseUrl: 'https://api.example.com', apiToken: 'super-secret' });
    expect(read({ ...real, INFRA_ORGANIZATION: ' Acme Ltd ' }).config.organization).toBe('Acme Ltd');
    expect(read({}).config.baseUrl).toBeUndefined();
  });
});

describe('a variable of our prefix that is no option', () => {
  test.each([
    ['INFRA_READONLY', 'INFRA_READ_ONLY'],
    ['INFRA_READ_ONYL', 'INFRA_READ_ONLY'],
    ['infra_base_url', 'INFRA_BASE_URL'],
    ['INFRA_BASEURL', 'INFRA_BASE_URL'],
    ['INFRA_API_TOKENS', 'INFRA_API_TOKEN'],
    ['INFRA_DATADIR', 'INFRA_DATA_DIR'],
  ])('%s aborts startup and names %s', (wrong, right) => {
    for (const command of ['stdio', 'platform', 'token'] as const)
      expect(faults({ [wrong]: 'x' }, {}, command)).toBe(
        `${wrong} is not an option of infra-mcp. Did you mean ${right}? Rename or unset it.`,
      );
  });

  test('of the database is not used over stdio, which is said with what to do', () => {
    const [database, warning] = [
      { INFRA_DATABASE_URL: 'postgres://infra:a-secret@localhost/records' },
      expect.stringMatching(/doesn't use the database.*INFRA_BASE_URL/),
    ];
    expect(read(database).warnings).toEqual([warning]);
    expect(read(database).config.databaseUrl).toBeUndefined();
    expect(JSON.stringify(read(database))).not.toContain('a-secret');
    expect(read({ ...database, ...real }).warnings).toEqual([]);
    expect(readConfig('http', {}, database).warnings).toEqual([]);
  });

  test('is only warned of when it is like none', () => {
    expect(read({ INFRA_STRUCTURE_TEAM: 'x', OTHER: 'x' }).warnings).toEqual([
      'INFRA_STRUCTURE_TEAM is not an option of infra-mcp and is ignored.',
    ]);
  });
});

describe('every option', () => {
  test.each(optionHelp.map((option): [string, typeof option] => [option.env, option]))(
    '%s has a name of its own, and words',
    (env, { flag, description, commands, environmentOnly }) => {
      expect(env).toMatch(/^INFRA_[A-Z_]+$/);
      expect(optionHelp.filter((other) => other.env === env)).toHaveLength(1);
      expect(flag === undefined).toBe(environmentOnly === true);
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(commands.every((command) => optionsOf(command).some((option) => option.env === env))).toBe(true);
    },
  );
});
