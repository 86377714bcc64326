import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { initCommand } from '../../src/cli/commands/init.ts';
import { type Assistant, assistants, type Machine, namesOf } from '../../src/cli/init/assistants.ts';
import { commandLine, runProgram, temporaryDirectory } from '../support/built-program.ts';
import { spawnInTest } from '../support/started-program.ts';
import { shownInTerminal } from './pseudo-terminal.ts';

const assistantNamed = (name: string): Assistant => assistants.find((one) => one.name === name)!;

/** What people have in these files, with comments where the assistant allows them. */
const contents: Readonly<Record<string, string>> = {
  'claude-desktop':
    '{\n  "mcpServers": {\n    "files": { "command": "npx", "args": ["-y", "files"], "env": { "KEY": "a-secret-of-another" } }\n  },\n  "theme": "dark"\n}\n',
  'claude-code': '{"numStartups":12,"mcpServers":{},"projects":{"/home/me/x":{"allowedTools":[]}}}',
  cursor: '{\r\n\t"mcpServers": {\r\n\t\t"one": { "url": "https://mcp.example.com/mcp" }\r\n\t}\r\n}\r\n',
  vscode:
    '{\n    // servers of mine\n    "servers": {\n        "two": { "type": "http", "url": "https://mcp.example.com/mcp" }, // the team\'s\n    },\n    "inputs": [],\n}\n',
  windsurf: '\uFEFF{ "mcpServers": { } }',
  'gemini-cli': '{\n  "theme": "GitHub"\n}',
  codex:
    '# mine\nmodel = "o4" # the good one\n\n[mcp_servers.docs] # reads\ncommand = "docs"\nargs = [\n  "--all",\n]\n\n[mcp_servers.docs.env]\nA = "1"\n\n[[profiles]]\nname = "x"',
  continue:
    'name: Mine\nversion: 1.0.0\nschema: v1\n\n# the good one\nmodels:\n- name: local   # small\n  provider: "ollama"\nmcpServers:   # of mine\n# reads\n- name: docs\n  command: docs\n- uses: team/search\n\n# the end\n',
  goose:
    "# mine\r\nGOOSE_MODEL: 'a model'\r\nextensions:\r\n    # writes code\r\n    developer: {type: builtin, enabled: true}  # on\r\n\r\n    memory:\r\n        type: builtin\r\n        env_keys: [a-secret-of-another]\r\nlast: |\r\n  # no comment\r\n",
  zed: '// Zed settings\n{\n  /* looks */ "theme": { "mode": "system" },\n}\n',
};

/** A home directory with the files of these assistants. */
async function homeWith(names: readonly string[] = assistants.map(({ name }) => name)) {
  const home = await temporaryDirectory();
  const machine: Machine = { platform: process.platform, home, env: {} };
  const pathOf = (name: string): string => assistantNamed(name).file(machine);
  for (const name of names) {
    await mkdir(dirname(pathOf(name)), { recursive: true });
    await writeFile(pathOf(name), contents[name]!);
  }
  const env = { HOME: home, XDG_CONFIG_HOME: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '', APPDATA: '' };
  return {
    home,
    pathOf,
    env: { ...env },
    read: (name: string) => readFile(pathOf(name), 'utf8'),
    init: (...args: readonly string[]) => initIn(home, args),
  };
}

/** Runs `infra-mcp init` in a home directory. */
async function initIn(home: string, args: readonly string[], more: Record<string, string> = {}) {
  const { command, cwd, env } = commandLine(['init', ...args], { HOME: home, ...more });
  const { XDG_CONFIG_HOME: _, CODEX_HOME: __, CLAUDE_CONFIG_DIR: ___, ...rest } = env;
  const { child, ended } = spawnInTest({ command, cwd, env: rest });
  child.stdin.end();
  return ended;
}

const parsers: Readonly<Record<Assistant['format'], (text: string) => unknown>> = {
  json: (text) => parseJsonc(text.replace('\uFEFF', ''), [], { allowTrailingComma: true }),
  toml: (text) => JSON.parse(JSON.stringify(parseToml(text))),
  yaml: (text) => parseYaml(text),
};
const parsed = (name: string, text: string): Record<string, unknown> =>
  parsers[assistantNamed(name).format](text) as Record<string, unknown>;
/** The servers in a file, by name. */
function serversOf(name: string, text: string): Record<string, Record<string, unknown>> {
  const servers = (parsed(name, text)[assistantNamed(name).member] ?? {}) as
    | Record<string, Record<string, unknown>>
    | Record<string, unknown>[];
  return Array.isArray(servers)
    ? Object.fromEntries(servers.map((one, index) => [`${(one['name'] as string | undefined) ?? index}`, one]))
    : servers;
}

const commentMark = (name: string): string => (assistantNamed(name).format === 'json' ? '//' : '#');
const brokenTexts: Readonly<Record<Assistant['format'], string>> = {
  json: '{\n  "a": 1,\n  "b": [}\n',
  toml: 'a = 1\nb = [\n',
  yaml: 'a: 1\nb: [\n',
};

describe.each(assistants.map(({ name }) => name))('the file of %s', (name) => {
  test('gets a server that works, keeps everything else, has a backup, and is as it was afterwards', async () => {
    const { read, init, pathOf } = await homeWith([name]);
    const before = await read(name);
    const { code, stdout, stderr } = await init('--yes', '--read-only');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(pathOf(name));
    expect(stdout).not.toContain('a-secret-of-another');

    const text = await read(name);
    const { infra, ...others } = serversOf(name, text);
    const { command, env } = namesOf(assistantNamed(name));
    expect(infra).toMatchObject({
      args: [expect.stringMatching(/^\/.*infra-mcp\.mjs$/)],
      [env]: { INFRA_READ_ONLY: 'true' },
      ...assistantNamed(name).extra,
      ...assistantNamed(name).initial,
    });
    expect(Object.values(others)).toEqual(Object.values(serversOf(name, before)));
    // Every line of before is still there, and so every comment.
    for (const line of before.split(/\r?\n/)) for (const part of line.split(/[{}]/)) expect(text).toContain(part);
    expect(await readFile(`${pathOf(name)}.before-infra-mcp`, 'utf8')).toBe(before);
    const listed = spawnSync(infra![command] as string, [...(infra!['args'] as string[]), '--version'], {
      encoding: 'utf8',
      env: { PATH: '' },
    });
    expect(listed.stdout).toMatch(/^\d+\.\d+\.\d+/);

    expect((await init('--yes', '--read-only')).stdout).toContain('has it already');
    expect(await read(name)).toBe(text);
    expect((await init('--yes', '--remove')).code).toBe(0);
    expect(await read(name)).toBe(before);
    expect((await readdir(dirname(pathOf(name)))).filter((file) => file.includes('infra-mcp'))).toEqual([]);
  });

  test.skipIf(assistantNamed(name).needsFile)(
    'is created where only the folder is there, for its owner alone, and removed again',
    async () => {
      const { read, init, pathOf, home } = await homeWith([]);
      await mkdir(name === 'claude-code' ? join(home, '.claude') : dirname(pathOf(name)), { recursive: true });
      await init('--yes');
      expect(Object.keys(serversOf(name, await read(name)))).toEqual(['infra']);
      expect((await stat(pathOf(name))).mode & 0o777).toBe(0o600);
      await init('--yes', '--remove');
      await expect(read(name)).rejects.toThrow('ENOENT');
    },
  );

  test('that was changed since loses only the entry', async () => {
    const { read, init, pathOf } = await homeWith([name]);
    await init('--yes');
    const marked = (await read(name)).replace(/^(\uFEFF?)/, `$1${commentMark(name)} changed since\n`);
    await writeFile(pathOf(name), marked);
    const { code } = await init('--yes', '--remove');
    expect(code).toBe(0);
    const text = await read(name);
    expect(text).toContain('changed since');
    const before = parsed(name, contents[name]!);
    expect(serversOf(name, text)).toEqual(serversOf(name, contents[name]!));
    const { [assistantNamed(name).member]: _, ...rest } = parsed(name, text);
    const { [assistantNamed(name).member]: __, ...restBefore } = before;
    expect(rest).toEqual(restBefore);
  });

  test('that can not be read is left as it is, with a reason', async () => {
    const { read, init, pathOf } = await homeWith([]);
    await mkdir(dirname(pathOf(name)), { recursive: true });
    const broken = brokenTexts[assistantNamed(name).format];
    await writeFile(pathOf(name), broken);
    const { code, stdout } = await init('--yes');
    expect(code).toBe(1);
    expect(stdout).toMatch(/left as it is: line \d+ is not valid (JSON|TOML|YAML)/);
    expect(await read(name)).toBe(broken);
    expect(await readdir(dirname(pathOf(name)))).not.toContainEqual(expect.stringContaining('infra-mcp'));
  });
});

describe('infra-mcp init', () => {
  test('writes nothing with --dry-run, and nothing where nobody can be asked', async () => {
    const { init, read } = await homeWith();
    const dry = await init('--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain('Nothing was written: --dry-run.');
    const unasked = await init();
    expect(unasked.code).toBe(1);
    expect(unasked.stderr).toMatch(
      /^infra-mcp: Nothing was written, because nobody can be asked here\. Add --yes .*\n$/,
    );
    for (const { name } of assistants) {
      expect(await read(name)).toBe(contents[name]);
    }
  });

  test('tells for those it does not find what to put where', async () => {
    const { init, pathOf } = await homeWith(['cursor']);
    const { code, stdout } = await init('--dry-run', '--verbose');
    expect(code).toBe(0);
    const [, notFound = ''] = stdout.split('Not found on this machine');
    for (const { name, title } of assistants.filter((one) => one.name !== 'cursor')) {
      expect(notFound).toContain(`${title}  ${pathOf(name)}`);
    }
    expect(notFound).not.toContain('Cursor');
    expect(notFound).toMatch(/^ {2}claude mcp add infra -- .*infra-mcp\.mjs$/m);
  });

  test('changes only the assistant that is named, also where it is not found', async () => {
    const { init, read } = await homeWith(['cursor']);
    expect((await init('--yes', '--assistant', 'windsurf')).code).toBe(0);
    expect(await read('cursor')).toBe(contents['cursor']);
    expect(Object.keys(serversOf('windsurf', await read('windsurf')))).toEqual(['infra']);
  });

  test.each([
    ['the option repeated', ['--assistant', 'cursor', '--assistant', 'codex']],
    ['their names with a comma', ['--assistant', 'cursor, codex']],
  ])('changes several assistants, and no others: %s', async (_, args) => {
    const { init, read } = await homeWith(['cursor', 'codex', 'zed']);
    expect((await init('--yes', ...args)).code).toBe(0);
    for (const name of ['cursor', 'codex']) expect(serversOf(name, await read(name))).toHaveProperty('infra');
    expect(await read('zed')).toBe(contents['zed']);
  });

  test('gives the server the options it was given, with absolute paths, and brings an entry up to date without losing what is in it', async () => {
    const { init, read, pathOf, home } = await homeWith(['vscode']);
    await writeFile(join(home, 'token'), 'the-secret-token');
    await init('--yes', '--base-url', 'https://api.example.com', '--api-token-file', '~/token');
    const text = await read('vscode');
    expect(serversOf('vscode', text)['infra']).toMatchObject({
      env: { INFRA_BASE_URL: 'https://api.example.com', INFRA_API_TOKEN_FILE: join(home, 'token') },
    });
    await writeFile(
      pathOf('vscode'),
      text.replace('"env": {', '"disabled": true, // for now\n"env": {\n"INFRA_POLICY_FILE": "/etc/a-value-of-mine",'),
    );
    const { stdout } = await init('--yes', '--base-url', 'https://other.example.com', '--api-token-file', '~/token');
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /brings the entry up to date, from line \d+ of \S+; (?:\w+, )*INFRA_POLICY_FILE(?:, \w+)* stays? in it/,
    );
    expect(stdout).not.toContain('a-value-of-mine');
    const again = await init('--yes', '--base-url', 'https://other.example.com', '--api-token-file', '~/token');
    expect(again.stdout.replaceAll(/\s+/g, ' ')).toMatch(/has it already, in \S+; .*\bINFRA_POLICY_FILE\b.* in it/);
    const after = await read('vscode');
    expect(after).toContain('// for now');
    expect(serversOf('vscode', after)['infra']).toMatchObject({
      disabled: true,
      env: { INFRA_POLICY_FILE: '/etc/a-value-of-mine', INFRA_BASE_URL: 'https://other.example.com' },
    });
    expect(after).not.toContain('the-secret-token');
    expect(await readFile(`${pathOf('vscode')}.before-infra-mcp`, 'utf8')).toBe(contents['vscode']);
  });

  test.each([
    [
      { INFRA_BASE_URL: 'https://api.example.com', INFRA_API_TOKEN: 'a-secret-token' },
      /INFRA_API_TOKEN is secret.*--api-token-file/,
    ],
    [
      { INFRA_BASE_URL: 'https://me:a-secret-token@api.example.com', INFRA_API_TOKEN_FILE: '/token' },
      /INFRA_BASE_URL is secret(?!.*-file\b).*into a profile \(.*profiles\.md\)/,
    ],
    [
      { INFRA_AUDIT_COMMAND: '["send","a-secret-token"]' },
      /INFRA_AUDIT_COMMAND is secret(?!.*-file\b).*into a profile/,
    ],
    [
      {
        INFRA_APPROVALS_WEBHOOK_URL: 'https://hooks.example.com/a-secret-token',
        INFRA_APPROVALS_WEBHOOK_SECRET_FILE: '/secret',
      },
      /INFRA_APPROVALS_WEBHOOK_URL is secret(?!.*-file\b).*into a profile/,
    ],
    [
      {
        INFRA_APPROVALS_WEBHOOK_URL: 'https://hooks.example.com/a-secret-token',
        INFRA_APPROVALS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 'x').toString('base64')}`,
      },
      /INFRA_APPROVALS_WEBHOOK_SECRET is secret.*in a file: --approvals-webhook-secret-file\./,
    ],
    [{ INFRA_BASE_URL: 'https://api.example.com' }, /set without a token/],
  ])('writes no secret, and nothing that could not work: %j', async (variables, says) => {
    const { home, read } = await homeWith(['cursor']);
    const { code, stdout, stderr } = await initIn(home, ['--yes'], variables);
    expect(code).toBe(1);
    expect(stderr).toMatch(says);
    expect(stdout + stderr).not.toContain('a-secret-token');
    expect(await read('cursor')).toBe(contents['cursor']);
  });

  test.each([
    ['cursor', '{ "mcpServers": { "infra": { "command": "another-tool" } } }'],
    ['codex', '[mcp_servers.infra]\ncommand = "another-tool"\n'],
    ['continue', 'mcpServers:\n  - name: infra\n    command: another-tool\n'],
    ['goose', 'extensions:\n  infra:\n    cmd: another-tool\n'],
  ])('leaves a server of that name alone that is not infra-mcp: %s', async (name, text) => {
    const { init, read, pathOf } = await homeWith([name]);
    await writeFile(pathOf(name), text);
    for (const args of [['--yes'], ['--yes', '--remove']]) {
      const { code, stdout } = await init(...args);
      expect(code).toBe(1);
      expect(stdout).toContain('"infra" that isn\'t infra-mcp');
    }
    expect(await read(name)).toBe(text);
  });

  test.each([
    ['cursor', '{ "mcpServers": [] }', 'mcpServers is not an object'],
    ['cursor', '{ "mcpServers": { "a": {} }, "mcpServers": {} }', "can't be changed"],
    ['cursor', '[]', 'not a JSON object'],
    ['codex', 'mcp_servers = { a = { command = "x" } }\n', "can't be changed"],
    ['goose', 'extensions: { a: { cmd: x } }\n', "can't be changed"],
    ['goose', '{ extensions: { a: { cmd: x } } }\n', "can't be changed"],
    ['goose', 'extensions: []\n', 'extensions is not an object'],
    ['goose', '- a\n', 'not a mapping'],
    ['goose', 'extensions: *missing\n', 'not valid YAML'],
    ['goose', 'a: 1\n---\nb: 2\n', 'several documents'],
    ['goose', 'a: 1\n...\n', "can't be changed"],
    ['continue', 'mcpServers: { a: { command: x } }\n', 'mcpServers is not a list'],
    ['continue', 'mcpServers:\n  - name: a\n  - name: a\n', 'name twice'],
  ])('leaves alone what it can not change safely: %s %s', async (name, text, says) => {
    const { init, read, pathOf } = await homeWith([name]);
    await writeFile(pathOf(name), text);
    const { code, stdout } = await init('--yes');
    expect(code).toBe(1);
    expect(stdout).toContain(says);
    expect(await read(name)).toBe(text);
  });

  test.each([
    [
      'cursor',
      '// my servers, do not lose this\n{\n  "mcpServers": {\n    // the team uses it\n    "infra": { "command": "npx", "args": ["-y", "infra-mcp"] }\n  }\n}\n',
      ['// my servers, do not lose this', '// the team uses it'],
    ],
    [
      'codex',
      '# my servers, do not lose this\n[mcp_servers.infra]\ncommand = "npx"\nargs = ["-y", "infra-mcp"]\n',
      ['# my servers, do not lose this'],
    ],
    [
      'goose',
      '# my servers, do not lose this\nextensions: # all\n  # the team uses it\n  infra:\n    cmd: npx\n    args: [-y, infra-mcp]\n',
      ['# my servers, do not lose this', '# all', '# the team uses it'],
    ],
    [
      'continue',
      '# my servers, do not lose this\nmcpServers: # all\n- name: infra\n  command: npx\n  args: ["-y", infra-mcp]\n',
      ['# my servers, do not lose this', '# all'],
    ],
  ])(
    'removes from a file written by hand nothing but the entry, and keeps a backup: %s',
    async (name, text, comments) => {
      const { init, read, pathOf } = await homeWith([name]);
      await writeFile(pathOf(name), text);
      const { code, stdout } = await init('--yes', '--remove', '--verbose');
      expect(code).toBe(0);
      expect(stdout).toContain('removes the entry at line');
      expect(stdout).toContain('  - npx -y infra-mcp\n');
      expect(stdout).toContain(`The file as it was: ${pathOf(name)}.before-infra-mcp`);
      const after = await read(name);
      for (const comment of comments) expect(after).toContain(comment);
      expect(serversOf(name, after) ?? {}).toEqual({});
      expect(await readFile(`${pathOf(name)}.before-infra-mcp`, 'utf8')).toBe(text);
    },
  );

  test('shows the command line that it replaces, without its secrets', async () => {
    const { init, pathOf } = await homeWith(['cursor']);
    await writeFile(
      pathOf('cursor'),
      '{ "mcpServers": { "infra": { "command": "docker", "args": ["run", "-i", "-e", "INFRA_API_TOKEN=a-secret-token", "ghcr.io/infra-mcp/infra-mcp:0.0.9"] } } }',
    );
    const { stdout } = await init('--dry-run', '--verbose');
    expect(stdout).toMatch(/^ {2}- docker run -i -e .* ghcr\.io\/infra-mcp\/infra-mcp:0\.0\.9$/m);
    expect(stdout).not.toContain('a-secret-token');
  });

  test('brings an entry in YAML up to date, and keeps what the user set', async () => {
    const { init, read, pathOf } = await homeWith(['goose']);
    await init('--yes', '--read-only');
    const text = await read('goose');
    await writeFile(
      pathOf('goose'),
      text
        .replace('enabled: true\r\n      timeout: 60', 'enabled: false # for now\r\n      timeout: 300')
        .replace('envs:', 'envs:\r\n        INFRA_LOG_LEVEL: a-value-of-mine'),
    );
    expect(serversOf('goose', await read('goose'))['infra']).toMatchObject({ enabled: false, timeout: 300 });
    expect((await init('--yes', '--read-only')).stdout).toContain('has it already');
    const { stdout } = await init('--yes', '--toolsets', 'services');
    expect(stdout).toContain('brings the entry up to date');
    expect(stdout).not.toContain('a-value-of-mine');
    const after = await read('goose');
    expect(serversOf('goose', after)['infra']).toMatchObject({
      enabled: false,
      timeout: 300,
      envs: { INFRA_LOG_LEVEL: 'a-value-of-mine', INFRA_TOOLSETS: 'services' },
    });
    for (const comment of ['# mine', '# writes code', '# on', '# no comment']) expect(after).toContain(comment);
    expect(await readFile(`${pathOf('goose')}.before-infra-mcp`, 'utf8')).toBe(contents['goose']);
  });

  test('makes no file for an assistant whose own would not be read any more', async () => {
    const { init, read, pathOf } = await homeWith([]);
    await mkdir(dirname(pathOf('continue')), { recursive: true });
    expect(await init('--dry-run', '--verbose')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        `Continue  ${pathOf('continue')}\n      mcpServers:\n        - name: infra\n`,
      ) as string,
    });
    expect(await init('--yes', '--assistant', 'continue')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('left as it is: there is no such file yet') as string,
    });
    await expect(read('continue')).rejects.toThrow('ENOENT');
  });

  test('follows links and keeps permissions', async () => {
    const { init, home, pathOf } = await homeWith(['cursor']);
    const real = join(home, 'dotfiles.json');
    await writeFile(real, contents['cursor']!);
    await chmod(real, 0o640);
    await rm(pathOf('cursor'));
    await symlink(real, pathOf('cursor'));
    await init('--yes');
    expect(await readlink(pathOf('cursor'))).toBe(real);
    expect(Object.keys(serversOf('cursor', await readFile(real, 'utf8')))).toContain('infra');
    expect((await stat(real)).mode & 0o777).toBe(0o640);
    expect((await stat(`${real}.before-infra-mcp`)).mode & 0o777).toBe(0o640);
    await init('--yes', '--remove');
    expect(await readFile(real, 'utf8')).toBe(contents['cursor']);
  });

  test('goes on with the others where a file can not be written', async () => {
    const { init, read, pathOf } = await homeWith(['cursor', 'gemini-cli']);
    // Nothing can take the place of a directory.
    await mkdir(join(`${pathOf('cursor')}.before-infra-mcp`, 'x'), { recursive: true });
    const { code, stdout } = await init('--yes');
    expect(code).toBe(1);
    expect(stdout).toMatch(/Cursor: not written: \S*mcp\.json\S* .*can't be used: /);
    expect(await read('cursor')).toBe(contents['cursor']);
    expect(Object.keys(serversOf('gemini-cli', await read('gemini-cli')))).toContain('infra');
    expect((await readdir(dirname(pathOf('cursor')))).toSorted()).toEqual(['mcp.json', 'mcp.json.before-infra-mcp']);
  });

  test('says that there is nothing to remove', async () => {
    const { init } = await homeWith([]);
    expect(await init('--remove')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('No assistant') as string,
    });
  });

  test('says a line for each assistant, and only with --verbose what is written', async () => {
    const { init, pathOf } = await homeWith(['cursor', 'zed']);
    const { stdout } = await init('--dry-run', '--read-only');
    expect(stdout).toMatch(
      /^Assistants will start this, with these variables:\n {6}\/.*infra-mcp\.mjs\n {6}INFRA_READ_ONLY=true\n\n/,
    );
    expect(stdout).toContain(`\nCursor: adds it at line 3 of ${pathOf('cursor')}\nZed: adds it at line `);
    expect(stdout).toContain('\nNot found on this machine: Claude Desktop, ');
    expect(stdout.split('\n').length).toBeLessThan(16);
    expect(stdout).not.toContain('"infra"');
    expect((await init('--dry-run', '--verbose')).stdout).toContain('"infra"');
  });

  test('warns of what would keep the server from starting, and says what to ask once it is written', async () => {
    const { init, home } = await homeWith(['cursor']);
    const platform = ['--base-url', 'https://api.example.com', '--api-token-file', join(home, 'missing')];
    const { code, stdout, stderr } = await init('--yes', ...platform);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: The server can't start with this: The API token can't be read from ${join(home, 'missing')} (ENOENT: there is no such file).\n`,
    });
    expect(stdout).toMatch(/Then ask one: "What do we have, and is anything broken\?"\n$/);
    // What was warned of before the plan is out of sight after it.
    expect(stdout).toContain("Still to do: The server can't start with this: The API token can't be read");
  });

  test.each([
    ['data directory', '--data-dir'],
    ['keys directory', '--keys-dir'],
    ['audit log', '--audit-file'],
  ])('warns of a %s in which nothing can be written', async (what, option) => {
    const { init } = await homeWith(['cursor']);
    const { stderr } = await init('--dry-run', option, '/proc/x/y');
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`warning: The ${what} /proc/x/y can't be used (ENOENT: `);
  });

  test('says nothing of a restart if nothing was written', async () => {
    const { init, pathOf } = await homeWith(['cursor']);
    await mkdir(join(`${pathOf('cursor')}.before-infra-mcp`, 'x'), { recursive: true });
    const { code, stdout } = await init('--yes');
    expect(code).toBe(1);
    expect(stdout).not.toContain('Restart');
  });

  test.skipIf(process.platform === 'win32')('warns of a token that others can read', async () => {
    const { init, home } = await homeWith(['cursor']);
    const file = join(home, 'token');
    const platform = ['--base-url', 'https://api.example.com', '--api-token-file', file];
    await writeFile(file, 'a-token', { mode: 0o644 });
    const { stderr } = await init('--dry-run', ...platform);
    expect(stderr).toContain(`chmod 600 ${file}`);
    await chmod(file, 0o600);
    expect((await init('--dry-run', ...platform)).stderr).toBe('');
  });

  test('explains an exit code of 1', async () => {
    const { init, pathOf } = await homeWith(['cursor', 'zed']);
    await writeFile(pathOf('cursor'), '[]');
    expect(await init('--yes')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /\nThe exit code is 1, because this file was left as before: Cursor\.\n$/,
      ) as string,
    });
  });

  test('completes and refuses names of assistants', async () => {
    for (const names of ['emacs', 'cursor,emacs']) {
      const { code, stderr } = await runProgram(['init', '--assistant', names]);
      expect(code).toBe(1);
      expect(stderr).toContain('cursor');
    }
  });
});

/** Runs `infra-mcp init` in a pseudo-terminal, and types when it asks. */
async function typeInTerminal(home: string, args: readonly string[], answer: string) {
  const { command, cwd, env } = commandLine(['init', ...args], { HOME: home, TERM: 'xterm', SHELL: '/bin/sh' });
  const child = spawn('script', ['-qec', command.map((word) => `'${word}'`).join(' '), '/dev/null'], { cwd, env });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const wasAsked = shown.includes('Type y: ');
    shown += text;
    if (!wasAsked && shown.includes('Type y: ')) child.stdin.write(answer);
  });
  const [code] = (await once(child, 'close')) as [number];
  return { code, shown };
}

/** Lines that are there to be copied or compared: of configurations, and commands. */
const isCopied = (line: string): boolean => /^(?: {2}[+-] | {6})/.test(line) || /^ {2}\S+ mcp add infra /.test(line);

describe('in a terminal', () => {
  test.each([
    [50, []],
    [80, ['--verbose']],
  ])('text fits into %i columns, and what may be copied stays as it is', async (width, more) => {
    const { home, env, init } = await homeWith(['cursor', 'zed']);
    await writeFile(join(home, '.cursor', 'mcp.json'), '{ "mcpServers": { "infra": { "command": "another-tool" } } }');
    const { lines } = await shownInTerminal(['init', '--dry-run', ...more], { ...env, NO_COLOR: '1' }, width);
    const whole = (await init('--dry-run', ...more)).stdout.split('\n');
    expect(lines.filter((line) => line.length > width && line.trim().includes(' ') && !isCopied(line))).toEqual([]);
    expect(lines.filter((line) => isCopied(line))).toEqual(whole.filter((line) => isCopied(line)));
    // Nothing is lost or added.
    expect(lines.join(' ').split(/\s+/).filter(Boolean)).toEqual(whole.join(' ').split(/\s+/).filter(Boolean));
  });

  test('some of several are chosen by their names', async () => {
    const home = await homeWith(['cursor', 'zed', 'gemini-cli']);
    const answers = ['cursor, emacs', 'Zed gemini-cli'];
    const questions: string[] = [];
    vi.stubEnv('HOME', home.home);
    vi.stubEnv('XDG_CONFIG_HOME', join(home.home, '.config'));
    vi.stubEnv('CLAUDE_CONFIG_DIR', undefined);
    vi.stubEnv('CODEX_HOME', undefined);
    const [, script] = process.argv;
    process.argv[1] = join(inject('programDirectory'), 'infra-mcp.mjs');
    onTestFinished(() => {
      vi.unstubAllEnvs();
      process.argv[1] = script!;
    });
    let seen = '';
    await initCommand(
      {},
      {},
      {
        isInteractive: true,
        write: (text) => void (seen += text),
        ask: async (question) => {
          questions.push(question);
          return answers.shift()!;
        },
        askHidden: async () => '',
      },
    );
    expect(seen).toContain('Change these 3 files? Type y for all, or the names of some: cursor, gemini-cli, zed.\n');
    expect(questions).toEqual(['Which? ', 'Which? ']);
    expect(seen).toContain('Type y, or names of these');
    expect(await home.read('cursor')).toBe(contents['cursor']);
    for (const name of ['zed', 'gemini-cli'])
      expect(Object.keys(serversOf(name, await home.read(name)))).toContain('infra');
  });

  test.each([
    ['n\r', 0, 'Nothing was written.'],
    ['\r', 0, 'Nothing was written.'],
    ['\u0003', 1, 'nothing was done'],
    ['y\r', 0, 'Cursor: written.'],
  ])('the answer %j decides', async (answer, code, says) => {
    const { home, read } = await homeWith(['cursor']);
    const ended = await typeInTerminal(home, ['--assistant', 'cursor'], answer);
    expect(ended.shown).toContain('Change this file? Type y: ');
    expect(ended.shown).toContain(says);
    expect(ended.code).toBe(code);
    expect(Object.keys(serversOf('cursor', await read('cursor'))).includes('infra')).toBe(answer === 'y\r');
  });
});
