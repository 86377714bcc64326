import { afterAll, beforeAll, expect, test } from 'vitest';
import { holdDeployment, servicesOf, Superseded } from '../../../src/platform/engine/deployment-rows.ts';
import { applyChange } from '../../../src/platform/engine/service-changes.ts';
import { addEnvironment, openEngineFixture, type EngineFixture } from './engine-fixture.ts';

let fixture: EngineFixture;
beforeAll(async () => {
  fixture = await openEngineFixture({ started: false });
});
afterAll(() => fixture.close());

const ordered = async (name: string) => {
  const { environmentId, ids } = await addEnvironment(fixture.db, name, { db: { kind: 'database' } });
  const id = await fixture.order({ environmentId, serviceIds: [ids['db']!] });
  const deployment = await holdDeployment(fixture.db, id);
  const [service] = await servicesOf(fixture.db, id);
  return { environmentId, deployment, service: service! };
};

const change = {
  at: 1_767_600_000_000,
  row: { state: 'DEPLOYING', due_ms: 0 },
  step: { position: 0, step: 'DEPLOYMENT_QUEUEING', status: 'SUCCESS', beganAt: 0 },
  lines: [{ at: 0, message: 'hello', pod: 'pod', version: '1' }],
  announced: 'DEPLOYMENT_STARTED',
} as const;

/** Every row that a change could have written. */
const traces = async (deploymentId: string) => ({
  services: await servicesOf(fixture.db, deploymentId),
  events: await fixture.db
    .selectFrom('deployment_event')
    .selectAll()
    .where('deployment_id', '=', deploymentId)
    .execute(),
  steps: await fixture.db.selectFrom('deployment_step').selectAll().where('deployment_id', '=', deploymentId).execute(),
  lines: await fixture.db.selectFrom('log_line').selectAll().where('deployment_id', '=', deploymentId).execute(),
});

test('a change decided on a row that has moved on since is not written, nor anything that goes with it', async () => {
  const { environmentId, deployment, service } = await ordered('moved');
  await fixture.db.write((trx) => fixture.engine.cancel(trx, environmentId));
  const before = await traces(deployment.id);
  await expect(fixture.db.write((trx) => applyChange(trx, deployment, service, change))).rejects.toThrow(Superseded);
  expect(await traces(deployment.id)).toEqual(before);
});

test('nor is one of a worker that no longer holds the deployment', async () => {
  const { deployment, service } = await ordered('taken');
  const before = await traces(deployment.id);
  await expect(
    fixture.db.write((trx) => applyChange(trx, { ...deployment, owner: 'another' }, service, change)),
  ).rejects.toThrow(Superseded);
  expect(await traces(deployment.id)).toEqual(before);
});

test('the store itself allows one deployment under way in an environment', async () => {
  const { environmentId } = await ordered('one at a time');
  const services = await fixture.db
    .selectFrom('service')
    .select('id')
    .where('environment_id', '=', environmentId)
    .execute();
  await fixture.order({ environmentId, serviceIds: services.map(({ id }) => id) });
  await expect(
    fixture.db
      .updateTable('deployment')
      .set({ status: 'ONGOING' })
      .where('environment_id', '=', environmentId)
      .execute(),
  ).rejects.toThrow(/unique/i);
});
