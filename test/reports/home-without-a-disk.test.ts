import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { cleanEnvironment } from '../support/started-program.ts';

const root = join(import.meta.dirname, '../..');

let place: string;

/** The program as it is installed, with its own starter beside the bundle. */
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'infra-mcp-home-'));
  await mkdir(join(place, 'home'));
  await cp(join(root, 'bin'), join(place, 'bin'), { recursive: true });
  await cp(inject('programDirectory'), join(place, 'dist'), { recursive: true });
});

afterAll(() => rm(place, { recursive: true }));

/** A client of a server over stdio whose environment is only what is given, and the path of programs. */
async function connected(env: Record<string, string>): Promise<{ client: Client; log: () => string }> {
  const { PATH = '' } = cleanEnvironment();
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(place, 'bin/infra-mcp.mjs')],
    cwd: place,
    env: { PATH, ...env },
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr!.on('data', (text: Buffer) => (log += text.toString()));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, log: () => log };
}

const toolsWith = async (env: Record<string, string>): Promise<number> =>
  (await (await connected(env)).client.listTools()).tools.length;

// Below /proc nothing can be created, and Node's recursive creation of folders never ends there. A file is no folder.
const nowhere = ['/proc/x', join(root, 'package.json')];

test.each([
  ...nowhere.map((HOME) => ({ HOME })),
  ...nowhere.map((XDG_CACHE_HOME) => ({ XDG_CACHE_HOME })),
  { HOME: '/proc/x', XDG_CACHE_HOME: '/proc/x', XDG_CONFIG_HOME: '/proc/x', XDG_DATA_HOME: '/proc/x' },
  { HOME: '' },
])('a server lists its tools with %j', async (env) => {
  expect(await toolsWith(env)).toBeGreaterThan(0);
});

test.each<Record<string, string>>([{ HOME: '/proc/x' }, { INFRA_DATA_DIR: '/proc/x/data' }])(
  'and with %j a call of the embedded platform fails, and the log names the option for another place',
  async (env) => {
    const { client, log } = await connected({ HOME: join(place, 'home'), ...env });
    expect(await client.callTool({ name: 'get_organization', arguments: {} })).toMatchObject({ isError: true });
    await expect.poll(log).toContain('INFRA_DATA_DIR');
  },
);

test('where there is a disk, what Node compiles is kept', async () => {
  const home = join(place, 'home');
  expect(await toolsWith({ HOME: home })).toBeGreaterThan(0);
  await expect.poll(() => readdir(join(home, '.cache/infra-mcp'))).not.toEqual([]);
  expect(await toolsWith({ HOME: home })).toBeGreaterThan(0);
  // A relative path would be another place for every directory that it is started in.
  expect(await toolsWith({ HOME: home, XDG_CACHE_HOME: 'caches' })).toBeGreaterThan(0);
  expect(await readdir(place)).not.toContain('caches');
});
