import type { PostgresPool } from '../../../postgres/index.ts';
import type { CallWindow, CallWindows } from '../call-windows.ts';

/** An unlogged table: no call waits for the disk, and a crash of the database gives every caller a new window. */
export const callWindowStatements: readonly string[] = [
  `create unlogged table call_window (caller text collate "C" primary key, ends_at bigint not null, calls bigint not null)`,
  'create index call_window_end on call_window (ends_at)',
];

const counting = `
  insert into call_window as present values ($1, $2::bigint + $3::bigint, 1)
  on conflict (caller) do update set
    calls = case when present.ends_at <= $2 then 1 else present.calls + 1 end,
    ends_at = case when present.ends_at <= $2 then excluded.ends_at else present.ends_at end
  returning ends_at as "endsAt", calls`;

/**
 * Counts the calls to all processes on the same records.
 * @param pool gives the pool, or throws if it may not be used any more
 */
export const postgresCallWindows = (pool: () => PostgresPool): CallWindows => ({
  count: async (caller, now, milliseconds) => {
    const {
      rows: [window],
    } = await pool().query<CallWindow>(counting, [caller, now, milliseconds]);
    // Expired windows are deleted when another caller starts one.
    if (window!.calls === 1) await pool().query('delete from call_window where ends_at <= $1', [now]);
    return window!;
  },
});
