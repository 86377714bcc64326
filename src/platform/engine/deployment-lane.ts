import type { EngineContext } from './context.ts';
import { drive } from './drive.ts';
import type { Lease } from './lease.ts';
import type { Lane } from './worker.ts';

/** The deployments whose turn has come: claimed by one worker, held by it until they end. */
export function deploymentLane(context: EngineContext): Lane {
  const { db, clock } = context;

  const free = (limit: number) =>
    db.selectFrom('deployment').select('id').where('due_ms', '<=', clock.now()).where('owner', 'is', null).orderBy('due_ms').orderBy('seq').limit(limit);

  const claim = (lease: Lease, limit: number) =>
    db.write(async (trx) => {
      await lease.renew(trx);
      await trx
        .updateTable('deployment').set({ owner: lease.owner })
        .where('owner', 'is', null)
        .where('id', 'in', trx.selectFrom(free(limit).as('free')).select('id'))
        .execute();
    });

  return {
    name: 'deployments',
    width: 16,
    take: async (lease, inHand, limit) => {
      if ((await free(1).execute()).length > 0) await claim(lease, limit);
      const due = await db
        .selectFrom('deployment').select('id')
        .where('owner', '=', lease.owner).where('due_ms', '<=', clock.now())
        .$if(inHand.length > 0, (query) => query.where('id', 'not in', [...inHand]))
        .orderBy('due_ms').limit(limit).execute();
      return due.map((row) => row.id);
    },
    carryOut: (id, lease) => drive(context, id, lease.owner),
    nextDue: async (lease, inHand) => {
      const next = await db
        .selectFrom('deployment').select('due_ms')
        .where('due_ms', 'is not', null)
        .where((eb) => eb.or([eb('owner', 'is', null), eb('owner', '=', lease.owner)]))
        .$if(inHand.length > 0, (query) => query.where('id', 'not in', [...inHand]))
        .orderBy('due_ms').limit(1).executeTakeFirst();
      return next?.due_ms ?? null;
    },
    holds: async (lease) => (await db.selectFrom('deployment').select('id').where('owner', '=', lease.owner).limit(1).execute()).length > 0,
  };
}
