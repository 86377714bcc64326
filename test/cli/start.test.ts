import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { optionsOf } from '../../src/cli/config/index.ts';
import { runProgram, temporaryDirectory } from '../support/built-program.ts';

describe.concurrent('a start that can not be meant', () => {
  const real = { INFRA_BASE_URL: 'https://api.example.com' };

  test.for([
    ['an unknown flag', ['--read-onyl'], {}, ["unknown option '--read-onyl'", '--read-only']],
    ['a flag of another command', ['stdio', '--port', '1'], {}, ["unknown option '--port'"]],
    ['an unknown command', ['platfrom'], {}, ["unknown command 'platfrom'"]],
    ['a bad value', ['--time-scale', 'fast'], {}, ['--time-scale must be a number']],
    ['a truth value that is none', [], { INFRA_READ_ONLY: 'yes' }, ['INFRA_READ_ONLY must be true, false, 1 or 0']],
    ['a variable that is nearly one', ['tools'], { INFRA_READONLY: 'true' }, ['INFRA_READONLY', 'INFRA_READ_ONLY']],
    ['a base URL without a token', [], real, ['INFRA_BASE_URL is set without a token', 'INFRA_API_TOKEN']],
    ['a token without a base URL', [], { INFRA_API_TOKEN: 'secret-token' }, ['set without INFRA_BASE_URL']],
    [
      'both a token and a file of one',
      [],
      { ...real, INFRA_API_TOKEN: 'secret-token', INFRA_API_TOKEN_FILE: '/token' },
      ['both set'],
    ],
    ['a token file that is not there', ['--api-token-file', '/no/such/file'], real, ['/no/such/file', 'no such file']],
    [
      'plain http to another machine',
      [],
      { INFRA_BASE_URL: 'http://api.example.com', INFRA_API_TOKEN: 'secret-token' },
      ['https://'],
    ],
  ] as const)('%s', async ([, args, env, words], { expect: expected }) => {
    const { code, stdout, stderr } = await runProgram(args, env);
    for (const word of words) expected(stderr).toContain(word);
    expected(stderr).not.toContain('secret-token');
    expected({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

test('a token file that is empty aborts startup', async () => {
  const path = join(await temporaryDirectory(), 'token');
  await writeFile(path, '\n');
  const { code, stderr } = await runProgram(['--api-token-file', path], { INFRA_BASE_URL: 'https://api.example.com' });
  expect(stderr).toContain(path);
  expect(code).toBe(1);
});

test('a foreign variable of our prefix is a warning on stderr', async () => {
  const { code, stdout, stderr } = await runProgram(['tools'], { INFRA_STRUCTURE_TEAM: 'red' });
  expect(stderr).toBe('warning: INFRA_STRUCTURE_TEAM is not an option of infra-mcp and is ignored.\n');
  expect(stdout).toContain('get_organization');
  expect(code).toBe(0);
});

test('stdio ends with its client, and writes nothing to stdout that is not the protocol', async () => {
  expect(await runProgram([], { INFRA_DATA_DIR: await temporaryDirectory() })).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

/** Whether starting so loads the parser. */
const isLoaded = async (...args: string[]): Promise<boolean> => {
  const hooks = `import { registerHooks } from 'node:module'; registerHooks({ resolve: (specifier, context, next) => { if (/chunks\\/cli-/.test(specifier)) process.stderr.write('parser'); return next(specifier, context); } });`;
  const { stderr } = await runProgram(args, {
    INFRA_DATA_DIR: await temporaryDirectory(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
  });
  return stderr.includes('parser');
};

test('the parser is loaded only where there is something to parse', async () => {
  expect(await isLoaded()).toBe(false);
  expect(await isLoaded('stdio')).toBe(false);
  expect(await isLoaded('--read-only')).toBe(true);
});

describe('help', () => {
  test('names the version and every command', async () => {
    expect((await runProgram(['--version'])).stdout).toBe(`${manifest.version}\n`);
    const { stdout } = await runProgram(['--help']);
    for (const command of ['stdio', 'platform', 'token', 'tools', 'approve', 'audit'])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  test.each(['stdio', 'platform'] as const)('of %s has each of its options, with its variable', async (command) => {
    const { stdout } = await runProgram([command, '--help'], { COLUMNS: '200' });
    for (const { flag, env } of optionsOf(command)) {
      expect(stdout).toContain(env);
      if (flag) expect(stdout).toContain(flag);
    }
  });
});

describe('tools', () => {
  test('prints each with its tiers, permission and whether it is documented', async () => {
    const rows = JSON.parse((await runProgram(['tools', '--json'])).stdout) as Record<string, unknown>[];
    expect(rows).toContainEqual({
      name: 'stop_environment',
      toolset: 'environments',
      effect: 'destructive',
      tiers: ['destructive'],
      permission: 'deploy',
      documented: true,
    });
    expect(rows).toContainEqual({
      name: 'list_clusters',
      toolset: 'clusters',
      effect: 'read',
      tiers: ['read'],
      permission: 'read',
      documented: false,
    });
    const { stdout } = await runProgram(['tools']);
    expect(stdout).toMatch(/^stop_environment +environments +destructive +destructive +deploy +yes$/m);
    expect(stdout).toMatch(/^create_application +services +write +disruptive +write +yes$/m);
  });

  test('prints only those that read when nothing else is offered', async () => {
    const rows = JSON.parse((await runProgram(['tools', '--json'], { INFRA_READ_ONLY: 'true' })).stdout) as {
      effect: string;
    }[];
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ effect }) => effect !== 'read')).toEqual([]);
  });

  test('prints only those that the policy file allows', async () => {
    const policy = join(await temporaryDirectory(), 'policy.yaml');
    await writeFile(policy, 'read_only: true\n');
    const { stdout } = await runProgram(['tools', '--policy-file', policy]);
    expect(stdout).toContain('get_organization');
    expect(stdout).not.toContain('create_project');
  });
});
