import type { Selectable } from 'kysely';
import type { Db } from '../store/database.ts';
import type { DatabaseSchema } from '../store/schema/schema.ts';
import type { EngineContext } from './context.ts';
import type { WorkQueue } from './worker.ts';

type TimerKind = Selectable<DatabaseSchema['timer']>['kind'];

/**
 * Moves a thing on when its time has come; returns when it is to be moved next, or null. `dueAt` is when it should have
 * been moved: earlier than `now` by as long as nobody worked. All in milliseconds since the epoch.
 */
export type TimerHandler = (trx: Db, subjectId: string, now: number, dueAt: number) => Promise<number | null>;

/** Sets when a thing is moved next, in place of what was set before. */
export async function setTimer(trx: Db, kind: TimerKind, subjectId: string, dueAt: number): Promise<void> {
  await trx
    .insertInto('timer')
    .values({ kind, subject_id: subjectId, due_ms: dueAt })
    .onConflict((conflict) => conflict.columns(['kind', 'subject_id']).doUpdateSet({ due_ms: dueAt }))
    .execute();
}

const key = (kind: TimerKind, subjectId: string): string => `${kind}/${subjectId}`;

/** Whatever moves by itself with nothing but rows to change: each move is one transaction, so nobody needs to hold it. */
export function timerQueue(context: EngineContext, moves: Readonly<Record<TimerKind, TimerHandler>>): WorkQueue {
  const { db, clock } = context;

  const move = (kind: TimerKind, subjectId: string) =>
    db.write(async (trx) => {
      const now = clock.now();
      const due = await trx
        .deleteFrom('timer').where('kind', '=', kind).where('subject_id', '=', subjectId).where('due_ms', '<=', now).returning('due_ms').executeTakeFirst();
      if (due === undefined) return;
      const next = await moves[kind](trx, subjectId, now, due.due_ms);
      if (next !== null) await setTimer(trx, kind, subjectId, next);
    });

  return {
    name: 'timers',
    concurrency: 4,
    claimDue: async (_lease, inHand, limit) => {
      const rows = await db.selectFrom('timer').select(['kind', 'subject_id']).where('due_ms', '<=', clock.now()).orderBy('due_ms').limit(limit + inHand.length).execute();
      return rows.map((row) => key(row.kind, row.subject_id)).filter((id) => !inHand.includes(id));
    },
    run: async (id) => {
      const [kind, subjectId] = id.split('/') as [TimerKind, string];
      await move(kind, subjectId);
    },
    nextDue: async (_lease, inHand) => {
      const rows = await db.selectFrom('timer').selectAll().orderBy('due_ms').limit(inHand.length + 1).execute();
      return rows.find((row) => !inHand.includes(key(row.kind, row.subject_id)))?.due_ms ?? null;
    },
    hasClaims: async () => false,
  };
}
