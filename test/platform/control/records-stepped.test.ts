import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { rowsOf } from '../lab.ts';
import { type ControlledLab, start, startControlled } from './support.ts';

let lab: ControlledLab;
/** What a new platform holds. */
let fresh: string[][];
beforeAll(async () => {
  lab = await startControlled({ randomSeed: 'of the test' });
  fresh = await tables();
});
afterEach(() => lab.tell('DELETE', '/faults'));
afterAll(() => lab.close());

const createProject = (name: string) => lab.must('create_project', { organization_id: lab.organizationId, name });
const projects = async () => rowsOf(await lab.must('list_projects', { organization_id: lab.organizationId, page_size: 100 })).map(({ name }) => name);
const snapshot = (name: string) => lab.tell('POST', '/snapshots', { name });
const restore = (name: string) => lab.tell('POST', '/restore', { name });

/** A digest of each table, once everything due is done. */
const tables = async () => {
  await lab.tell('POST', '/time/advance', { by: 'PT0S' });
  return Object.entries(lab.dump()).map(([name, all]) => {
    // What is sealed is sealed anew; settings are written in another order, migrations at another time.
    const rows = JSON.stringify(all).replaceAll(/(sealed_\w+[\\":]+)[\w+/=]{20,}/g, '$1');
    return [name, name === 'setting' || name.startsWith('kysely') ? '' : createHash('sha256').update(rows).digest('hex')];
  });
};

test('what was restored works on: secrets open, deployments under way go on', async () => {
  await lab.must('deploy_application', { application_id: lab.seed['application_id'] });
  const { now: later } = await lab.tell('POST', '/time/advance', { by: 'PT4S' });
  const status = () => lab.must('get_application_status', { application_id: lab.seed['application_id'] });
  const then = await status();
  expect(then['state']).toBe('BUILDING');
  await snapshot('building');
  await lab.tell('POST', '/time/advance', { by: 'PT1H' });
  expect((await status())['state']).toBe('RUNNING');
  expect(await restore('building')).toEqual({ restored: 'building', now: later });
  expect(await status()).toEqual(then);
  await lab.tell('POST', '/time/advance', { by: 'PT1H' });
  expect((await status())['state']).toBe('RUNNING');
});

test('a restore goes back in time, and the same seed gives the same again', async () => {
  await lab.tell('PUT', '/faults/sometimes', { effect: 'step_error', probability: 0.3 });
  await snapshot('baseline');
  const run = async () => {
    await restore('baseline');
    const { id } = await createProject('same');
    await lab.must('deploy_environment', { environment_id: lab.seed['environment_id'] });
    await lab.tell('POST', '/time/advance', { by: 'PT1H' });
    const { results } = await lab.must('list_environment_deployments', { environment_id: lab.seed['environment_id'] });
    return { id, results };
  };
  expect(await run()).toEqual(await run());
});

test('reset goes back to the seed, where time stood at first; tokens, rules and snapshots stay', async () => {
  await lab.tell('POST', '/reset');
  expect(await tables()).toEqual(fresh);
  await lab.tell('PUT', '/faults/rule', { effect: 'status_500', operation: 'get_organization' });
  const { id } = await createProject('gone');
  await snapshot('kept');
  await lab.tell('POST', '/time/advance', { by: 'P2D' });
  expect(await lab.tell('POST', '/reset')).toEqual({ now: start });
  expect(await tables()).toEqual(fresh);
  // What comes next is what came at first, too.
  expect(await createProject('gone')).toMatchObject({ id });
  expect(rowsOf(await lab.tell('GET', '/faults'))).toHaveLength(1);
  expect(rowsOf(await lab.tell('GET', '/snapshots')).map(({ name }) => name)).toContain('kept');
  await restore('kept');
  expect(await projects()).toContain('gone');
});
