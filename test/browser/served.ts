import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { setSecret } from '../../src/mcp/guard/approvals/operator.ts';
import { commandLine, temporaryDirectory } from '../commands/support.ts';

export const operatorSecret = 'only the operator knows';

/** Starts `infra-mcp http` with its page of approvals and an operator's secret; gives the MCP endpoint. It ends with the test. */
export async function startServer(): Promise<URL> {
  const dataDir = await temporaryDirectory();
  await setSecret(join(dataDir, 'operator.json'), operatorSecret);
  const { command: [program, ...args], env } = commandLine(['http', '--port', '0', '--approvals-page', '--data-dir', dataDir]);
  const child = spawn(program!, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const line = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => undefined)]);
  if (line === undefined) throw new Error('infra-mcp http ended before it was ready.');
  return new URL((JSON.parse(line[0] as string) as { url: string }).url);
}

/** A page of somebody else, on this machine: to a browser another origin, and the same site. */
export async function startForeignPage(markup: string): Promise<string> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(markup));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
