import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addEnvironment, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('a deploy', () => {
  test('goes through the states of its kind, in order', async () => {
    const { environmentId, ids } = await addEnvironment(world.db, 'states', {
      app: { kind: 'application' }, web: { kind: 'container' }, db: { kind: 'database' }, chart: { kind: 'helm' }, job: { kind: 'job' }, infra: { kind: 'terraform' },
    });
    await world.order({ environmentId, serviceIds: Object.values(ids) });
    await world.settled();
    const events = await world.db.selectFrom('deployment_event').innerJoin('service', 'service.id', 'service_id').select(['service.name', 'state'])
      .orderBy('seq').execute();
    const states = Object.fromEntries([...Map.groupBy(events, (event) => event.name)].map(([name, all]) => [name, all.map((event) => event.state)]));
    expect(states).toEqual({
      db: ['DEPLOYMENT_QUEUED', 'DEPLOYING', 'DEPLOYED'],
      job: ['DEPLOYMENT_QUEUED', 'WAITING_RUNNING', 'EXECUTING', 'DEPLOYED'],
      infra: ['DEPLOYMENT_QUEUED', 'WAITING_RUNNING', 'EXECUTING', 'DEPLOYED'],
      app: ['DEPLOYMENT_QUEUED', 'WAITING_RUNNING', 'BUILDING', 'DEPLOYING', 'DEPLOYED'],
      web: ['DEPLOYMENT_QUEUED', 'WAITING_RUNNING', 'DEPLOYING', 'DEPLOYED'],
      chart: ['DEPLOYMENT_QUEUED', 'WAITING_RUNNING', 'DEPLOYING', 'DEPLOYED'],
    });
  });
});
