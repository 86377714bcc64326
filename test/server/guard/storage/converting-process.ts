import { DatabaseSync } from 'node:sqlite';
import { sqliteGuardStore } from '../../../../src/server/guard/storage/guard-store.ts';

// Opens a store, and kills this process at the first statement that begins with a text.
const [path = '', text = ''] = process.argv.slice(2);
const prepare = Reflect.get(DatabaseSync.prototype, 'prepare') as (statement: string) => unknown;
Reflect.set(DatabaseSync.prototype, 'prepare', function killing(this: DatabaseSync, statement: string): unknown {
  if (statement.startsWith(text)) process.kill(process.pid, 'SIGKILL');
  return prepare.call(this, statement);
});
const store = sqliteGuardStore(path);
await store.waiting.countUndecided(0);
await store.close();
