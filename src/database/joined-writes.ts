import {
  type CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type Transaction,
} from 'kysely';

/** How many changes are committed together at most: they keep the event loop while they run. */
const mostTogether = 32;

/** A change that waits for its turn. */
interface Waiting<Rows> {
  readonly operation: (queries: Kysely<Rows>) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const nothing = async (): Promise<void> => {};

const unavailable = async (): Promise<never> => {
  throw new Error('Only the store starts transactions.');
};

const compiler = new SqliteQueryCompiler();

/** Queries that run within a transaction until they are closed. Then they fail: another change has its turn. */
function closable<Rows>(trx: Transaction<Rows>) {
  let isOpen = true;
  const queries = new Kysely<Rows>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => compiler,
      createDriver: () => ({
        init: nothing,
        acquireConnection: async () => ({
          executeQuery: async <Row>(query: CompiledQuery) => {
            if (!isOpen) throw new Error('Transaction is already committed or rolled back');
            return trx.executeQuery<Row>(query);
          },
          streamQuery: () => {
            throw new Error('Rows are read whole, not streamed.');
          },
        }),
        releaseConnection: nothing,
        destroy: nothing,
        beginTransaction: unavailable,
        commitTransaction: unavailable,
        rollbackTransaction: unavailable,
      }),
    },
  });
  return {
    queries,
    close: (): void => {
      isOpen = false;
    },
  };
}

const savepoint = { begin: sql`savepoint change`, undo: sql`rollback to change`, end: sql`release change` };

/** Runs a change within a transaction. If it fails, only the change is undone. @returns how its caller is told */
async function within<Rows>(
  trx: Transaction<Rows>,
  { operation, resolve, reject }: Waiting<Rows>,
): Promise<() => void> {
  await savepoint.begin.execute(trx);
  const { queries, close } = closable(trx);
  try {
    const result = await operation(queries);
    close();
    await savepoint.end.execute(trx);
    return () => resolve(result);
  } catch (error) {
    close();
    await savepoint.undo.execute(trx);
    await savepoint.end.execute(trx);
    return () => reject(error);
  }
}

/**
 * Runs changes one after the other, each as if in a transaction of its own. Those that arrive in the same turn of the
 * event loop are committed together, because most of the time of a commit is spent on getting it onto the disk.
 *
 * A change is answered when it is on the disk. If something is wrong with all of them, each runs once more by itself, so
 * a change may run more than once and must do nothing but change records.
 */
export function joinedWrites<Rows>(writer: Kysely<Rows>) {
  const waiting: Waiting<Rows>[] = [];
  let isScheduled = false;

  const alone = async ({ operation, resolve, reject }: Waiting<Rows>): Promise<void> =>
    writer.transaction().execute(operation).then(resolve, reject);

  const together = async (changes: readonly Waiting<Rows>[]): Promise<void> => {
    const told: (() => void)[] = [];
    let hasBegun = false;
    try {
      await writer.transaction().execute(async (trx) => {
        hasBegun = true;
        for (const change of changes) told.push(await within(trx, change));
      });
    } catch (error) {
      if (!hasBegun) for (const { reject } of changes) reject(error);
      else for (const change of changes) await alone(change);
      return;
    }
    for (const tell of told) tell();
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const changes = waiting.splice(0, mostTogether);
      await (changes.length === 1 ? alone(changes[0]!) : together(changes));
    }
    isScheduled = false;
  };

  return <Result>(operation: (queries: Kysely<Rows>) => Promise<Result>): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ operation, resolve: resolve as (result: unknown) => void, reject });
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => void run());
    });
}
