import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/built-program.ts';
import { eventually } from '../support/eventually.ts';
import { cleanEnvironment, spawnInTest } from '../support/started-program.ts';

const root = join(import.meta.dirname, '../..');

/**
 * A directory for temporary files, and the names of ours in it. The loader of TypeScript keeps a cache there, which
 * isn't ours.
 */
async function watchedTemporaries() {
  const folder = await temporaryDirectory();
  const tmp = join(folder, 'tmp');
  await mkdir(tmp);
  return { tmp, left: async () => (await readdir(tmp)).filter((name) => name.startsWith('infra-mcp-')) };
}

/** The processes that were started with this directory for temporary files, other than this one. */
async function processesWith(tmp: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')));
  return pids.filter((_, index) => environments[index]!.split('\0').includes(`TMPDIR=${tmp}`));
}

const script = (path: string, args: readonly string[], tmp: string) =>
  spawnInTest({
    command: [process.execPath, '--import', import.meta.resolve('tsx'), join(root, path), ...args],
    cwd: root,
    env: cleanEnvironment({ TMPDIR: tmp }),
  });

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof exitCodes;

describe('a signal', () => {
  const expectNothingLeft = async (
    signal: Signal,
    { child, ended }: ReturnType<typeof script>,
    { tmp, left }: Awaited<ReturnType<typeof watchedTemporaries>>,
  ): Promise<void> => {
    child.kill(signal);
    const { code } = await ended;
    expect(code).toBe(exitCodes[signal]);
    expect(await left()).toEqual([]);
    if (process.platform === 'linux') await eventually(async () => expect(await processesWith(tmp)).toEqual([]));
    // Nothing writes it again.
    expect(await left()).toEqual([]);
  };

  test.each<Signal>(['SIGHUP'])('while the demo starts its server leaves nothing: %s', async (signal) => {
    const watched = await watchedTemporaries();
    const demo = script('scripts/demo.ts', ['--json'], watched.tmp);
    await eventually(async () => expect(await watched.left()).toHaveLength(1));
    await expectNothingLeft(signal, demo, watched);
  });

  test.each<Signal>(['SIGINT', 'SIGTERM'])('in the middle of the demo leaves nothing: %s', async (signal) => {
    const watched = await watchedTemporaries();
    const demo = script('scripts/demo.ts', ['--json'], watched.tmp);
    await eventually(() => expect(demo.output.stdout).toContain('Why did'));
    expect(await watched.left()).toHaveLength(1);
    await expectNothingLeft(signal, demo, watched);
  });

  test.each<Signal>(['SIGTERM'])('while benchmarks build and start programs leaves nothing: %s', async (signal) => {
    const watched = await watchedTemporaries();
    const bench = script('bench/main.ts', ['start', '--quick'], watched.tmp);
    await eventually(async () => expect(await watched.left()).toHaveLength(1));
    await expectNothingLeft(signal, bench, watched);
  });

  test.each<Signal>(['SIGINT'])(
    'while a platform that never answers is compared leaves nothing: %s',
    async (signal) => {
      const asked = Promise.withResolvers<undefined>();
      const silent = createServer(() => asked.resolve(undefined));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => {
        silent.closeAllConnections();
        silent.close();
      });
      const watched = await watchedTemporaries();
      const token = join(watched.tmp, 'token');
      await writeFile(token, 'a-token');
      const parity = script(
        'test/parity/main.ts',
        ['--base-url', `http://127.0.0.1:${(silent.address() as AddressInfo).port}`, '--token-file', token],
        watched.tmp,
      );
      await asked.promise;
      await expectNothingLeft(signal, parity, watched);
    },
  );
});

test('Ctrl-C in the terminal of the demo, with its spinner, leaves nothing', async () => {
  const watched = await watchedTemporaries();
  const child = spawn('script', ['-qec', 'npm run --silent demo', '/dev/null'], {
    cwd: root,
    env: { ...cleanEnvironment({ TMPDIR: watched.tmp, SHELL: '/bin/sh', TERM: 'xterm' }), CI: undefined },
  });
  const closed = once(child, 'close');
  let sent = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (sent += text));
  await eventually(async () => expect(await watched.left()).toHaveLength(1));
  await eventually(() => expect(sent).toContain('Starting a server'));
  child.stdin.write('\u0003');
  await closed;
  await eventually(async () => expect(await processesWith(watched.tmp)).toEqual([]));
  expect(await watched.left()).toEqual([]);
});
