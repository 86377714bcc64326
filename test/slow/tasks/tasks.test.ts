import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { credentialOf } from '../../../src/client/credential.ts';
import { scenarios } from '../../../src/platform/testing/scenarios/scenarios.ts';
import { connectorsTo } from '../../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { brokenService, endFaults, filled, platformToken as token, requestsLeft, withPlatform } from './on-platform.ts';
import { play } from './play.ts';
import { tasks } from './tasks.ts';

const baselineFile = join(import.meta.dirname, 'baseline.json');
/** Writes what was measured instead of comparing with it. */
const isRewriting = process.env['REWRITE_BASELINE'] === '1';

/** What a task costs. */
interface Cost {
  readonly tools: readonly string[];
  readonly calls: number;
  readonly bytes: number;
  readonly requests: number;
}

const baseline = JSON.parse(await readFile(baselineFile, 'utf8').catch(() => '{}')) as Record<string, Cost>;
const measured: Record<string, Cost> = {};

/** A task is clearly worse when it takes over five in a hundred more; a poll more or less is chance. */
const most = (before: number, chance = 0): number => before * 1.05 + chance;

describe('a client that knows only what the server says', () => {
  test.each(tasks)('can $want', async (task) => {
    await withPlatform(task, async (url) => {
      const platform = createClient({ baseUrl: url, credential: credentialOf(token) });
      const connectors = connectorsTo(url, token);
      const client: TestClient = await connectors.modern(userAnswering(agree));
      const before = await requestsLeft(platform);
      const failed = brokenService(task);
      let last = '';
      const listening: TestClient = {
        ...client,
        call: async (...args) => {
          const result = await client.call(...args);
          last = textOf(result);
          return result;
        },
      };
      const { tools, bytes } = await play(filled(task.steps, failed), listening);
      const requests = before - (await requestsLeft(platform)) - 1;
      if (task.says !== undefined) expect(last).toContain(task.says);
      expect(await endFaults(platform, task)).toEqual([]);
      measured[task.want] = { tools, calls: tools.length, bytes, requests };
      await connectors.close();
      await platform.close();

      const known = baseline[task.want];
      if (isRewriting) return;
      expect(known, 'the baseline has this task; write it with REWRITE_BASELINE=1').toBeDefined();
      expect(tools).toEqual(known!.tools);
      expect(bytes, 'bytes').toBeLessThanOrEqual(most(known!.bytes));
      expect(requests, 'requests').toBeLessThanOrEqual(most(known!.requests, 2));
    });
  });

  test('there are twenty-five tasks at least, and one for each failure', () => {
    expect(tasks.length).toBeGreaterThanOrEqual(25);
    expect(tasks.flatMap(({ scenario }) => scenario ?? []).toSorted()).toEqual(scenarios.map(({ name }) => name).toSorted());
  });
});

afterAll(async () => {
  if (isRewriting) await writeFile(baselineFile, `${JSON.stringify(measured, undefined, 2)}\n`);
});
