import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addDays } from '../../../src/platform/common/index.ts';
import { allScenarios, scenarios } from '../../../src/platform/testing/scenarios/scenarios.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { databaseFile } from '../../../src/platform/store/index.ts';
import { manualClock } from '../engine/engine-fixture.ts';
import { type Json, type TestPlatform, rowsOf, startTestPlatform } from '../../support/test-platform.ts';

const startPlatform = async (options: Parameters<typeof startTestPlatform>[0] = {}): Promise<TestPlatform> => {
  const started = await startTestPlatform(options);
  onTestFinished(() => started.close().catch(() => undefined));
  return started;
};

const pricing = { container_id: seedId('service/pricing/staging/pricing-engine') };
const stock = { container_id: seedId('service/warehouse/production/stock-sync') };
const base = ['shop/staging', 'shop/production', 'data/development'];

const stateOf = async (at: TestPlatform, target: Json): Promise<unknown> =>
  (await at.must('get_container_status', target))['state'];

/** Every environment but those of the plain seed, by path. */
const brought = async (at: TestPlatform): Promise<string[]> => {
  const projects = rowsOf(await at.must('list_projects', { organization_id: at.organizationId }));
  const paths = await Promise.all(
    projects.map(async ({ id, name }) =>
      rowsOf(await at.must('list_environments', { project_id: id })).map(
        (environment) => `${String(name)}/${String(environment['name'])}`,
      ),
    ),
  );
  return paths
    .flat()
    .filter((path) => !base.includes(path))
    .toSorted();
};

const clock = manualClock();
let fourScenarios: TestPlatform;

beforeAll(async () => {
  fourScenarios = await startTestPlatform({
    scenarios: ['bad-image-tag', 'terraform-state-lock', 'missing-variable', 'cluster-locked'],
    clock,
  });
});

afterAll(() => fourScenarios.close());

test('brings only the environments of the scenarios that were asked for, and none of it twice', async () => {
  expect(await brought(fourScenarios)).toEqual([
    'network/staging',
    'network/tooling',
    'payments/staging',
    'pricing/staging',
    'warehouse/production',
  ]);
  const before = fourScenarios.dump();
  fourScenarios = await fourScenarios.restart();
  expect(fourScenarios.dump()).toEqual(before);
});

test('a restart of an application is one of the commit that runs, not of a newer one that would fail', async () => {
  const application = { application_id: seedId('service/payments/staging/payments-api') };
  await fourScenarios.must('restart_services', {
    environment_id: seedId('environment/payments/staging'),
    application_ids: [application.application_id],
  });
  await expect
    .poll(async () => (await fourScenarios.must('get_application_status', application))['state'])
    .toBe('RUNNING');
  const [newest] = rowsOf(await fourScenarios.must('list_application_deployments', application));
  expect(newest).toMatchObject({
    status: 'RESTARTED',
    details: { commit: { git_commit_id: expect.stringMatching(/^c81f5a2/) } },
  });
});

test("the state's lock names an instance of the service that holds it, and is held again hours after that was restarted", async () => {
  const runner = { container_id: seedId('service/network/tooling/plan-runner') };
  const terraform = { terraform_id: seedId('service/network/staging/private-network') };
  const apply = async () => {
    await fourScenarios.must('redeploy_terraform', terraform);
    await expect
      .poll(async () => (await fourScenarios.must('get_terraform_status', terraform))['state'])
      .toMatch(/^(DEPLOYED|DEPLOYMENT_ERROR)$/);
    return rowsOf(await fourScenarios.must('get_terraform_logs', { ...terraform, tail: 4 }))
      .map(({ message }) => String(message))
      .join('\n');
  };
  const who = /Who: {7}runner@(\S+)/.exec(await apply())?.[1];
  const pods = new Set(rowsOf(await fourScenarios.must('get_container_logs', runner)).map((line) => line['pod_name']));
  expect(pods).toContain(who);
  await fourScenarios.must('restart_services', {
    environment_id: seedId('environment/network/tooling'),
    container_ids: [runner.container_id],
  });
  await expect.poll(() => stateOf(fourScenarios, runner)).toBe('RESTARTED');
  expect(await apply()).toContain('Apply complete!');
  clock.advance(7 * 3_600_000);
  expect(await apply()).toContain('terraform exited with code 1');
});

test('a lock holds from its beginning to its end', async () => {
  expect((await fourScenarios.call('deploy_container', stock)).status).toBe(400);
  clock.advance(addDays(0, 3.1));
  await fourScenarios.must('deploy_container', stock);
  await expect.poll(() => stateOf(fourScenarios, stock)).toBe('DEPLOYED');
});

test('puts a scenario onto a directory that exists, beside what is there', async () => {
  const plain = await startPlatform();
  const before = plain.dump();
  const later = await plain.restart({ scenarios: ['bad-image-tag'] });
  expect(await brought(later)).toEqual(['pricing/staging']);
  // Totals of lists grow with them.
  const { list_total: _before, ...dumped } = before;
  const after = later.dump();
  for (const [table, rows] of Object.entries(dumped)) expect(after[table]!.slice(0, rows.length), table).toEqual(rows);
});

test('leaves the failure where the directory is served without the option, and leaves what was fixed alone with it', async () => {
  const first = await startPlatform({ scenarios: ['bad-image-tag'] });
  const without = await first.restart({ scenarios: [] });
  await without.must('deploy_container', pricing);
  await expect.poll(() => stateOf(without, pricing)).toBe('DEPLOYMENT_ERROR');
  await without.must('update_container', {
    ...(await without.must('get_container', pricing)),
    tag: '3.7.0',
    ...pricing,
  });
  await without.must('deploy_container', pricing);
  await expect.poll(() => stateOf(without, pricing)).toBe('DEPLOYED');
  const again = await without.restart({ scenarios: ['bad-image-tag'] });
  expect(await stateOf(again, pricing)).toBe('DEPLOYED');
});

/** What became of each deployment of the payments, and when and by whom it was ordered. */
const historyOf = async (at: TestPlatform) =>
  rowsOf(
    await at.must('list_application_deployments', { application_id: seedId('service/payments/staging/payments-api') }),
  ).map(({ status, auditing_data }) => [
    status,
    (auditing_data as Json)['created_at'],
    (auditing_data as Json)['triggered_by'],
  ]);

test('goes on where it was cut off', async () => {
  const platform = await startPlatform({ scenarios: ['missing-variable'] });
  const complete = await historyOf(platform);
  // As if it had ended after the first of the deployments.
  const store = new DatabaseSync(join(platform.dataDir, databaseFile), { enableForeignKeyConstraints: false });
  store
    .prepare('DELETE FROM deployment WHERE environment_id = ? AND created_at > ?')
    .run(seedId('environment/payments/staging'), String(complete.at(-1)![1]));
  store.close();
  expect(await historyOf(platform)).toHaveLength(1);
  expect(await historyOf(await platform.restart())).toEqual(complete);
});

test('knows no scenario of another name, and makes nothing for it', async () => {
  await expect(startTestPlatform({ scenarios: ['bad-image-tag', 'bad-tag'] })).rejects.toThrow(
    '"bad-tag" is no scenario. There are bad-image-tag, ',
  );
});

const saidWith = async (randomSeed: string) =>
  (
    await startPlatform({ scenarios: ['out-of-memory', 'docker-build-error'], clock: manualClock(), randomSeed })
  ).dump()['log_line'];

test('says the same, word for word, for the same seed at the same time', async () => {
  expect(await saidWith('seven')).toEqual(await saidWith('seven'));
});

test('names no scenario in anything it keeps or says', async () => {
  const all = await startPlatform({ scenarios: [allScenarios] });
  const dumped = JSON.stringify(all.dump());
  expect(scenarios.map(({ name }) => name).filter((name) => dumped.includes(name))).toEqual([]);
  expect(dumped).not.toMatch(/scenario/i);
});
