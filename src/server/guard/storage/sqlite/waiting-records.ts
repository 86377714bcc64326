import type { DatabaseSync } from 'node:sqlite';
import { waitingLimit, type FoundRecord, type Verdict, type WaitingRecords } from '../waiting-records.ts';
import type { SqliteConnection } from './connection.ts';
import { identityInRecord } from './tables.ts';

interface Row {
  readonly record: string;
  readonly seal: string;
  readonly verdict: Verdict | null;
  readonly signature: string | null;
}

const foundIn = (database: DatabaseSync, where: string, ...values: (string | number)[]): FoundRecord[] => {
  const rows = database.prepare(`SELECT record, seal, verdict, signature FROM pending LEFT JOIN decision USING (code) WHERE ${where}`).all(...values) as unknown as Row[];
  return rows.map(({ record, seal, verdict, signature }) => ({ record, seal, ...(verdict !== null && signature !== null && { decision: { verdict, signature } }) }));
};

const countIn = (database: DatabaseSync, where: string, ...values: (string | number)[]): number =>
  Number(database.prepare(`SELECT count(*) AS n FROM pending LEFT JOIN decision USING (code) WHERE verdict IS NULL AND expires_at > ? AND ${where}`).get(...values)!['n']);

const ofCall = (database: DatabaseSync, call: string, now: number): FoundRecord[] =>
  foundIn(database, 'call = ? AND expires_at > ? ORDER BY expires_at, pending.rowid', call, now);

/** The waiting calls in a SQLite database. */
export const sqliteWaitingRecords = ({ run, transact }: SqliteConnection): WaitingRecords => ({
  add: ({ code, call, identity, record, seal, expiresAt }, now, presentIn) =>
    transact((database) => {
      const present = presentIn(ofCall(database, call, now));
      if (present !== undefined) return { kind: 'present', code: present };
      const full = waitingLimit({ ofCaller: countIn(database, `${identityInRecord} = ?`, now, identity), inAll: countIn(database, 'true', now) });
      if (full) return full;
      database.prepare('INSERT INTO pending VALUES (?, ?, ?, ?, ?)').run(code, call, record, seal, expiresAt);
      return { kind: 'added' };
    }),
  undecided: (now, { newestFirst = false, skip = 0, most = -1 } = {}) => {
    const order = newestFirst ? 'DESC' : 'ASC';
    return run((database) => foundIn(database, `verdict IS NULL AND expires_at > ? ORDER BY expires_at ${order}, pending.rowid ${order} LIMIT ? OFFSET ?`, now, most, skip));
  },
  countUndecided: (now) => run((database) => countIn(database, 'true', now)),
  withCode: (code, now) => run((database) => foundIn(database, 'code = ? AND expires_at > ?', code, now)),
  ofCall: (call, now) => run((database) => ofCall(database, call, now)),
  decide: (code, verdict, signature) =>
    run((database) => database.prepare('INSERT INTO decision SELECT code, ?, ? FROM pending WHERE code = ? ON CONFLICT DO NOTHING').run(verdict, signature, code).changes === 1),
  take: (code) => run((database) => database.prepare('DELETE FROM pending WHERE code = ?').run(code).changes === 1),
  dropExpired: (now) =>
    transact((database) => {
      const { changes } = database.prepare('DELETE FROM pending WHERE expires_at <= ? AND code NOT IN (SELECT code FROM decision)').run(now);
      database.prepare('DELETE FROM pending WHERE expires_at <= ?').run(now);
      return Number(changes);
    }),
});
