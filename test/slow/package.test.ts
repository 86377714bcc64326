import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { getMcpConfigForManifest, unpackExtension, type McpbManifestAny } from '@anthropic-ai/mcpb';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { assistantOver, type Assistant } from '../../scripts/demo/assistant.ts';
import type { DemoOutput } from '../../scripts/demo/output.ts';
import { scenario, runStory } from '../../scripts/demo/story.ts';
import { startPlatformProgram } from '../support/built-program.ts';
import { startProgram } from '../support/started-program.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** The variables of this process, without those that belong to the checkout: only what is installed may be found. */
const clean = Object.fromEntries(
  Object.entries(process.env).filter(([name, value]) => !/^(?:INFRA|npm)_/i.test(name) && value !== undefined),
) as Record<string, string>;
// The story only has to go well.
const unseen: DemoOutput = { emit: () => undefined, whileWaiting: (_, work) => work() };
/** The options of the platform that the story runs on: fast. */
const programOptions = { INFRA_TIME_SCALE: '0.05', INFRA_SCENARIO: scenario };

let scratch: string;
let env: Record<string, string>;
/** What a release consists of. */
let release: string;
const folderIn = (name: string): Promise<string> => mkdtemp(join(scratch, `${name}-`));

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'infra-mcp-package-'));
  env = { ...clean, XDG_CACHE_HOME: join(scratch, 'cache') };
  release = join(scratch, 'release');
  await run(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), join(root, 'scripts/release.ts'), '--no-image', '--outdir', release],
    { env },
  );
});

afterAll(() => rm(scratch, { recursive: true }));

/** An assistant that starts a server of its own; both end with the test. */
async function starting(
  command: string,
  args: readonly string[],
  options: Record<string, string>,
  cwd?: string,
): Promise<Assistant> {
  const assistant = await assistantOver(
    new StdioClientTransport({ command, args: [...args], env: { ...env, ...options }, cwd }),
    unseen,
  );
  onTestFinished(() => assistant.close());
  return assistant;
}

describe('the npm package', () => {
  let folder: string;
  let files: string[];

  beforeAll(async () => {
    const tarball = join(release, `${manifest.name}-${manifest.version}.tgz`);
    files = (await run('tar', ['--list', '--gzip', '--file', tarball])).stdout
      .trim()
      .split('\n')
      .map((file) => file.replace(/^package\//, ''));
    folder = await folderIn('installed');
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--prefer-offline', tarball], { cwd: folder, env });
  });

  test('has what is meant to be published, and no path of the machine that built it', async () => {
    const outside = files.filter((file) => file !== 'package.json' && !manifest.files.includes(file.split('/')[0]!));
    expect(outside).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining([...Object.values(manifest.bin), 'dist/infra-mcp.mjs', 'README.md', 'LICENSE']),
    );
    const home = join(folder, 'node_modules', manifest.name);
    const withPath = await Promise.all(
      files.map(async (file) => ((await readFile(join(home, file), 'utf8')).includes(`${root}/`) ? [file] : [])),
    );
    expect(withPath.flat()).toEqual([]);
  });

  test('passes on the licenses of what is bundled', async () => {
    const notices = await readFile(join(folder, 'node_modules', manifest.name, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const name of ['zod', 'undici', 'fastify', '@modelcontextprotocol/server'])
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
    expect(notices).not.toMatch(/^(?:vitest|esbuild) \d/m);
  });

  test('brings nothing else with it', async () => {
    expect((await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
      manifest.name,
    ]);
  });

  test('tells its version', async () => {
    expect((await run('npx', ['--no', '--', manifest.name, '--version'], { cwd: folder, env })).stdout.trim()).toBe(
      manifest.version,
    );
  });

  test('does its main job over stdio', async () => {
    await runStory(
      await starting(
        'npx',
        ['--no', manifest.name],
        { INFRA_DATA_DIR: join(folder, 'data'), ...programOptions },
        folder,
      ),
    );
  });

  test('does its main job over HTTP', async () => {
    const { ready, child, ended } = await startProgram({
      // Not with npx, which doesn't pass on the signal that ends it.
      command: [
        join(folder, 'node_modules/.bin', manifest.name),
        'http',
        '--port',
        '0',
        '--data-dir',
        join(folder, 'http-data'),
      ],
      env: { ...env, ...programOptions },
      cwd: folder,
    });
    const assistant = await assistantOver(new StreamableHTTPClientTransport(new URL(ready.url)), unseen);
    await runStory(assistant);
    await assistant.close();
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });
});

describe('the MCP bundle', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await folderIn('unpacked');
    expect(
      await unpackExtension({
        mcpbPath: join(release, `${manifest.name}-${manifest.version}.mcpb`),
        outputDir: folder,
        silent: true,
      }),
    ).toBe(true);
  });

  /** Starts it as a host does that knows what its user filled in. */
  async function installed(
    userConfig: Record<string, string | boolean>,
    options: Record<string, string> = {},
  ): Promise<Assistant> {
    const unpacked = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as McpbManifestAny;
    const {
      command,
      args = [],
      env: given,
    } = (await getMcpConfigForManifest({
      manifest: unpacked,
      extensionPath: folder,
      systemDirs: {},
      userConfig,
      pathSeparator: sep,
    }))!;
    return starting(command, args, { ...given, INFRA_DATA_DIR: await folderIn('data'), ...options });
  }

  test('needs no other package', async () => {
    expect(await readdir(folder)).not.toContain('node_modules');
  });

  test('does its main job when nothing is filled in', async () => {
    await runStory(await installed({}, programOptions));
  });

  test('takes what is left empty for not given, and read-only for what it says', async () => {
    const assistant = await installed({ base_url: '', api_token: '', policy_file: '', read_only: true });
    expect((await assistant.ask('get_organization', {})).text).toContain('Acme');
    const readOnly = await assistant.tools();
    const others = await installed({});
    expect(readOnly).toBeLessThan(await others.tools());
  });

  test('works with the platform that is filled in', async () => {
    const { ready } = await startPlatformProgram(['--data-dir', await folderIn('platform')]);
    const assistant = await installed({ base_url: ready.url, api_token: ready.token! });
    expect((await assistant.ask('get_organization', {})).data).toMatchObject({ id: ready.organization_id });
  });
});
