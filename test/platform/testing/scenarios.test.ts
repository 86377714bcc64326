import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scenarios } from '../../../src/platform/testing/scenarios/scenarios.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { type Json, type TestPlatform, rowsOf, startTestPlatform } from '../../support/test-platform.ts';
import { expectedScenarios, type ExpectedScenario, type Step } from './expected-scenarios.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: ['all'] });
});

afterAll(() => platform.close());

const target = ({ kind, service }: Pick<ExpectedScenario, 'kind' | 'service'>): Json => ({
  [`${kind}_id`]: seedId(`service/${service}`),
});
const status = (one: ExpectedScenario): Promise<Json> => platform.must(`get_${one.kind}_status`, target(one));
const history = async (one: ExpectedScenario): Promise<Json[]> =>
  rowsOf(await platform.must(`list_${one.kind}_deployments`, { ...target(one), pageSize: 50 }));
const messages = async (one: Pick<ExpectedScenario, 'kind' | 'service'>): Promise<string[]> =>
  rowsOf(await platform.must(`get_${one.kind}_logs`, target(one))).map(({ message }) => String(message));

/** What a deployment deployed: its commit or its tag. */
const versionOf = ({ details }: Json): string | undefined => {
  const { commit, image } = details as { commit?: { git_commit_id: string }; image?: { tag: string } };
  return commit?.git_commit_id ?? image?.tag;
};

const orderedAt = ({ auditing_data }: Json): string => String((auditing_data as Json)['created_at']);

/** What was changed since the last good deployment, where that had the same version. */
const lastChange = async (one: ExpectedScenario): Promise<Json> =>
  one.changed
    ? rowsOf(await platform.must('list_environment_variables', target(one))).find(
        ({ key }) => key === one.changed!.variable,
      )!
    : platform.must(`get_${one.kind}`, target(one));

/** Takes the steps, and waits until nothing of the environment moves. Gives the service's state. */
const take = async (one: ExpectedScenario, steps: readonly Step[]): Promise<string> => {
  for (const { call, input, refused } of steps) {
    const { status: code, text } = await platform.call(
      call,
      typeof input === 'function' ? await input(platform) : input,
    );
    if (refused) expect([code, text]).toEqual([400, expect.stringMatching(refused)]);
    else expect(code, text).toBeLessThan(300);
  }
  await expect
    .poll(async () => (await history(one))[0]?.['status'], { interval: 10 })
    .toMatch(/^(DEPLOYED|\w+_ERROR|CANCELED)$/);
  return String((await history(one))[0]!['status']);
};

test('every scenario is expected to show something', () => {
  expect(expectedScenarios.map(({ name }) => name)).toEqual(scenarios.map(({ name }) => name));
});

test('no two scenarios bring or know the same thing', () => {
  const things = scenarios.flatMap(({ environments, clusters = [], facts: world }) => [
    ...environments.map(({ path }) => path),
    ...clusters.map(({ name }) => name),
    ...Object.values(world).flatMap((known) => Object.keys(known)),
  ]);
  expect(things).toEqual([...new Set(things)]);
});

describe.each(expectedScenarios.map((one): [string, ExpectedScenario] => [one.name, one]))('%s', (_, one) => {
  test('fails as it does in life, after it went well', async () => {
    const [newest, ...before] = await history(one);
    expect(newest).toMatchObject({ status: one.state, status_details: { status: 'ERROR' } });
    expect((await status(one))['steps']).toMatchObject({
      details: expect.arrayContaining([expect.objectContaining({ step_name: one.step, status: 'ERROR' })]),
    });
    const good = before.find((row) => row['status'] === 'DEPLOYED');
    expect(good).toBeDefined();
    if (one.lastGood) {
      expect(versionOf(good!)).toMatch(one.lastGood);
      expect(versionOf(newest!)).not.toEqual(versionOf(good!));
      return;
    }
    // What was deployed is the same: its configuration, or a variable, was changed in between.
    const { updated_at } = await lastChange(one);
    expect(orderedAt(good!) < String(updated_at)).toBe(true);
    expect(String(updated_at) < orderedAt(newest!)).toBe(true);
  });

  test('says why, among other things', async () => {
    const log = await messages(one);
    if (one.otherServiceLog) {
      const other = await messages(one.otherServiceLog);
      for (const line of one.otherServiceLog.lines)
        expect(
          other.filter((message) => line.test(message)),
          String(line),
        ).not.toEqual([]);
    }
    for (const line of one.logPatterns)
      expect(
        log.filter((message) => line.test(message)),
        String(line),
      ).not.toEqual([]);
    expect(log.some((message) => message.includes('\u001B['))).toBe(true);
    expect(log.some((message) => message.includes('\n'))).toBe(true);
    expect(log.filter((message) => !one.logPatterns.some((line) => line.test(message))).length).toBeGreaterThan(
      log.length / 3,
    );
  });

  test.each(Object.entries(one.ineffectiveFixes))('is not helped by %s', async (_way, steps) => {
    expect(await take(one, steps)).toBe(one.state);
  });

  test.each(one.alternativeFix ? [one.alternativeFix] : [])(
    'is gone after another fix, and there again when that is undone',
    async ({ there, back }) => {
      expect(await take(one, there)).toBe('DEPLOYED');
      expect(await take(one, back)).toBe(one.state);
    },
  );

  test('is gone after the fix', async () => {
    expect(await take(one, one.fix)).toBe('DEPLOYED');
    expect(await status(one)).toMatchObject({ service_deployment_status: 'UP_TO_DATE' });
  });
});
