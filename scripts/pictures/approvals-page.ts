/**
 * Makes the picture of the approvals page for the README, from the real program: light and dark, with calls of two
 * assistants.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Page } from 'playwright-core';
import { setSecret } from '../../src/server/guard/index.ts';
import { createApiKey } from '../../src/transport/http/api-keys.ts';
import { settle } from '../../test/browser/pictures.ts';
import { openBrowser } from '../../test/support/browser.ts';
import { connectModern } from '../../test/support/mcp-clients.ts';
import { removeTemporaryDirectory, temporaryDirectory } from '../temporary-directory.ts';
import { compactPng } from './png.ts';

const root = join(import.meta.dirname, '../..');

/** The colour schemes that there are pictures in. */
export const pictureSchemes = ['light', 'dark'] as const;
export type PictureScheme = (typeof pictureSchemes)[number];

/** The path of a picture, from the root. */
export const picturePath = (scheme: PictureScheme): string => `docs/pictures/approvals-page-${scheme}.png`;

const operatorSecret = 'only for this picture';

/** The assistants, and what each of them asks for, oldest first. */
const assistants = [
  {
    name: 'ci-assistant',
    client: { name: 'pipeline-agent', version: '1.4' },
    tool: 'stop_environment',
    arguments: { environment_id: 'shop/production' },
  },
  {
    name: 'ann-laptop',
    client: { name: 'desk-assistant', version: '2.0' },
    tool: 'restart_services',
    arguments: { environment_id: 'shop/staging', application_ids: ['checkout-api'] },
  },
] as const;

/** Starts the program from source, over HTTP. @returns its MCP endpoint, and how to stop it. */
export async function startServer(
  directory: string,
  ...options: readonly string[]
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('INFRA_')));
  const args = [
    '--import',
    import.meta.resolve('tsx'),
    join(root, 'src/main.ts'),
    'http',
    '--port',
    '0',
    '--data-dir',
    directory,
    ...options,
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...environment, INFRA_TIME_SCALE: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    url: (JSON.parse(line) as { url: string }).url,
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Makes the call of one assistant, which then waits for the operator. */
async function makeWait(
  url: string,
  key: string,
  { client: info, tool, arguments: args }: (typeof assistants)[number],
): Promise<void> {
  const client = await connectModern(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${key}` } } }),
    undefined,
    info,
  );
  const { content } = await client.call(tool, args);
  await client.close();
  const text = JSON.stringify(content);
  if (!text.includes('waits for approval under code'))
    throw new Error(`${tool} does not wait for the operator, so the picture would lack it. The answer was: ${text}`);
}

/** Replaces ids and times, which differ each time, and leaves out what isn't about calls that wait. */
const steady = (tab: Page): Promise<unknown> =>
  tab.evaluate(`{
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) node.data = node.data.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '5f0c7d52-9a41-4f6e-8b0d-3c1e2a7b9d64');
    for (const call of document.querySelectorAll('article')) {
      const texts = ['less than a minute ago', 'in 14 minutes'];
      const exact = ['2026-11-20 10:00:00 UTC', '2026-11-20 10:15:00 UTC'];
      call.querySelectorAll('time').forEach((time, index) => { time.textContent = texts[index]; });
      call.querySelectorAll('.exact').forEach((time, index) => { time.textContent = exact[index]; });
    }
    for (const id of ['latest', 'position-again', 'find']) document.getElementById(id).remove();
  }`);

async function pictureAt(url: string, scheme: PictureScheme): Promise<Buffer> {
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({
      viewport: { width: 820, height: 600 },
      colorScheme: scheme,
      bypassCSP: true,
    });
    const tab = await context.newPage();
    // Time stands still, so that the page does not update itself while its picture is taken.
    const now = Date.now();
    await tab.clock.install({ time: now });
    await tab.clock.pauseAt(now + 1_000);
    // Without events it would fetch itself only after a while, which doesn't pass.
    await tab.route('**/events?*', (route) => route.abort());
    await tab.goto(new URL('/approvals', url).href);
    await tab.getByLabel('Operator secret').fill(operatorSecret);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab
      .getByRole('article')
      .nth(assistants.length - 1)
      .waitFor();
    await settle(tab);
    await steady(tab);
    return await compactPng(browser, await tab.screenshot({ fullPage: true, animations: 'disabled' }));
  } finally {
    await browser.close();
  }
}

/** The picture of the approvals page, as PNG. Needs Chromium and the fonts of Debian's package `fonts-dejavu-core`. */
export async function approvalsPagePicture(scheme: PictureScheme = 'light'): Promise<Buffer> {
  const directory = await temporaryDirectory('infra-mcp-picture-');
  const keys = assistants.map(({ name }) => ({ name, ...createApiKey() }));
  const keysFile = join(directory, 'keys.yaml');
  try {
    await writeFile(
      keysFile,
      JSON.stringify({ keys: keys.map(({ name, sha256 }) => ({ name, sha256, level: 'admin' })) }),
      { mode: 0o600 },
    );
    await setSecret(join(directory, 'operator.json'), operatorSecret);
    const server = await startServer(directory, '--approvals-page', '--keys-file', keysFile);
    try {
      for (const [index, assistant] of assistants.entries()) await makeWait(server.url, keys[index]!.key, assistant);
      return await pictureAt(server.url, scheme);
    } finally {
      await server.stop();
    }
  } finally {
    removeTemporaryDirectory(directory);
  }
}
