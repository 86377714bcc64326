import type { Selectable } from 'kysely';
import type { DatabaseSchema, Db } from '../store/index.ts';
import type { EngineContext } from './context.ts';
import type { WorkQueue } from './worker.ts';

type TimerKind = Selectable<DatabaseSchema['timer']>['kind'];

/**
 * Handles a timer that has fired; returns when to fire next, or null. `dueAt` is its due time: well before `now` if no
 * worker was running. All times are in milliseconds since the epoch.
 */
export type TimerHandler = (trx: Db, subjectId: string, now: number, dueAt: number) => Promise<number | null>;

/** Sets the timer of a subject, replacing the previous one. */
export async function setTimer(trx: Db, kind: TimerKind, subjectId: string, dueAt: number): Promise<void> {
  await trx
    .insertInto('timer')
    .values({ kind, subject_id: subjectId, due_ms: dueAt })
    .onConflict((conflict) => conflict.columns(['kind', 'subject_id']).doUpdateSet({ due_ms: dueAt }))
    .execute();
}

const key = (kind: TimerKind, subjectId: string): string => `${kind}/${subjectId}`;

/** The queue of timers. Each one is handled in a single transaction, so no claims are needed. */
export function timerQueue(context: EngineContext, handlers: Readonly<Record<TimerKind, TimerHandler>>): WorkQueue {
  const { db, clock } = context;

  const fire = (kind: TimerKind, subjectId: string) =>
    db.write(async (trx) => {
      await trx.lock(subjectId);
      const now = clock.now();
      const due = await trx
        .deleteFrom('timer')
        .where('kind', '=', kind)
        .where('subject_id', '=', subjectId)
        .where('due_ms', '<=', now)
        .returning('due_ms')
        .executeTakeFirst();
      if (due === undefined) return;
      const next = await handlers[kind](trx, subjectId, now, due.due_ms);
      if (next !== null) await setTimer(trx, kind, subjectId, next);
    });

  return {
    name: 'timers',
    concurrency: 4,
    claimDue: async (_lease, inProgress, limit) => {
      const rows = await db
        .selectFrom('timer')
        .select(['kind', 'subject_id'])
        .where('due_ms', '<=', clock.now())
        .orderBy('due_ms')
        .limit(limit + inProgress.length)
        .execute();
      return rows.map((row) => key(row.kind, row.subject_id)).filter((id) => !inProgress.includes(id));
    },
    run: async (id) => {
      const [kind, subjectId] = id.split('/') as [TimerKind, string];
      await fire(kind, subjectId);
    },
    nextDue: async (_lease, inProgress) => {
      const rows = await db
        .selectFrom('timer')
        .selectAll()
        .orderBy('due_ms')
        .limit(inProgress.length + 1)
        .execute();
      return rows.find((row) => !inProgress.includes(key(row.kind, row.subject_id)))?.due_ms ?? null;
    },
    hasClaims: async () => false,
  };
}
