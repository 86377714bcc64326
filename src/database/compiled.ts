import type { Compilable, CompiledQuery } from 'kysely';
import type { Dialect, Queries } from './dialect.ts';

type Value = string | number | null;

/** The values of a query, by name. */
type Given = Readonly<Record<string, Value | readonly Value[]>>;

/** Runs queries that read. */
export type Reads<Rows> = Pick<Queries<Rows>, 'selectFrom' | 'executeQuery' | 'sql'>;

/** A query without its values. */
interface Form<Row> {
  readonly query: CompiledQuery<Row>;
  /** Gives each parameter its value. */
  readonly parameters: readonly ((given: Given) => unknown)[];
}

/** Queries with longer lists are built each time: each number of values has a form of its own. */
const longestList = 16;

/**
 * Makes queries that are built and compiled once for each database and each number of values in their lists. Building
 * and compiling a query takes several times as long as SQLite takes to run it.
 */
export const compiling =
  <Rows>() =>
  /** @param build makes the query. It may only pass the values on: it doesn't see them. */
  <Of extends Given, Row>(build: (queries: Reads<Rows>, given: Of) => Compilable<Row>) => {
    const forms = new WeakMap<Dialect, Map<string, Form<Row>>>();

    const formOf = (queries: Reads<Rows>, given: Of): Form<Row> => {
      const read = new WeakMap<object, (values: Given) => unknown>();
      const stands = (reader: (values: Given) => unknown): Value => {
        const placeholder = {};
        read.set(placeholder, reader);
        return placeholder as unknown as Value;
      };
      const placeholders = Object.entries(given).map(([name, value]) => [
        name,
        Array.isArray(value)
          ? value.map((_: Value, index) => stands((values) => (values[name] as readonly Value[])[index]))
          : stands((values) => values[name]),
      ]);
      const query = build(queries, Object.fromEntries(placeholders) as Of).compile();
      return { query, parameters: query.parameters.map((one) => read.get(one as object) ?? (() => one)) };
    };

    /** @returns the rows */
    return async (queries: Reads<Rows>, given: Of): Promise<readonly Row[]> => {
      const lengths = Object.values(given).map((value) => (Array.isArray(value) ? value.length : -1));
      if (lengths.some((length) => length > longestList))
        return (await queries.executeQuery<Row>(build(queries, given).compile())).rows;
      const own = forms.get(queries.sql) ?? new Map<string, Form<Row>>();
      forms.set(queries.sql, own);
      const key = lengths.join();
      const form = own.get(key) ?? formOf(queries, given);
      own.set(key, form);
      const parameters = form.parameters.map((valueOf) => valueOf(given));
      return (await queries.executeQuery<Row>({ ...form.query, parameters })).rows;
    };
  };
