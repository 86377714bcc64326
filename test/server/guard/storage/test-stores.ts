import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type GuardStore, sqliteGuardStore } from '../../../../src/server/guard/index.ts';
import { temporaryFolder } from '../../audit/audit-log.ts';

/** What someone without the keys does to the records of a store. */
export interface Tampering {
  readonly putVerdict: (code: string, verdict: string, signature: string) => Promise<void>;
  readonly changeVerdicts: (verdict: string) => Promise<void>;
  /** Gives the decision on one call to another. */
  readonly moveDecision: (from: string, to: string) => Promise<void>;
  readonly replaceInRecords: (old: string, text: string) => Promise<void>;
  readonly prolong: () => Promise<void>;
}

/** An empty store of its own, which is gone when the test ends. */
export interface TestStore extends AsyncDisposable {
  /** Where a program of its own opens it, with `storeAtAddress`. */
  readonly address: string;
  /** Opens it once more, as another process does, with the time that the test makes up. Closed at the end. */
  readonly open: () => GuardStore;
  readonly tamper: Tampering;
  /** What the database has of waiting calls. */
  readonly rows: () => Promise<unknown>;
  /** Ends all connections to it; absent where there are none. */
  readonly cutConnections?: () => Promise<void>;
}

/** Set in the suite whose stores are on a PostgreSQL server: its address. */
const server = process.env['TEST_POSTGRES'];

const postgres = server === undefined ? undefined : await import('./postgres-stores.ts');

/**
 * Opens a store by the address of a test store.
 * @param isTimeGiven whether the time is that of callers, which they make up.
 */
export const storeAtAddress = (address: string, isTimeGiven = false): GuardStore =>
  postgres?.openAt(address, isTimeGiven) ?? sqliteGuardStore(address);

interface Place extends AsyncDisposable {
  readonly address: string;
  readonly tamper: Tampering;
  readonly rows: () => Promise<unknown>;
  readonly cutConnections?: () => Promise<void>;
}

async function sqlitePlace(): Promise<Place> {
  const folder = await temporaryFolder();
  const address = join(folder.path, 'guard.sqlite');
  const run = async (sql: string, ...values: (string | number)[]): Promise<void> => {
    using database = new DatabaseSync(address, { timeout: 5000 });
    database.prepare(sql).run(...values);
  };
  return {
    address,
    tamper: {
      putVerdict: (code, verdict, signature) =>
        run('UPDATE guard_waiting SET verdict = ?, signature = ? WHERE code = ?', verdict, signature, code),
      changeVerdicts: (verdict) => run('UPDATE guard_waiting SET verdict = ? WHERE verdict IS NOT NULL', verdict),
      moveDecision: async (from, to) => {
        await run(
          'UPDATE guard_waiting SET (verdict, signature) = (SELECT verdict, signature FROM guard_waiting WHERE code = ?) WHERE code = ?',
          from,
          to,
        );
      },
      replaceInRecords: (old, text) => run('UPDATE guard_waiting SET record = replace(record, ?, ?)', old, text),
      prolong: () => run("UPDATE guard_waiting SET expires_at = '2076' || substr(expires_at, 5)"),
    },
    rows: async () => {
      using database = new DatabaseSync(address, { timeout: 5000 });
      return database.prepare('SELECT * FROM guard_waiting').all();
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** Makes a store in the database that this run tests. */
export async function createTestStore(): Promise<TestStore> {
  const place: Place = postgres
    ? await postgres.createPlace(server!, `guard_${randomBytes(8).toString('hex')}`)
    : await sqlitePlace();
  const opened: GuardStore[] = [];
  return {
    ...place,
    open: () => {
      const store = storeAtAddress(place.address, true);
      opened.push(store);
      return store;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await place[Symbol.asyncDispose]();
    },
  };
}
