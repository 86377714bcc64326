import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { defaultTools as tools } from '../../tools/index.ts';
import { commandsOfPage, pageText } from '../docs/pages.ts';
import { copyCheckout } from '../support/checkout-files.ts';
import { connectModern, textOf } from '../support/mcp-clients.ts';

const run = promisify(execFile);

/** The Node that people may still have, too old for the program. */
const oldMajor = '20';

/** The assistants whose commands the README has. They are not installed: what would be called records how. */
const assistants = ['claude', 'codex', 'gemini', 'code'] as const;

let scratch: string;
let checkout: string;
/** The environment of a shell that finds the old Node only. */
let env: Record<string, string>;

/** Where the PATH has a program, beside what belongs to this checkout. */
const onPath = async (program: string): Promise<string> => {
  const folder = process.env['PATH']!.split(delimiter).find(
    (one) => !one.includes('node_modules') && existsSync(join(one, program)),
  );
  if (folder === undefined) throw new Error(`There is no ${program} on the PATH.`);
  return realpath(join(folder, program));
};

/** An old Node: the one of the machine, or else the package. */
async function oldNode(): Promise<string> {
  const installed = await onPath('node').catch(() => undefined);
  if (installed !== undefined && (await run(installed, ['--version'])).stdout.startsWith(`v${oldMajor}.`))
    return installed;
  const folder = join(scratch, 'old-node');
  await mkdir(folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await run('npm', ['install', '--prefer-offline', '--allow-scripts=node', `node@${oldMajor}`], { cwd: folder });
  return join(folder, 'node_modules/node/bin/node');
}

/** A folder with the programs that a reader has: the old Node with npm, and assistants. */
async function programFolder(): Promise<string> {
  const folder = join(scratch, 'programs');
  await mkdir(folder);
  const real = { node: await oldNode(), npm: await onPath('npm'), npx: await onPath('npx') };
  for (const [name, path] of Object.entries(real)) await symlink(path, join(folder, name));
  for (const name of assistants) {
    await writeFile(
      join(folder, name),
      `#!/bin/sh\nfor word in "$@"; do printf '%s\\n' "$word"; done > "${join(scratch, `${name}.words`)}"\n`,
    );
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'infra-mcp-readme-'));
  [checkout] = [join(scratch, 'infra-mcp')];
  await mkdir(join(scratch, 'home'));
  await copyCheckout(checkout);
  const { stdout: cache } = await run('npm', ['config', 'get', 'cache']);
  const inherited = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && !/^(?:INFRA_|npm_(?!config_registry)|VITEST|XDG_|NODE_)/i.test(name),
  );
  env = {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    PATH: [await programFolder(), '/usr/bin', '/bin'].join(delimiter),
    HOME: join(scratch, 'home'),
    npm_config_cache: cache.trim(),
    npm_config_prefer_offline: 'true',
  };
});

afterAll(() => rm(scratch, { recursive: true, force: true, maxRetries: 3 }));

const connects = 'npm start -- init';

/** The lines that a reader needs, in their order: those of the README's blocks, and those of its table for today. */
const lines = ((): string[] => {
  const blocks = commandsOfPage('README.md')
    .filter(({ isInline }) => !isInline)
    .map(({ text }) => text);
  const table = [...pageText('README.md').matchAll(/^\|[^|]*\| `(?<today>[^`]+)` \|/gm)].map(
    ({ groups }) => groups!['today']!,
  );
  return [
    ...blocks.slice(0, blocks.indexOf(connects) + 1),
    ...table.filter((line) => assistants.some((name) => line.startsWith(`${name} `))),
  ];
})();

/** What an assistant was told to start. */
async function toldTo(name: (typeof assistants)[number]): Promise<readonly string[]> {
  const words = (await readFile(join(scratch, `${name}.words`), 'utf8')).trimEnd().split('\n');
  if (name !== 'code') return words.slice(words.indexOf('infra') + 1).filter((word) => word !== '--');
  const { command, args } = JSON.parse(words[1]!) as { command: string; args: string[] };
  return [command, ...args];
}

describe('who has only an old Node and follows the README', () => {
  test('has an old Node', async () => {
    expect((await run('sh', ['-c', 'node --version'], { env })).stdout).toMatch(new RegExp(`^v${oldMajor}\\.`));
  });

  test('is told to install, to see the demo, to build and to connect each assistant', () => {
    expect(lines.slice(0, 2)).toEqual(['npm ci', 'npm run demo']);
    expect(lines).toEqual(expect.arrayContaining(['npm run build', connects]));
    for (const name of assistants)
      expect(
        lines.filter((line) => line.startsWith(`${name} `)),
        name,
      ).toHaveLength(1);
  });

  test('can type every line', async () => {
    for (const line of lines) {
      const { stdout } = await run('sh', ['-ec', line], { cwd: checkout, env, maxBuffer: 1 << 26 });
      if (line === 'npm run demo') expect(stdout).toContain('The end, after');
      if (line === connects) expect(stdout).toContain(join(await realpath(checkout), 'bin/infra-mcp.mjs'));
    }
  });

  test.each(assistants)('gets a server that works in %s', async (name) => {
    const [command, ...args] = await toldTo(name);
    // From anywhere: an assistant starts it where it likes.
    const client = await connectModern(new StdioClientTransport({ command: command!, args, env, cwd: scratch }));
    onTestFinished(() => client.close());
    expect(await client.list()).toHaveLength(tools.length);
    expect(textOf(await client.call('find_resource', { kind: 'environment' }))).toContain('shop/production');
  });
});
