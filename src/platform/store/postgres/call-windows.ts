import { CompiledQuery } from 'kysely';
import { joined } from '../../common/index.ts';
import type { CallWindow, CallWindows } from '../call-windows.ts';
import type { Db } from '../store.ts';

/** An unlogged table: no call waits for the disk, and a crash of the database gives every caller a new window. */
export const callWindowStatements: readonly string[] = [
  `create unlogged table call_window (caller text collate "C" primary key, ends_at bigint not null, calls bigint not null)`,
  'create index call_window_end on call_window (ends_at)',
];

const counting = `
  insert into call_window as present values ($1, $2::bigint + $3::bigint, $4::bigint)
  on conflict (caller) do update set
    calls = case when present.ends_at <= $2 then $4 else present.calls + $4 end,
    ends_at = case when present.ends_at <= $2 then excluded.ends_at else present.ends_at end
  returning ends_at as "endsAt", calls`;

/**
 * Counts the calls to all processes on the same records. Calls of one caller that arrive while others of it are counted
 * are counted together.
 */
export function postgresCallWindows(db: Pick<Db, 'executeQuery'>): CallWindows {
  const counted = joined(async (caller: string, times: readonly (readonly [now: number, milliseconds: number])[]) => {
    const [now, milliseconds] = times.at(-1)!;
    const {
      rows: [window],
    } = await db.executeQuery<CallWindow>(CompiledQuery.raw(counting, [caller, now, milliseconds, times.length]));
    const before = window!.calls - times.length;
    // Expired windows are deleted when another caller starts one.
    if (before === 0) await db.executeQuery(CompiledQuery.raw('delete from call_window where ends_at <= $1', [now]));
    return { endsAt: window!.endsAt, before };
  });
  return {
    count: async (caller, now, milliseconds) => {
      const [{ endsAt, before }, place] = await counted(caller, [now, milliseconds]);
      return { endsAt, calls: before + place + 1 };
    },
  };
}
