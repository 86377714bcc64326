import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { closeTestServers, connectModernHttp } from '../transport/test-server.ts';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { startProgram } from '../support/started-program.ts';
import { freePort } from '../support/free-port.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { textOf, type TestClient } from '../support/mcp-clients.ts';

/**
 * Starts `infra-mcp http` with its page of approvals and an operator's secret; gives the MCP endpoint. It ends with the
 * test.
 */
async function startServer(more: readonly string[] = ['--port', '0']): Promise<URL> {
  const dataDir = await temporaryDirectory();
  await setOperatorSecret(join(dataDir, 'operator.json'));
  const { ready } = await startProgram(commandLine(['http', ...more, '--approvals-page', '--data-dir', dataDir]));
  return new URL(ready.url);
}

/** A page of somebody else, on this machine: to a browser another origin, and the same site. */
async function startForeignPage(markup: string): Promise<string> {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(markup));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

let browser: Browser;
const contexts: BrowserContext[] = [];

beforeAll(async () => {
  if (hasBrowser) browser = await openBrowser();
});

afterEach(async () => {
  await closeTestServers();
  for (const context of contexts.splice(0)) await context.close();
});

afterAll(() => browser?.close());

/** A tab of an operator who was never here before. */
async function openTab({ scripts = true } = {}): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: scripts });
  contexts.push(context);
  return context.newPage();
}

const pageOf = (url: URL): string => new URL('/approvals', url).href;

/** Gives the operator's secret, as a person does. */
async function enter(tab: Page, address: string): Promise<void> {
  await tab.goto(address);
  await tab.getByLabel('Operator secret').fill(operatorSecret);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('heading', { name: 'Latest calls' }).waitFor();
}

/** The box of the only call that waits. */
const waiting = (tab: Page) => tab.getByRole('article');

const createWebhook = async (client: TestClient, more: Record<string, string> = {}): Promise<CallToolResult> => {
  const { structuredContent } = await client.call('get_organization');
  const { id } = structuredContent as { id: string };
  return client.call('create_webhook', {
    organization_id: id,
    target_url: 'https://hooks.example/in',
    events: ['DEPLOYMENT_FAILED'],
    ...more,
  });
};

describe.skipIf(!hasBrowser)('in a browser, the page of approvals', () => {
  describe.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('%s', (_, scripts) => {
    /** Makes a call whose user goes to the page, and does there what a test says. */
    const callWhile = async (decide: (tab: Page) => Promise<void>): Promise<CallToolResult> => {
      const tab = await openTab({ scripts });
      const client = await connectModernHttp(await startServer(), {
        visit: async (address) => {
          await enter(tab, address);
          await decide(tab);
        },
      });
      return createWebhook(client);
    };

    test('lets a call through that the operator approves', async () => {
      const result = await callWhile(async (tab) => {
        expect(await waiting(tab).innerText()).toContain('create_webhook');
        await waiting(tab).getByRole('button', { name: 'Approve' }).click();
        await tab.getByText('Approved, for one call').waitFor();
        expect(await waiting(tab).count()).toBe(0);
      });
      expect(result.isError, textOf(result)).toBeFalsy();
      expect(result.structuredContent).toMatchObject({ target_url: 'https://hooks.example/in' });
    });

    test('ends a call that the operator refuses', async () => {
      const result = await callWhile(async (tab) => {
        await waiting(tab).getByRole('button', { name: 'Refuse' }).click();
        await tab.getByText('Refused.').waitFor();
      });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain('refused');
    });
  });

  test('works below the path of a public URL, where the assistant sends its user', async () => {
    const port = await freePort();
    const endpoint = `http://127.0.0.1:${port}/team/infra`;
    const url = await startServer(['--port', String(port), '--public-url', endpoint]);
    expect(url.href).toBe(endpoint);
    const visited: string[] = [];
    const client = await connectModernHttp(url, {
      visit: async (address) => {
        const tab = await openTab();
        tab.on('request', (request) => visited.push(new URL(request.url()).pathname));
        await enter(tab, address);
        await waiting(tab).getByRole('button', { name: 'Approve' }).click();
        await tab.getByText('Approved, for one call').waitFor();
      },
    });
    const result = await createWebhook(client);
    expect(result.isError, textOf(result)).toBeFalsy();
    const page = '/team/infra/approvals';
    expect(new Set(visited)).toEqual(new Set([page, `${page}/style.css`, `${page}/live.js`, `${page}/events`]));
  });

  test('approves what is repeated later, once the name is typed, and shows it among the latest calls', async () => {
    const url = await startServer();
    const client = await connectModernHttp(url);
    const { structuredContent } = await client.call('list_environments', { project_id: await projectOf(client) });
    const production = (structuredContent as { results: { id: string; name: string; mode: string }[] }).results.find(
      ({ mode }) => mode === 'PRODUCTION',
    )!;
    const stop = () => client.call('stop_environment', { environment_id: production.id });
    expect((await stop()).isError).toBe(true);

    const tab = await openTab();
    await enter(tab, pageOf(url));
    await waiting(tab).getByRole('button', { name: 'Approve' }).click();
    await tab.getByText('Not approved').waitFor();
    expect((await stop()).isError).toBe(true);
    await waiting(tab).getByLabel('To approve it').fill(`shop/${production.name}`);
    await waiting(tab).getByRole('button', { name: 'Approve' }).click();
    await tab.getByText('Approved, for one call').waitFor();
    const stopped = await stop();
    expect(stopped.isError, textOf(stopped)).toBeFalsy();
    await tab.reload();
    expect(await tab.getByRole('row', { name: /stop_environment.*done/ }).count()).toBe(1);
  });

  test('shows markup and scripts in a plan as text, and runs none', async () => {
    const url = await startServer();
    const hostile = `<script>document.title='taken'</script><img src="/taken" onerror="document.title='taken'"><b id="taken">bold</b>`;
    const client = await connectModernHttp(url);
    await createWebhook(client, { description: hostile });
    const tab = await openTab();
    const asked: string[] = [];
    tab.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await enter(tab, pageOf(url));
    expect(await waiting(tab).innerText()).toContain(hostile.replaceAll(/<(?=[a-z/])/g, '<U+003C>'));
    expect(await tab.locator('script:not([src="/approvals/live.js"]), img, #taken').count()).toBe(0);
    expect(await tab.title()).toBe('(1) Approvals - infra-mcp');
    expect(new Set(asked)).toEqual(
      new Set(['/approvals', '/approvals/style.css', '/approvals/live.js', '/approvals/events']),
    );
  });

  test('runs nothing even where markup got into it', async () => {
    const tab = await openTab();
    await enter(tab, pageOf(await startServer()));
    await tab.evaluate(`document.body.insertAdjacentHTML('beforeend', '<img src="/nothing" onerror="document.title = 1">');
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = 2' }))`);
    await tab.locator('img').waitFor({ state: 'attached' });
    expect(await tab.title()).toBe('Approvals - infra-mcp');
  });

  test('does not show in a frame, where another page of the same server does', async () => {
    const url = await startServer();
    const outer = await startForeignPage(
      `<iframe name="page" src="${pageOf(url)}"></iframe><iframe name="other" src="${new URL('/livez', url).href}"></iframe>`,
    );
    const tab = await openTab();
    await tab.goto(outer);
    expect(await tab.frame('other')!.locator('body').innerText()).toContain('ok');
    expect(tab.frame('page')!.url()).not.toContain('/approvals');
    expect(await tab.frame('page')!.getByLabel('Operator secret').count()).toBe(0);
  });

  test('takes no form from another page, though the browser sends the cookie along', async () => {
    const url = await startServer();
    const client = await connectModernHttp(url);
    const code = /\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/.exec(textOf(await createWebhook(client)))![0];
    const tab = await openTab();
    await enter(tab, pageOf(url));
    const token = await waiting(tab).locator('.approve input[name=form_token]').inputValue();
    const foreign = await startForeignPage(
      `<form method="post" action="${pageOf(url)}"><input name="form_token" value="${token}"><input name="code" value="${code}"><button name="do" value="approve">Win a prize</button></form>`,
    );
    await tab.goto(foreign);
    const [sent] = await Promise.all([tab.waitForRequest(pageOf(url)), tab.getByRole('button').click()]);
    expect((await sent.allHeaders())['cookie']).toMatch(/infra_operator_\d+=/);
    await tab.getByText('That did not come from this page').waitFor();
    await tab.goto(pageOf(url));
    expect(await waiting(tab).innerText()).toContain(code);
  });
});

/** The first project there is. */
async function projectOf(client: TestClient): Promise<string> {
  const { structuredContent: organization } = await client.call('get_organization');
  const { structuredContent } = await client.call('list_projects', {
    organization_id: (organization as { id: string }).id,
  });
  return (structuredContent as { results: { id: string }[] }).results[0]!.id;
}
