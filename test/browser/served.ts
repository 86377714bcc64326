import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { setSecret } from '../../src/server/guard/approvals/operator.ts';
import { commandLine, temporaryDirectory } from '../cli/support.ts';
import { startProgram } from '../transport/program.ts';

export const operatorSecret = 'only the operator knows';

/** Starts `infra-mcp http` with its page of approvals and an operator's secret; gives the MCP endpoint. It ends with the test. */
export async function startServer(): Promise<URL> {
  const dataDir = await temporaryDirectory();
  await setSecret(join(dataDir, 'operator.json'), operatorSecret);
  const { ready } = await startProgram(commandLine(['http', '--port', '0', '--approvals-page', '--data-dir', dataDir]));
  return new URL(ready.url);
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
