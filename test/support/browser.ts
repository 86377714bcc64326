import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Where Debian's package `chromium` puts it. */
const executablePath = '/usr/bin/chromium';

/**
 * Whether there is a browser to test with. Tests that are skipped for want of one say so; in CI that counts as failed.
 */
export const hasBrowser = existsSync(executablePath);
if (!hasBrowser) {
  const why = `${executablePath} is not there. Install it with: apt-get install chromium`;
  if (process.env['CI']) throw new Error(`The tests in a browser have to run in CI, and ${why}`);
  console.warn(`The tests in a browser are skipped: ${why}`);
}

/**
 * A browser without a window, which talks to nobody of its own accord. Its profile is new, and gone when it is closed.
 * @param hosts host names that it takes for this machine
 */
export const openBrowser = (hosts: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...(hosts.length > 0 ? [`--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join(', ')}`] : []),
    ],
  });
