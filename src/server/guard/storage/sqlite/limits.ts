import type { DatabaseSync } from 'node:sqlite';
import { blockedUntil, countedTime, type HighRiskCalls } from '../high-risk-calls.ts';
import { lockTime, secretLock, terminalSource, triesLeft, type SecretTries } from '../secret-tries.ts';
import type { SqliteConnection } from './connection.ts';
import { storedTime } from './stored-time.ts';

// The newest calls, as many as the limit, are never deleted, however old: a clock that ran ahead may be set back.
const deleteExpired = 'DELETE FROM grave_call WHERE at <= ? AND rowid NOT IN (SELECT rowid FROM grave_call ORDER BY at DESC LIMIT ?)';

/** The count of high-risk calls in a SQLite database. */
export function sqliteHighRiskCalls({ transact }: SqliteConnection): HighRiskCalls {
  const ask = (most: number, clock: number, count: number, isTaken: boolean): Promise<number | undefined> =>
    transact((database) => {
      const now = storedTime(database, clock);
      database.prepare(deleteExpired).run(now - countedTime, most);
      const times = database.prepare('SELECT at FROM grave_call ORDER BY at').all().map(({ at }) => Number(at));
      const until = blockedUntil(times, most, count, now);
      const insertion = database.prepare('INSERT INTO grave_call (at) VALUES (?)');
      if (isTaken && until === undefined) for (let inserted = 0; inserted < count; inserted += 1) insertion.run(now);
      return until;
    });
  return {
    nextAt: (most, now, count = 1) => ask(most, now, count, false),
    take: (most, now, count = 1) => ask(most, now, count, true),
  };
}

const timesIn = (database: DatabaseSync, where: string, source: string): number[] =>
  database.prepare(`SELECT at FROM wrong_secret WHERE ${where} ORDER BY at`).all(source).map(({ at }) => Number(at));

/** The tries at the operator's secret in a SQLite database. */
export const sqliteSecretTries = ({ run, transact }: SqliteConnection): SecretTries => ({
  begin: (source, clock) =>
    transact((database) => {
      const now = storedTime(database, clock);
      database.prepare('DELETE FROM wrong_secret WHERE at <= ?').run(now - lockTime);
      const lock = secretLock(source, timesIn(database, 'source = ?', source), () => timesIn(database, 'source != ?', terminalSource));
      return lock ?? { kind: 'try', id: String(database.prepare('INSERT INTO wrong_secret (at, source) VALUES (?, ?)').run(now, source).lastInsertRowid) };
    }),
  forget: (id) => run((database) => void database.prepare('DELETE FROM wrong_secret WHERE rowid = ?').run(Number(id))),
  left: (source) => run((database) => triesLeft(timesIn(database, 'source = ?', source).length)),
});
