import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import type { Dialect, Queries } from './dialect.ts';

type Value = string | number | null;

/** Runs queries that read. */
export type Reads<Rows> = Pick<Queries<Rows>, 'selectFrom' | 'executeQuery' | 'sql'>;

/** Runs queries that read or change. */
type Changes<Rows> = Reads<Rows> & Pick<Queries<Rows>, 'insertInto' | 'updateTable' | 'deleteFrom'>;

/** The values of a query, by name. */
type Given = Readonly<Record<string, Value | readonly Value[]>>;

/** A query without its values. */
interface Form<Row> {
  readonly query: CompiledQuery<Row>;
  /** Gives each parameter its value. */
  readonly parameters: readonly ((given: Given) => unknown)[];
}

/** Queries with longer lists are built each time. */
const longestList = 64;

/** A list with its last value repeated up to the next power of two, so that few lengths need a form of their own. */
const padded = <Item>(list: readonly Item[]): readonly Item[] =>
  list.length < 3
    ? list
    : [...list, ...Array.from({ length: 2 ** Math.ceil(Math.log2(list.length)) - list.length }, () => list.at(-1)!)];

/** The values that are given, with padded lists, and what a form for them depends on: their names and lengths of lists. */
function formed(values: object): { readonly given: Given; readonly key: string } {
  const given: Record<string, Value | readonly Value[]> = {};
  let key = '';
  for (const [name, value] of Object.entries(values) as [string, Value | readonly Value[] | undefined][]) {
    if (value === undefined) continue;
    const list = Array.isArray(value) ? padded(value as readonly Value[]) : undefined;
    given[name] = list ?? value;
    key += list ? `${name}[${list.length}],` : `${name},`;
  }
  return { given, key };
}

/** Stands for a value while a query is built. */
type Stand = (reader: (values: Given) => unknown) => Value;

const placeholdersFor = (given: Given, stands: Stand): Given =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.map((_: Value, index) => stands((values) => (values[name] as readonly Value[])[index]))
        : stands((values) => values[name]),
    ]),
  );

/** Runs a query with values. It is built once for each key of the values and each database. */
const runner = <Through extends Reads<never>, Of extends object, Row>(
  build: (queries: Through, given: Of) => Compilable<Row>,
) => {
  const forms = new WeakMap<Dialect, Map<string, Form<Row>>>();

  const formOf = (queries: Through, given: Given): Form<Row> => {
    const read = new WeakMap<object, (values: Given) => unknown>();
    const placeholders = placeholdersFor(given, (reader) => {
      const placeholder = {};
      read.set(placeholder, reader);
      return placeholder as unknown as Value;
    });
    const query = build(queries, placeholders as unknown as Of).compile();
    return { query, parameters: query.parameters.map((one) => read.get(one as object) ?? (() => one)) };
  };

  return async (queries: Through, values: Of): Promise<QueryResult<Row>> => {
    if (Object.values(values).some((value) => Array.isArray(value) && value.length > longestList))
      return queries.executeQuery<Row>(build(queries, values).compile());
    const { given, key } = formed(values);
    const own = forms.get(queries.sql) ?? new Map<string, Form<Row>>();
    forms.set(queries.sql, own);
    const form = own.get(key) ?? formOf(queries, given);
    own.set(key, form);
    return queries.executeQuery<Row>({ ...form.query, parameters: form.parameters.map((valueOf) => valueOf(given)) });
  };
};

/**
 * Makes queries that are built and compiled once for each database, each set of names of values, and each length of
 * lists. Building and compiling a query takes several times as long as SQLite takes to run it.
 */
export const compiling = <Rows>() => ({
  /**
   * A query that reads.
   * @param build makes the query. It may only pass the values on: it doesn't see them. It may only compare with the
   * values of a list: they may be repeated
   */
  compiled: <Of extends object, Row>(build: (queries: Reads<Rows>, given: Of) => Compilable<Row>) => {
    const run = runner(build);
    /** @returns the rows */
    return async (queries: Reads<Rows>, given: Of): Promise<readonly Row[]> => (await run(queries, given)).rows;
  },
  /**
   * A query that changes rows, with columns as they are given.
   * @param build as for `compiled`
   */
  compiledChange: <Of extends object, Row>(build: (queries: Changes<Rows>, given: Of) => Compilable<Row>) =>
    runner(build),
});
