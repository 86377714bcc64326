import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { startProgram } from '../support/started-program.ts';
import { initialize } from '../transport/test-server.ts';
import { useTabs } from './tabs.ts';

const [allowed, other] = ['console.example', 'other.example'];
const openTab = useTabs([allowed, other]);

/** Serves a page, which the browser can reach under several host names. @returns its port. */
async function startPage(): Promise<number> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>A page'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** What an MCP client in a page does: opens a session, lists the tools, and ends the session. */
const useServer = (tab: Page, url: string) =>
  tab.evaluate(
    async ({ endpoint, first }) => {
      const send = (body: object, headers: Record<string, string> = {}) =>
        fetch(endpoint, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            Authorization: 'Bearer none',
            ...headers,
          },
          body: JSON.stringify(body),
        });
      try {
        const opened = await send(first);
        await opened.text();
        const session = {
          'Mcp-Session-Id': opened.headers.get('Mcp-Session-Id')!,
          'Mcp-Protocol-Version': '2025-11-25',
        };
        await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
        const listed = await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, session);
        const ended = await fetch(endpoint, { method: 'DELETE', headers: session });
        const repeated = await send({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, session);
        return { tools: await listed.text(), ended: ended.status, afterwards: repeated.status };
      } catch (error) {
        return { failed: String(error) };
      }
    },
    { endpoint: url, first: initialize },
  );

const read = (tab: Page, url: string) =>
  tab.evaluate(async (address) => {
    try {
      return await (await fetch(address)).text();
    } catch (error) {
      return String(error);
    }
  }, url);

describe.skipIf(!hasBrowser)('in a browser, a page of another origin', () => {
  test('uses a server that allows its origin, but no other page does, and none reads the approvals page', async () => {
    const port = await startPage();
    const origin = `http://${allowed}:${port}`;
    const { ready } = await startProgram(
      commandLine(['http', '--port', '0', '--approvals-page', '--allowed-origins', origin], {
        INFRA_DATA_DIR: await temporaryDirectory(),
      }),
    );
    const approvals = new URL('/approvals', ready.url).href;

    const tab = await openTab();
    await tab.goto(origin);
    expect(await useServer(tab, ready.url)).toEqual({
      tools: expect.stringContaining('"list_projects"') as unknown,
      ended: 200,
      afterwards: 404,
    });
    expect(await read(tab, new URL('/readyz', ready.url).href)).toContain('ready');
    expect(await read(tab, approvals)).toContain('Failed to fetch');

    const stranger = await openTab();
    await stranger.goto(`http://${other}:${port}`);
    expect(await useServer(stranger, ready.url)).toEqual({ failed: 'TypeError: Failed to fetch' });
    expect(await read(stranger, new URL('/readyz', ready.url).href)).toContain('Failed to fetch');
  });
});
