import { randomUUID } from 'node:crypto';
import type { SingleUses } from '../single-uses.ts';
import type { SqliteConnection } from './connection.ts';
import { storedTime } from './stored-time.ts';

/** What counts once, in a SQLite database. */
export const sqliteSingleUses = ({ transact }: SqliteConnection): SingleUses => ({
  begin: (clock, lifetime) =>
    transact((database) => {
      const now = storedTime(database, clock);
      database.prepare('DELETE FROM single_use WHERE expires_at <= ?').run(now);
      const id = randomUUID();
      database.prepare('INSERT INTO single_use (id, expires_at) VALUES (?, ?)').run(id, now + lifetime);
      return id;
    }),
  use: (id, clock) =>
    transact((database) => {
      const row = database.prepare('SELECT used FROM single_use WHERE id = ? AND expires_at > ?').get(id, storedTime(database, clock));
      if (!row) return 'unknown';
      return database.prepare('UPDATE single_use SET used = 1 WHERE id = ? AND used = 0').run(id).changes === 1 ? 'used' : 'used_before';
    }),
});
