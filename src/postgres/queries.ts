import {
  type CompiledQuery,
  type DatabaseConnection,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
  replaceWithNoncontingentExpression,
  sql as rawSql,
} from 'kysely';
import { postgresDialect, type Queries } from '../database/index.ts';
import { isOutdatedStatement } from './transaction.ts';
import { type PostgresClient, storableText } from './pool.ts';

/** Runs statements: one connection, or any free one of a pool. */
export type Statements = Pick<PostgresClient, 'query'>;

/** The maximum number of prepared statements per connection. Lists of ids create statements of many lengths. */
const maximumPrepared = 250;

/** The names under which connections keep statements prepared, so that each is parsed and planned once. */
interface PreparedNames {
  /** The name of a statement; undefined once the maximum is reached. */
  of(statement: string): string | undefined;
  /** Gives all statements new names, because those prepared before are outdated. */
  renew(): void;
}

function createPreparedNames(): PreparedNames {
  const names = new Map<string, string>();
  let generation = 0;
  return {
    of: (statement) => {
      if (!names.has(statement) && names.size < maximumPrepared)
        names.set(statement, `statement_${generation}_${names.size}`);
      return names.get(statement);
    },
    renew: () => {
      generation += 1;
      names.clear();
    },
  };
}

/** Commands whose number of affected rows is returned. */
const changing = ['INSERT', 'UPDATE', 'DELETE'];

const storable = (value: unknown): unknown =>
  typeof value === 'string' ? storableText(value) : Array.isArray(value) ? value.map(storable) : value;

const prepared = createPreparedNames();

/**
 * Runs a prepared statement.
 * @param isAlone whether it runs outside a transaction, which would have to be retried as a whole
 */
async function runPrepared(statements: Statements, text: string, values: unknown[], isAlone: boolean) {
  const query = () => {
    const name = prepared.of(text);
    return statements.query({ text, values, ...(name !== undefined && { name }) });
  };
  try {
    return await query();
  } catch (error) {
    if (!isOutdatedStatement(error)) throw error;
    prepared.renew();
    if (!isAlone) throw error;
    return query();
  }
}

/** @param isAlone whether each statement runs outside a transaction */
const connectionTo = (statements: Statements, isAlone: boolean): DatabaseConnection => ({
  // A connection runs statements in the order in which they are sent, without waiting for answers in between.
  executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
    const { command, rowCount, rows } = await runPrepared(statements, sql, parameters.map(storable), isAlone);
    return { rows: rows as Row[], ...(changing.includes(command) && { numAffectedRows: BigInt(rowCount ?? 0) }) };
  },
  streamQuery: () => {
    throw new Error('Rows are read whole, not streamed.');
  },
});

const unavailable = async (): Promise<never> => {
  throw new Error('Only the store starts transactions.');
};

const nothing = async (): Promise<void> => {};

const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });
const emptyList = / in \(\)/;

const compiler = new PostgresQueryCompiler();

/** Compiles statements. Replacing empty lists takes as long as compiling, so it is done only where there is one. */
const compiling: QueryCompiler = {
  compileQuery: (node, queryId) => {
    const compiled = compiler.compileQuery(node, queryId);
    return emptyList.test(compiled.sql)
      ? compiler.compileQuery(emptyLists.transformQuery({ node, queryId }), queryId)
      : compiled;
  },
};

/**
 * Queries that run on one connection, or on those of a pool.
 * @param isAlone whether each statement runs outside a transaction
 */
export function queriesOn<Rows>(statements: Statements, isAlone: boolean): Queries<Rows> {
  const connection = connectionTo(statements, isAlone);
  const queries = new Kysely<Rows>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => compiling,
      createDriver: () => ({
        init: nothing,
        acquireConnection: async () => connection,
        releaseConnection: nothing,
        destroy: nothing,
        beginTransaction: unavailable,
        commitTransaction: unavailable,
        rollbackTransaction: unavailable,
      }),
    },
  });
  return Object.assign(queries, { sql: postgresDialect });
}

/** The time of the database, as a value of a query. */
export const databaseTime = rawSql<string>`clock_timestamp()`;
