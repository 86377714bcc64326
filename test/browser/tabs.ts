import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { closeTestServers } from '../transport/test-server.ts';

/**
 * Opens a browser for the tests of a file.
 * @param hosts host names that it takes for this machine
 * @returns what opens a tab with a profile of its own, which ends with the test, like the servers that it started
 */
export function useTabs(hosts?: readonly string[]): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    if (hasBrowser) browser = await openBrowser(hosts);
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    await closeTestServers();
  });
  afterAll(async () => {
    await browser?.close();
  });
  return async (options) => {
    const context = await browser!.newContext(options);
    contexts.push(context);
    return context.newPage();
  };
}
