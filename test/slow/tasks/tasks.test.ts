import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { credentialOf } from '../../../src/client/index.ts';
import { allScenarios, scenarios } from '../../../src/platform/testing/scenarios/scenarios.ts';
import { connectorsTo } from '../../support/connectors.ts';
import { agree, userAnswering } from '../../support/mcp-clients.ts';
import { isLanding } from '../../suites.ts';
import { building } from './building.ts';
import type { Cost } from './cost.ts';
import { everyday } from './everyday.ts';
import { distance, farFrom, longestChain } from './far-platform.ts';
import { incidents } from './incidents.ts';
import { largeTasks } from './large-organization.ts';
import {
  brokenService,
  endFaults,
  filled,
  platformToken as token,
  prepare,
  sayingFaults,
  withPlatform,
} from './on-platform.ts';
import { play } from './play.ts';
import { resources } from './resources.ts';
import type { Task } from './task.ts';
import { tasks } from './tasks.ts';

const baselineFile = join(import.meta.dirname, 'baseline.json');
/** Writes what was measured instead of comparing with it. */
const isRewriting = process.env['REWRITE_BASELINE'] === '1';

const baseline = JSON.parse(await readFile(baselineFile, 'utf8').catch(() => '{}')) as Record<string, Cost>;
const measured: Record<string, Cost> = {};

/** A task is clearly worse when it takes over five in a hundred more; a poll more or less is chance. */
const most = (before: number, chance = 0): number => before * 1.05 + chance;

type Done = Pick<Cost, 'tools' | 'bytes' | 'requests' | 'chain' | 'depths'>;

/**
 * Does a task on a platform of its own, that is this far away, and looks at the platform afterwards.
 * @param isLarge whether its organization is large: then nobody looks at what results say, which shorten long lists
 */
async function done(task: Task, milliseconds: number, isLarge = false): Promise<Done> {
  let result: Done | undefined;
  const use = async (url: string): Promise<void> => {
    const far = await farFrom(url, milliseconds);
    const platform = createClient({ baseUrl: url, credential: credentialOf(token) });
    const near = connectorsTo(url, token);
    const connectors = connectorsTo(far.url, token);
    await prepare(task, near);
    const client = await connectors.modern(
      userAnswering((question) => {
        far.beginRound();
        return agree(question);
      }),
    );
    const { tools, bytes, texts } = await play(filled(task.steps, brokenService(task)), client, far.beginCall);
    if (!isLarge) expect(sayingFaults(task, texts)).toEqual([]);
    if (task.told !== undefined) expect(client.instructions()).toContain(task.told);
    expect(await endFaults(platform, task)).toEqual([]);
    result = { tools, bytes, requests: far.requests(), chain: far.longestChain(), depths: far.depths() };
    await connectors.close();
    await near.close();
    await platform.close();
    await far.close();
  };
  await withPlatform(task, use, isLarge);
  return result!;
}

describe('a client that knows only what the server says', () => {
  test.each(tasks)('can $want', async (task) => {
    const far = await done(task, distance);
    const { tools, bytes } = far;
    const known = baseline[task.want];
    // The landing list does each task once, where what waits for each other shows.
    if (!isLanding) {
      const near = await done(task, 0);
      expect(near.tools).toEqual(tools);
      const { requests } = near;
      const large = largeTasks.includes(task.want) ? (await done(task, 0, true)).requests : undefined;
      measured[task.want] = {
        tools,
        calls: tools.length,
        bytes: near.bytes,
        requests,
        farRequests: far.requests,
        chain: far.chain,
        depths: far.depths,
        ...(large !== undefined && { largeRequests: large }),
      };
      if (isRewriting) return;
      if (known !== undefined) {
        expect(requests, 'requests').toBeLessThanOrEqual(most(known.requests, 2));
        if (large !== undefined)
          expect(large, 'requests in a large organization').toBeLessThanOrEqual(most(known.largeRequests ?? 0, 2));
      }
    }
    expect(known, 'the baseline has this task; write it with REWRITE_BASELINE=1').toBeDefined();
    expect(tools).toEqual(known!.tools);
    expect(bytes, 'bytes').toBeLessThanOrEqual(most(known!.bytes));
    expect(far.requests, 'requests to a platform that is far away').toBeLessThanOrEqual(most(known!.farRequests, 2));
    expect(far.chain, 'requests that wait for each other').toBeLessThanOrEqual(most(known!.chain, 2));
    for (const [call, rounds] of far.depths.entries())
      for (const [round, depth] of rounds.entries())
        expect(depth, `requests that wait for each other in call ${call + 1}`).toBeLessThanOrEqual(
          most(known!.depths[call]?.[round] ?? 0, 1),
        );
  });

  test('there is a task for each failure by itself, thirteen incidents, fifteen things to build, twenty of an everyday, and the lives of seventeen resources', () => {
    expect(
      tasks.flatMap(({ scenario }) => (scenario === undefined || scenario === allScenarios ? [] : scenario)).toSorted(),
    ).toEqual(scenarios.map(({ name }) => name).toSorted());
    expect(incidents.filter(({ scenario }) => scenario === allScenarios)).toHaveLength(13);
    expect(building).toHaveLength(15);
    expect(everyday).toHaveLength(20);
    expect(resources).toHaveLength(17);
    expect(new Set(tasks.map(({ want }) => want)).size).toBe(tasks.length);
    expect(largeTasks.filter((want) => !tasks.some((task) => task.want === want))).toEqual([]);
    expect(
      Object.keys(isRewriting ? {} : baseline).filter((want) => !tasks.some((task) => task.want === want)),
      'tasks that are gone',
    ).toEqual([]);
  });

  test.each([
    [0, []],
    [
      1,
      [
        [0, 10],
        [1, 11],
        [2, 12],
      ],
    ],
    [
      3,
      [
        [0, 30],
        [0, 10],
        [10, 20],
        [21, 31],
        [5, 25],
      ],
    ],
  ] satisfies [number, [number, number][]][])('%i requests waited for each other', (length, times) => {
    expect(longestChain(times.map(([begun, ended]) => ({ begun, ended })))).toBe(length);
  });
});

afterAll(async () => {
  // Tasks that were not run now keep what is known of them.
  const costs = tasks.flatMap(({ want }): [string, Cost][] =>
    [measured[want] ?? baseline[want]].flatMap((cost) => (cost ? [[want, cost]] : [])),
  );
  if (isRewriting) await writeFile(baselineFile, `${JSON.stringify(Object.fromEntries(costs), undefined, 2)}\n`);
});
