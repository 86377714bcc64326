import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { holdDeployment } from '../../../src/platform/engine/deployment-rows.ts';
import { addEnvironment, openEngineFixture } from '../../platform/engine/engine-fixture.ts';

/** How long the claim would have time, in milliseconds. */
const moment = 300;

test('a worker does not claim a deployment that a request is about to change', async () => {
  const fixture = await openEngineFixture({ started: false });
  onTestFinished(() => fixture.close());
  const { environmentId, ids } = await addEnvironment(fixture.db, 'one', { web: { kind: 'container' } });
  const id = await fixture.order({ environmentId, serviceIds: [ids['web']!] });
  const events: string[] = [];
  let claimed: Promise<unknown> | undefined;
  await fixture.db.write(async (trx) => {
    const { owner } = await holdDeployment(trx, id);
    events.push(`held, owner ${String(owner)}`);
    claimed = fixture.db
      .write((other) =>
        other.updateTable('deployment').set({ fencing_token: 99 }).where('id', '=', id).executeTakeFirstOrThrow(),
      )
      .then(() => events.push('claimed'));
    await setTimeout(moment);
    events.push('changed');
  });
  await claimed;
  expect(events).toEqual(['held, owner null', 'changed', 'claimed']);
});
