import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { assistants } from '../../src/cli/init/assistants.ts';
import { core, defaultTools as tools } from '../../tools/index.ts';
import { runProgram, startAssistant, temporaryDirectory } from '../support/built-program.ts';

const limitOf = (name: string): number | undefined => assistants.find((one) => one.name === name)?.maximumTools;

interface Entry {
  readonly env?: Readonly<Record<string, string>>;
}

/** A home with some assistants, and what `init` makes of it. */
async function homeWith(...names: readonly string[]) {
  const home = await temporaryDirectory();
  const file = (name: string) =>
    assistants.find((one) => one.name === name)!.file({ platform: process.platform, home, env: {} });
  for (const name of names) await mkdir(dirname(file(name)), { recursive: true });
  return {
    file,
    init: (...args: readonly string[]) =>
      runProgram(['init', '--yes', ...args], { HOME: home, XDG_CONFIG_HOME: join(home, '.config') }),
    entry: async (name: string): Promise<Entry> =>
      (JSON.parse(await readFile(file(name), 'utf8')) as { mcpServers: { infra: Entry } }).mcpServers.infra,
  };
}

test('an assistant that takes fewer tools than there are gets a toolset, with which it lists that many', async () => {
  expect([limitOf('cursor')! < tools.length, limitOf('cursor')! >= core.length]).toEqual([true, true]);
  const { init, entry } = await homeWith('cursor', 'claude-desktop');
  const { stdout } = await init();
  expect(stdout).toContain(`${tools.length} tools`);
  expect(stdout).toContain(`core (${core.length})`);
  const { env = {} } = await entry('cursor');
  expect(env).toEqual({ INFRA_TOOLSETS: 'core' });
  expect((await entry('claude-desktop')).env).toBeUndefined();
  expect(await (await startAssistant({ ...env })).tools()).toHaveLength(core.length);
});

test('a choice of the user stays, whether given now or changed in the file', async () => {
  const { init, entry, file } = await homeWith('cursor');
  await init('--toolsets', 'services');
  expect((await entry('cursor')).env).toEqual({ INFRA_TOOLSETS: 'services' });
  await init();
  expect((await entry('cursor')).env).toEqual({ INFRA_TOOLSETS: 'services' });
  await writeFile(file('cursor'), (await readFile(file('cursor'), 'utf8')).replace('INFRA_TOOLSETS', 'OTHER'));
  const { stdout } = await init();
  expect((await entry('cursor')).env).toEqual({ OTHER: 'services' });
  // It offers every tool again, and its limit is named.
  expect(stdout).toContain(`at most ${limitOf('cursor')}`);
});

test('the number of tools is that of the options, and where it fits there is no choice to make', async () => {
  const { init, entry } = await homeWith('cursor');
  const { stdout } = await init('--toolsets', 'core');
  expect(stdout).toContain(`${core.length} tools`);
  expect(stdout).not.toContain('Toolsets:');
  expect((await entry('cursor')).env).toEqual({ INFRA_TOOLSETS: 'core' });
  expect((await init('--toolsets', 'cores')).code).toBe(1);
});
