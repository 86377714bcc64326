import { waitingLimit, type FoundRecord, type Verdict, type WaitingRecords } from '../waiting-records.ts';
import { timeValue, type GuardConnection, type Query, type Rows } from './connection.ts';

interface Row {
  readonly record: string;
  readonly seal: string;
  readonly verdict: Verdict | null;
  readonly signature: string | null;
}

const found = (rows: Rows): FoundRecord[] =>
  (rows as unknown as readonly Row[]).map(({ record, seal, verdict, signature }) => ({ record, seal, ...(verdict !== null && signature !== null && { decision: { verdict, signature } }) }));

const columns = 'record, seal, verdict, signature';

const ofCall = async (query: Query, call: string, now: number): Promise<FoundRecord[]> =>
  found(await query(`select ${columns} from guard_waiting where call = $1 and expires_at > $2 order by expires_at, seq`, call, timeValue(now)));

const isUndecided = 'verdict is null and expires_at > $1';

/** The waiting calls in a PostgreSQL database. */
export const postgresWaitingRecords = ({ run, transact }: GuardConnection): WaitingRecords => ({
  add: ({ code, call, identity, record, seal, expiresAt }, now, presentIn) =>
    transact(async ({ query, lock }) => {
      await lock('waiting');
      const present = presentIn(await ofCall(query, call, now));
      if (present !== undefined) return { kind: 'present', code: present };
      const [counts] = await query(`select count(*) as in_all, count(*) filter (where identity = $2) as of_caller from guard_waiting where ${isUndecided}`, timeValue(now), identity);
      const full = waitingLimit({ ofCaller: Number(counts!['of_caller']), inAll: Number(counts!['in_all']) });
      if (full) return full;
      await query('insert into guard_waiting (code, call, identity, record, seal, expires_at) values ($1, $2, $3, $4, $5, $6)', code, call, identity, record, seal, timeValue(expiresAt));
      return { kind: 'added' };
    }),
  undecided: async (now, { newestFirst = false, skip = 0, most } = {}) => {
    const order = newestFirst ? 'desc' : 'asc';
    return found(await run(`select ${columns} from guard_waiting where ${isUndecided} order by expires_at ${order}, seq ${order} limit $2 offset $3`, timeValue(now), most ?? null, skip));
  },
  countUndecided: async (now) => Number((await run(`select count(*) as n from guard_waiting where ${isUndecided}`, timeValue(now)))[0]!['n']),
  withCode: async (code, now) => found(await run(`select ${columns} from guard_waiting where code = $1 and expires_at > $2`, code, timeValue(now))),
  ofCall: (call, now) => ofCall(run, call, now),
  decide: async (code, verdict, signature) => (await run('update guard_waiting set verdict = $2, signature = $3 where code = $1 and verdict is null returning code', code, verdict, signature)).length === 1,
  take: async (code) => (await run('delete from guard_waiting where code = $1 returning code', code)).length === 1,
  dropExpired: async (now) => (await run('delete from guard_waiting where expires_at <= $1 returning verdict', timeValue(now))).filter(({ verdict }) => verdict === null).length,
});
