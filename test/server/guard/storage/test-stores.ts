import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { GuardStore } from '../../../../src/server/guard/storage/guard-store.ts';
import { sqliteGuardStore } from '../../../../src/server/guard/storage/sqlite/guard-store.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';

/** An empty store of its own, which is gone when the test ends. */
export interface TestStore extends AsyncDisposable {
  /** Where a program of its own opens it, with `storeAtAddress`. */
  readonly address: string;
  /** Opens it once more, as another process does. Closed at the end. */
  readonly open: () => GuardStore;
  /** Runs SQL, as whoever can write in the database could. */
  readonly run: (sql: string, ...values: (string | number)[]) => Promise<void>;
  /** SQL for a time long after that of a column. */
  readonly longAfter: (column: string) => string;
}

/** Opens a store by the address of a test store. */
export const storeAtAddress = (address: string): GuardStore => sqliteGuardStore(address);

/** Makes a store in the database that this run tests. */
export async function createTestStore(): Promise<TestStore> {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'guard.sqlite');
  const opened: GuardStore[] = [];
  return {
    address: path,
    open: () => {
      const store = storeAtAddress(path);
      opened.push(store);
      return store;
    },
    run: async (sql, ...values) => {
      using database = new DatabaseSync(path, { timeout: 5000 });
      database.prepare(sql).run(...values);
    },
    longAfter: (column) => `${column} * 2`,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await folder[Symbol.asyncDispose]();
    },
  };
}
