import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isWiderThanWindow, problemsIn } from '../browser/accessibility.ts';
import { enter } from '../browser/console-page.ts';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { type DockerPlatform, startDockerPlatform } from '../support/docker/docker-platform.ts';
import { askProxy } from '../support/docker/public-requests.ts';
import { setOperatorSecret } from '../support/guard-fixture.ts';
import { startProgram } from '../support/started-program.ts';

const port = 8894;
const soon = { interval: 300 };

let docker: DockerPlatform;
let browser: Browser;

beforeAll(async () => {
  if (!hasBrowser) return;
  docker = await startDockerPlatform({ proxy: { httpPort: port }, measureInterval: 1000 });
  await docker.publish('shell', '1');
  const web = await docker.container('web', 'mkdir /www; echo hello > /www/index.html; exec httpd -f -p 8080 -h /www', {
    ports: [{ internal_port: 8080, publicly_accessible: true }],
  });
  const busy = await docker.container('busy', 'dd if=/dev/zero of=/dev/shm/held bs=1M count=20; while :; do :; done', {
    cpu: 200,
  });
  const never = await docker.container('never', 'exec sleep 1d');
  await Promise.all([docker.act('deploy', web), docker.act('deploy', busy), docker.act('deploy', never)]);
  await docker.act('stop', never);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await docker?.end();
});

/** The measurements of the project in the console of a server before the platform, which ends with the test. */
async function openMeasurements(): Promise<Page> {
  const dataDir = await temporaryDirectory();
  await setOperatorSecret(join(dataDir, 'operator.json'));
  const { ready } = await startProgram(
    commandLine(['http', '--port', '0', '--console', '--data-dir', dataDir], {
      INFRA_BASE_URL: docker.platform.url,
      INFRA_API_TOKEN: docker.platform.token,
    }),
  );
  const tab = await (await browser.newContext({ bypassCSP: true })).newPage();
  await enter(tab, new URL('/console/measurements?project=shop', ready.url).href);
  return tab;
}

describe.skipIf(!hasBrowser)('the measurements of the console', () => {
  test('are what an engine measures, beside limits, and become lines', async () => {
    const tab = await openMeasurements();
    const service = (name: string) => tab.getByRole('listitem').filter({ hasText: `shop/staging/${name}` });
    /** What is drawn of a service, read again. */
    const drawn = async (name: string): Promise<string> => {
      await tab.getByRole('button', { name: 'Refresh' }).click();
      return service(name).innerText();
    };
    await expect.poll(() => drawn('busy'), soon).toMatch(/CPU (?:[2-9]\d|\d{3}) of 200 m \(\d+ %\)/);
    expect(await drawn('busy')).toMatch(/Memory (?:19|[2-5]\d)(?:\.\d+)? of 64 MB \(\d+ %\)/);
    expect(await drawn('busy')).not.toContain('Requests');
    await expect
      .poll(async () => {
        await askProxy({ host: 'web-staging.localhost', port, path: '/' });
        return drawn('web');
      }, soon)
      .toMatch(/Requests (?!0 )[\d.]+ \/s/);
    await expect.poll(() => drawn('web'), soon).toMatch(/95 % within/);

    const line = service('busy').getByRole('img', { name: /^CPU: / });
    await expect
      .poll(async () => {
        await drawn('busy');
        return (await line.count()) > 0;
      }, soon)
      .toBe(true);
    const points = (await line.locator('polyline').getAttribute('points'))!.split(' ');
    expect(points.length).toBeGreaterThan(1);
    for (const point of points) {
      const [x, y] = point.split(',').map(Number) as [number, number];
      expect([x >= 0 && x <= 120, y >= 0 && y <= 32]).toEqual([true, true]);
    }
    // What doesn't run is not among what is measured, or says that it isn't.
    expect(
      await service('never')
        .filter({ hasText: / of \d+ m / })
        .count(),
    ).toBe(0);

    for (const width of [320, 1280])
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.setViewportSize({ width, height: 844 });
        await tab.emulateMedia({ colorScheme });
        expect(await problemsIn(tab), `${width} ${colorScheme}`).toEqual([]);
        expect(await isWiderThanWindow(tab), `${width} ${colorScheme}`).toBe(false);
      }
  });
});
