import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { rowsOf } from '../../../support/test-platform.ts';
import { type ControlledPlatform, startTime, startControlledPlatform } from './controlled-platform.ts';

let platform: ControlledPlatform;
/** What a new platform holds. */
let fresh: string[][];
beforeAll(async () => {
  platform = await startControlledPlatform({ randomSeed: 'of the test' });
  fresh = await tables();
});
afterEach(() => platform.mustControl('DELETE', '/faults'));
afterAll(() => platform.close());

const createProject = (name: string) =>
  platform.must('create_project', { organization_id: platform.organizationId, name });
const projects = async () =>
  rowsOf(await platform.must('list_projects', { organization_id: platform.organizationId, page_size: 100 })).map(
    ({ name }) => name,
  );
const snapshot = (name: string) => platform.mustControl('POST', '/snapshots', { name });
const restore = (name: string) => platform.mustControl('POST', '/restore', { name });

/** A digest of each table, once everything due is done. */
const tables = async () => {
  await platform.mustControl('POST', '/time/advance', { by: 'PT0S' });
  return Object.entries(platform.dump()).map(([name, all]) => {
    // What is sealed is sealed again; settings are written in another order, the tables made at another time.
    const rows = JSON.stringify(all).replaceAll(/(sealed_\w+[\\":]+)[\w+/=]{20,}/g, '$1');
    return [
      name,
      ['setting', 'platform_schema_step', 'kysely_migration'].includes(name)
        ? ''
        : createHash('sha256').update(rows).digest('hex'),
    ];
  });
};

test('what was restored works on: secrets open, deployments under way go on', async () => {
  await platform.must('deploy_application', { application_id: platform.seed['application_id'] });
  const { now: later } = await platform.mustControl('POST', '/time/advance', { by: 'PT4S' });
  const status = () => platform.must('get_application_status', { application_id: platform.seed['application_id'] });
  const then = await status();
  expect(then['state']).toBe('BUILDING');
  await snapshot('building');
  await platform.mustControl('POST', '/time/advance', { by: 'PT1H' });
  expect((await status())['state']).toBe('RUNNING');
  expect(await restore('building')).toEqual({ restored: 'building', now: later });
  expect(await status()).toEqual(then);
  await platform.mustControl('POST', '/time/advance', { by: 'PT1H' });
  expect((await status())['state']).toBe('RUNNING');
});

test('a restore goes back in time, and the same seed gives the same again', async () => {
  await platform.mustControl('PUT', '/faults/sometimes', { effect: 'step_error', probability: 0.3 });
  await snapshot('baseline');
  const run = async () => {
    await restore('baseline');
    const { id } = await createProject('same');
    await platform.must('deploy_environment', { environment_id: platform.seed['environment_id'] });
    await platform.mustControl('POST', '/time/advance', { by: 'PT1H' });
    const { results } = await platform.must('list_environment_deployments', {
      environment_id: platform.seed['environment_id'],
    });
    return { id, results };
  };
  expect(await run()).toEqual(await run());
});

test('reset goes back to the seed, where time stood at first; tokens, rules and snapshots stay', async () => {
  await platform.mustControl('POST', '/reset');
  expect(await tables()).toEqual(fresh);
  await platform.mustControl('PUT', '/faults/rule', { effect: 'status_500', operation: 'get_organization' });
  const { id } = await createProject('gone');
  await snapshot('kept');
  await platform.mustControl('POST', '/time/advance', { by: 'P2D' });
  expect(await platform.mustControl('POST', '/reset')).toEqual({ now: startTime });
  expect(await tables()).toEqual(fresh);
  // What comes next is what came at first, too.
  expect(await createProject('gone')).toMatchObject({ id });
  expect(rowsOf(await platform.mustControl('GET', '/faults'))).toHaveLength(1);
  expect(rowsOf(await platform.mustControl('GET', '/snapshots')).map(({ name }) => name)).toContain('kept');
  await restore('kept');
  expect(await projects()).toContain('gone');
});
