import { DatabaseSync } from 'node:sqlite';
import { dirname } from 'node:path';
import { openDatabase } from '../../src/platform/store/index.ts';
import { sqliteGuardStore } from '../../src/server/guard/index.ts';

// Opens a file of an earlier program, and kills this process at the first statement that begins with a text.
const [kind = '', path = '', text = ''] = process.argv.slice(2);
const prepare = Reflect.get(DatabaseSync.prototype, 'prepare') as (statement: string) => unknown;
Reflect.set(DatabaseSync.prototype, 'prepare', function killing(this: DatabaseSync, statement: string): unknown {
  if (statement.startsWith(text)) process.kill(process.pid, 'SIGKILL');
  return prepare.call(this, statement);
});
if (kind === 'guard') {
  const store = sqliteGuardStore(path);
  await store.waiting.countUndecided(0);
  await store.close();
} else {
  await (await openDatabase(dirname(path))).destroy();
}
