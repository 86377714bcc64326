import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, isIPv6, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { spawnInTest } from '../support/started-program.ts';

const open: Server[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

/** Listens in this process. @returns the port */
async function takePort(options: ListenOptions = {}): Promise<number> {
  const server = createServer();
  open.push(server);
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0, ...options }, resolve));
  return (server.address() as AddressInfo).port;
}

/** Listens in another process, until the test ends. @returns its id */
async function takePortElsewhere(host: string, port: number): Promise<number> {
  const child = spawn(
    process.execPath,
    ['-e', `require('node:net').createServer().listen(${port}, '${host}', () => console.log('listens'))`],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child.pid!;
}

const run = async (args: readonly string[]) => {
  const dataDir = await temporaryDirectory();
  return spawnInTest(commandLine(args, { INFRA_DATA_DIR: dataDir })).ended;
};

describe.each([
  ['http', ['http']],
  ['platform', ['platform']],
  ['platform with its control', ['platform', '--control']],
])('infra-mcp %s', (_, command) => {
  test('says of a taken port who has it and what to do, in one line, and ends', async () => {
    const port = await takePort();
    const { code, stdout, stderr } = await run([...command, '--port', String(port)]);
    const holder =
      process.platform === 'linux' ? `process ${process.pid} \\(.+\\) listens there` : 'something else listens there';
    expect(stderr).toMatch(
      new RegExp(
        `^infra-mcp: Can't listen on port ${port} of 127\\.0\\.0\\.1: ${holder}\\. Stop that, or choose another port with --port; --port 0 takes any that is free\\.\\n$`,
      ),
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

const refusal = async (port: number, host = '127.0.0.1') =>
  (await run(['platform', '--host', host, '--port', String(port)])).stderr;
const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.family === 'IPv6');

// Only Linux tells which process it is.
describe.runIf(process.platform === 'linux')('the process that is named', () => {
  test('is the one at the same address, not one that has the port at another', async () => {
    const port = await takePort({ host: '127.0.0.2' });
    const pid = await takePortElsewhere('127.0.0.1', port);
    expect(await refusal(port)).toContain(`process ${pid} (`);
  });

  test.each(
    [
      ['0.0.0.0', '127.0.0.1'],
      ['::', '127.0.0.1'],
      ['127.0.0.1', '0.0.0.0'],
      ['127.0.0.1', '::'],
      ['::1', '::1'],
    ].filter((pair) => hasIPv6 || !pair.some(isIPv6)),
  )('has %s and so keeps others from %s', async (theirs, ours) => {
    const port = await takePort({ host: theirs });
    expect(await refusal(port, ours)).toContain(`process ${process.pid} (`);
  });

  test.runIf(hasIPv6)('is none if it could be one of several', async () => {
    const port = await takePort({ host: '::', ipv6Only: true });
    await takePortElsewhere('127.0.0.1', port);
    expect(await refusal(port)).toContain(
      `Can't listen on port ${port} of 127.0.0.1: something else listens there. Stop that`,
    );
  });
});

test('an address that this machine does not have is said so', async () => {
  const { code, stderr } = await run(['platform', '--host', '192.0.2.1', '--port', '0']);
  expect(stderr).toMatch(
    /^infra-mcp: Can't listen on port 0 of 192\.0\.2\.1: this machine has no such address\. .*--host.*\n$/m,
  );
  expect(stderr).not.toContain('    at ');
  expect(code).toBe(1);
});
