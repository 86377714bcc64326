import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { optionsOf } from '../../src/cli/config/index.ts';
import { unitText } from '../../src/cli/systemd/unit-text.ts';
import { commandLine, runProgram, startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';

const run = promisify(execFile);
const shipped = join(import.meta.dirname, '../../deploy/systemd/infra-mcp-platform.service');

/** The values of a unit's lines of a name. */
const valuesOf = (unit: string, name: string): string[] =>
  unit.split('\n').flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));

/** The variables that a unit sets. */
const environmentOf = (unit: string): Record<string, string> =>
  Object.fromEntries(valuesOf(unit, 'Environment').map((value) => /^"(\w+)=(.*)"$/.exec(value)!.slice(1)));

/** What systemd says against a unit. Its program has to be there. */
async function faultsOf(unit: string): Promise<string> {
  const folder = await temporaryDirectory();
  const path = join(folder, 'infra-mcp-platform.service');
  await writeFile(path, unit);
  const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', path]);
  return stdout + stderr;
}

const printUnit = async (args: readonly string[], env?: Record<string, string>): Promise<string> => {
  const { code, stdout, stderr } = await runProgram(['platform', '--print-unit', ...args], env);
  // The program of the tests itself is in a folder for temporary files.
  expect({ code, warnings: stderr.split('warning:').length - 1 }).toEqual({ code: 0, warnings: 1 });
  expect(stderr).toContain(commandLine([]).command[1]);
  return stdout;
};

describe('a printed unit', () => {
  test('is one that systemd accepts, and starts this program with the options that were given', async () => {
    const folder = '/srv/not-there';
    const [dataDir, faults] = [join(folder, 'a %h $HOME "quoted" folder'), join(folder, 'faults.yaml')];
    const unit = await printUnit(['--data-dir', dataDir, '--runtime', 'docker', '--faults', faults], {
      INFRA_RATE_LIMIT: '77',
    });
    expect(await faultsOf(unit)).toBe('');
    expect(environmentOf(unit)).toEqual({
      INFRA_DATA_DIR: dataDir.replace('%', '%%').replaceAll('"', String.raw`\"`),
      INFRA_PLATFORM_PORT: '8090',
      INFRA_PLATFORM_TOKEN_FILE: expect.stringMatching(/admin\.token$/) as string,
      INFRA_RUNTIME: 'docker',
      INFRA_FAULTS_FILE: faults,
      INFRA_RATE_LIMIT: '77',
      XDG_CACHE_HOME: '/var/cache/infra-mcp',
    });
    const [node, program] = commandLine([]).command;
    expect(valuesOf(unit, 'ExecStart')).toEqual([`"${node}" "${program}" "platform"`]);
    expect(valuesOf(unit, 'SupplementaryGroups')).toEqual(['docker']);
    expect(valuesOf(unit, 'StateDirectory')).toEqual([]);
    expect(existsSync(dataDir)).toBe(false);
  });

  test('has a place of its own, a port that stays and a file for the token, if nothing else is said', async () => {
    const unit = await printUnit([]);
    expect(await faultsOf(unit)).toBe('');
    expect(environmentOf(unit)).toMatchObject({
      INFRA_DATA_DIR: '/var/lib/infra-mcp',
      INFRA_PLATFORM_TOKEN_FILE: '/var/lib/infra-mcp/admin.token',
    });
    expect(valuesOf(unit, 'StateDirectory')).toEqual(['infra-mcp']);
    expect(valuesOf(unit, 'ReadWritePaths')).toEqual([]);
    expect(valuesOf(unit, 'SupplementaryGroups')).toEqual([]);
  });

  test.each([
    [['--port', '80'], 'CAP_NET_BIND_SERVICE'],
    [['--metrics-port', '1023'], 'CAP_NET_BIND_SERVICE'],
    [['--port', '1024'], ''],
  ])('lets the platform listen where only root may, and has no other privilege: %j', async (args, capability) => {
    const unit = await printUnit(args);
    expect(await faultsOf(unit)).toBe('');
    expect(valuesOf(unit, 'CapabilityBoundingSet')).toEqual([capability]);
    expect(valuesOf(unit, 'AmbientCapabilities')).toEqual(capability === '' ? [] : [capability]);
  });

  test.each(['--data-dir', '--keys-dir', '--token-file', '--faults'])(
    'hides no folder for temporary files in which %s is, and says that files there are deleted',
    async (option) => {
      const path = '/var/tmp/not-there/at-all';
      const { code, stdout, stderr } = await runProgram(['platform', '--print-unit', option, path]);
      expect(code).toBe(0);
      expect(stderr).toContain('/var/tmp/not-there');
      expect(await faultsOf(stdout)).toBe('');
      expect(valuesOf(stdout, 'PrivateTmp')).toEqual(['no']);
    },
  );

  test.each([
    ['/var/lib/infra-mcp', 'yes'],
    ['/srv/tmp/data', 'yes'],
    ['/tmpfiles', 'yes'],
    ['/tmp/data', 'no'],
    ['/tmp', 'no'],
  ])('has a folder for temporary files of its own, unless the platform is in that of all: %s', (folder, isPrivate) => {
    const unit = unitText({
      launch: { command: '/usr/bin/node', args: ['/usr/lib/infra-mcp.mjs'] },
      environment: {},
      writable: [folder],
      read: [],
      usesDocker: false,
      ports: [8090],
    });
    expect(valuesOf(unit, 'PrivateTmp')).toEqual([isPrivate]);
  });

  test('holds no secret', async () => {
    const { code, stdout, stderr } = await runProgram(['platform', '--print-unit', '--token', 'secret-token'], {
      INFRA_DATABASE_URL: 'postgres://me:secret-word@127.0.0.1/x',
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).not.toMatch(/secret-(?:token|word)/);
    expect(stderr).toContain('/etc/infra-mcp/platform.env');
  });
});

describe('the unit of the repository', () => {
  test('is accepted, with options that the platform has', async () => {
    const unit = await readFile(shipped, 'utf8');
    const [start] = valuesOf(unit, 'ExecStart');
    expect(start).toMatch(/infra-mcp\.mjs" "platform"$/);
    expect(await faultsOf(unit.replace(start!, `"${process.execPath}"`))).toBe('');
    const variables = optionsOf('platform').map(({ env }) => env);
    for (const name of Object.keys(environmentOf(unit)))
      if (name !== 'XDG_CACHE_HOME') expect(variables).toContain(name);
  });

  test('exposes little of the machine, as systemd counts it', async () => {
    const folder = await temporaryDirectory();
    await copyFile(shipped, join(folder, 'infra-mcp-platform.service'));
    // 0 is nothing, 100 everything. Fails above the threshold.
    await run('systemd-analyze', [
      'security',
      '--offline=true',
      '--threshold=20',
      '--no-pager',
      join(folder, 'infra-mcp-platform.service'),
    ]);
  });
});

/** Puts a program in the place of systemd's, which keeps what it is told, and hangs when the platform stops. */
async function withManager() {
  const folder = await temporaryDirectory();
  const told = join(folder, 'told');
  await mkdir(join(folder, 'bin'));
  await writeFile(
    join(folder, 'bin/systemd-notify'),
    `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${told}\ncase "$*" in STOPPING*) exec sleep 20;; esac\n`,
    { mode: 0o755 },
  );
  const dataDir = join(folder, 'data');
  return {
    dataDir,
    told: async () => (existsSync(told) ? await readFile(told, 'utf8') : ''),
    start: () =>
      startPlatformProgram(['--data-dir', dataDir], {
        INFRA_PLATFORM_TOKEN: 'given-token',
        NOTIFY_SOCKET: '/run/some/notify',
        PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
      }),
  };
}

describe('a platform that a service manager started', () => {
  test('says when it is ready and when it stops; a second signal ends it at once, and leaves no claim', async () => {
    const { dataDir, told, start } = await withManager();
    const { child, ended } = await start();
    await expect.poll(told).toBe('/run/some/notify READY=1\n');
    expect(existsSync(join(dataDir, 'serving.json'))).toBe(true);
    child.kill('SIGTERM');
    await expect.poll(told).toContain('STOPPING=1');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 143, stderr: '' });
    expect(existsSync(join(dataDir, 'serving.json'))).toBe(false);
    const { ready } = await start();
    expect(ready.token).toBe('given-token');
  });
});
