import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { operations } from '../../../src/contract/operations.ts';
import { createClient, type Client } from '../../../src/client/client.ts';
import { credentialOf } from '../../../src/client/credential.ts';
import { scenarios } from '../../../src/platform/testing/scenarios/scenarios.ts';
import { connectorsTo } from '../../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../../support/mcp-clients.ts';
import { play, type Step } from './play.ts';
import { tasks, type EndState, type Task } from './tasks.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

type Row = Record<string, unknown>;

const token = 'token-of-the-tasks';
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

/** The path of the service that a scenario breaks. */
const failedIn = (name: string | undefined): string => {
  const scenario = scenarios.find((one) => one.name === name);
  const deployed = scenario?.history.toReversed().flatMap((episode) => ('deploy' in episode ? [episode.deploy.at(-1)!] : []));
  return deployed?.[0] ?? '';
};

const filled = (steps: readonly Step[], failed: string): readonly Step[] => JSON.parse(JSON.stringify(steps).replaceAll('@failed', failed)) as readonly Step[];

/** Looks at the platform itself, past the server that is tried. */
async function look(client: Client, path: string): Promise<{ row: Row; state: unknown; id: string }> {
  const [project, environment, service] = path.split('/');
  const named = (list: unknown, name: string | undefined): Row => (list as { results: Row[] }).results.find((row) => row['name'] === name)!;
  const { id: organization_id } = (await client.call(operations.get_organization, {})) as { id: string };
  const inProject = named(await client.call(operations.list_projects, { organization_id }), project);
  const inEnvironment = named(await client.call(operations.list_environments, { project_id: String(inProject['id']) }), environment);
  const environment_id = String(inEnvironment['id']);
  const statuses = (await client.call(operations.get_environment_status, { environment_id })) as Record<string, Row | Row[]>;
  if (service === undefined) return { row: inEnvironment, state: (statuses['environment'] as Row)['state'], id: environment_id };
  const row = named(await client.call(operations.list_services, { environment_id }), service);
  const status = Object.values(statuses).flat().find(({ id }) => id === row['id']);
  return { row, state: status?.['state'], id: String(row['id']) };
}

async function expectEnd(client: Client, { at, state, is, variables }: EndState): Promise<void> {
  const seen = await look(client, at);
  if (state !== undefined) expect(seen.state, at).toBe(state);
  if (is) expect(seen.row).toMatchObject(is);
  if (!variables) return;
  const { results } = (await client.call(operations.list_environment_variables, { application_id: seen.id })) as { results: { key: string; value: string }[] };
  expect(Object.fromEntries(results.map(({ key, value }) => [key, value]))).toMatchObject(variables);
}

/** A platform with a task's failure on it, as nobody has touched it. */
async function withPlatform(task: Task, use: (url: string) => Promise<void>): Promise<void> {
  const platform = await startTestPlatform({ token, rateLimit: 100_000, randomSeed: 'tasks', ...(task.scenario && { scenarios: [task.scenario] }) });
  try {
    await use(platform.url);
  } finally {
    await platform.close();
  }
}

const remaining = (client: Client): number => client.budget()?.remaining ?? 0;

describe('a client that knows only what the server says', () => {
  test.each(tasks)('can $want', async (task) => {
    await withPlatform(task, async (url) => {
      const platform = createClient({ baseUrl: url, credential: credentialOf(token) });
      const connectors = connectorsTo(url, token);
      const client: TestClient = await connectors.modern(userAnswering(agree));
      await platform.call(operations.get_organization, {});
      const before = remaining(platform);
      const failed = failedIn(task.scenario);
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
      await platform.call(operations.get_organization, {});
      const requests = before - remaining(platform) - 1;
      if (task.says !== undefined) expect(last).toContain(task.says);
      for (const end of task.end ?? []) await expectEnd(platform, { ...end, at: end.at.replace('@failed', failed) });
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
