import { IncompatibleSchema, migrateSchema, openPool, requireCompatibleSchema, storableText, transaction, type PostgresAddress, type PostgresClient } from '../../../../postgres/index.ts';
import { StoreUnavailable } from '../../../failure/index.ts';
import { timeStep } from '../time-step.ts';
import { guardSchema } from './schema-steps.ts';

export type Rows = readonly Readonly<Record<string, unknown>>[];

/** What runs a statement with its values. */
export type Query = (statement: string, ...values: readonly unknown[]) => Promise<Rows>;

/** A transaction, with the time of the store. */
export interface GuardTransaction {
  readonly query: Query;
  /** Waits for its turn among all who decide the same. */
  readonly lock: (name: 'waiting' | 'high-risk calls' | 'secret tries' | 'keys') => Promise<unknown>;
  /** Implements `GuardStore.time` within the transaction. */
  readonly time: (clock: number) => Promise<number>;
}

/** The connections to the database of a store. Its tables are made or migrated at the first use. Its functions throw StoreUnavailable. */
export interface GuardConnection {
  /** Runs a query or a single change, again if the connection was lost. */
  readonly run: Query;
  /** Runs changes in one transaction, again if others got in its way. */
  readonly transact: <Value>(change: (own: GuardTransaction) => Promise<Value>) => Promise<Value>;
  /** Resolves with the reason once a newer server has changed the tables so that this one can't work on them. */
  readonly unusable: Promise<Error>;
  readonly close: () => Promise<void>;
}

/** A time as a value of a statement. @param at milliseconds since 1970 */
export const timeValue = (at: number): string => new Date(at).toISOString();

/** A time of a row, in milliseconds since 1970. */
export const timeOf = (value: unknown): number => Date.parse(value as string);

/** Makes an attempt once, however many wait for it. A failure is not remembered, so that the next use tries again. */
const once = (attempt: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined;
  return () =>
    (done ??= attempt().catch((error: unknown) => {
      done = undefined;
      throw error;
    }));
};

async function followBack(query: Query, now: string): Promise<void> {
  await query('delete from guard_waiting');
  await query('delete from guard_single_use');
  await query('delete from guard_operator_session');
  await query('update guard_high_risk_call set at = $1 where at > $1', now);
  await query('update guard_secret_try set at = $1 where at > $1', now);
}

/**
 * The time of the store. It is the database's own, because the clocks of several machines differ.
 * @param isTimeGiven whether to take the caller's instead.
 */
const timeIn = (query: Query, isTimeGiven: boolean) => async (clock: number): Promise<number> => {
  const step = async (lock: string) => {
    const [row] = await query(`select latest, clock_timestamp() as now from guard_time ${lock}`);
    const latest = row!['latest'];
    return timeStep(latest === null ? undefined : timeOf(latest), isTimeGiven ? clock : timeOf(row!['now']));
  };
  const seen = await step('');
  if (seen.kind === 'stay') return seen.now;
  // Somebody else may have moved it on by the time that it is locked.
  const { now, kind } = await step('for update');
  if (kind === 'back') await followBack(query, timeValue(now));
  if (kind !== 'stay') await query('update guard_time set latest = $1', timeValue(now));
  return now;
};

/** A value as the database takes it: names, callers and codes are of others. */
const storable = (value: unknown): unknown => (typeof value === 'string' ? storableText(value) : Array.isArray(value) ? value.map(storable) : value);

const queryOn = (client: Pick<PostgresClient, 'query'>): Query => async (statement, ...values) => (await client.query<Record<string, unknown>>(statement, values.map(storable))).rows;

/** What the database shows of connections of servers. */
export const applicationName = 'infra-mcp-server';

/** Connects to a database when it is used. @param isTimeGiven whether the time is that of callers instead of the database's. */
export function guardConnection(address: PostgresAddress, { isTimeGiven, maximumConnections }: { readonly isTimeGiven: boolean; readonly maximumConnections: number }): GuardConnection {
  const pool = openPool(address, { applicationName, maximumConnections });
  const prepare = once(() => migrateSchema(pool, guardSchema));
  const unusable = Promise.withResolvers<Error>();
  const attempt: GuardConnection['transact'] = async (change) => {
    await prepare();
    return transaction(pool, 'write', async (client) => {
      // A newer server may have migrated the tables since.
      await requireCompatibleSchema(client, guardSchema);
      const query = queryOn(client);
      return change({ query, lock: (name) => query('select from guard_lock where name = $1 for update', name), time: timeIn(query, isTimeGiven) });
    });
  };
  const transact: GuardConnection['transact'] = (change) =>
    attempt(change).catch((error: unknown) => {
      if (error instanceof IncompatibleSchema) unusable.resolve(error);
      throw new StoreUnavailable(error);
    });
  return { transact, run: (statement, ...values) => transact(({ query }) => query(statement, ...values)), unusable: unusable.promise, close: () => pool.end() };
}
