import type { Generated } from 'kysely';
import { type DatabaseKind, jsonMemberOf } from './dialect.ts';

/**
 * The column types of each database, by kind of value. Rows have times as ISO 8601 text, flags as 1 or 0, and JSON as
 * the stored text.
 */
const columnTypes = {
  // Compared and ordered by its characters, whatever the database's locale. Only ASCII letters have a case.
  text: { sqlite: 'text', postgres: 'text collate "C"' },
  time: { sqlite: 'text', postgres: 'timestamptz' },
  flag: { sqlite: 'integer', postgres: 'boolean' },
  json: { sqlite: 'text', postgres: 'json' },
  // Counts below 2^31.
  integer: { sqlite: 'integer', postgres: 'integer' },
  // Counts, and times in milliseconds: far below 2^53.
  long: { sqlite: 'integer', postgres: 'bigint' },
} as const satisfies Record<string, Record<DatabaseKind, string>>;

type ColumnType = keyof typeof columnTypes;

/** The column of another table that a column refers to. */
interface Reference {
  readonly table: string;
  readonly column: string;
  /** The action on the row when the referenced row is deleted. By default that row can't be deleted. */
  readonly onDelete?: 'cascade' | 'set null';
}

interface ColumnOptions {
  readonly type: ColumnType;
  readonly isNullable?: boolean;
  readonly isKey?: boolean;
  readonly isUnique?: boolean;
  readonly isNumber?: boolean;
  readonly isCaseless?: boolean;
  readonly standard?: string | number;
  readonly reference?: Reference;
  readonly since?: number;
}

/** A column. @template Type the type of its values, as kysely defines it */
export interface Column<Type> {
  readonly options: ColumnOptions;
  /** Exists only for its type. */
  readonly type?: Type;
  /** Allows null. */
  orNull(): Column<Type | null>;
  /** Makes it the primary key. */
  key(): Column<Type>;
  unique(): Column<Type>;
  /** Sets the default value: a text, a number, or 1 or 0. */
  default(value: string | number): Column<Generated<Type>>;
  /** Makes it a foreign key to a column of another table; default its `id`. */
  references(table: string, more?: Partial<Reference>): Column<Type>;
  /** Makes texts that differ only in the case of ASCII letters equal in indexes and unique constraints. */
  caseless(): Column<Type>;
  /** The number of the step that adds it, where that is not the step of its table. */
  since(step: number): Column<Type>;
}

const column = <Type>(options: ColumnOptions): Column<Type> => {
  const having = <Other = Type>(more: Partial<ColumnOptions>): Column<Other> => column({ ...options, ...more });
  return {
    options,
    orNull: () => having({ isNullable: true }),
    key: () => having({ isKey: true }),
    unique: () => having({ isUnique: true }),
    default: (standard) => having({ standard }),
    references: (to, more) => having({ reference: { table: to, column: 'id', ...more } }),
    caseless: () => having({ isCaseless: true }),
    since: (since) => having({ since }),
  };
};

export const text = <Type extends string = string>(): Column<Type> => column({ type: 'text' });
/** A moment, as ISO 8601 text in UTC with milliseconds. */
export const time = (): Column<string> => column({ type: 'time' });
export const flag = (): Column<0 | 1> => column({ type: 'flag' });
export const json = (): Column<string> => column({ type: 'json' });
export const integer = (): Column<number> => column({ type: 'integer' });
export const long = (): Column<number> => column({ type: 'long' });
/** Numbers rows in the order in which they were written. */
export const numbered = (): Column<Generated<number>> => column({ type: 'long', isNumber: true });

/** A member of a JSON column, as queries refer to it with `member` of `Dialect`. */
interface JsonMember {
  readonly column: string;
  readonly path: readonly string[];
}

/** An index: its columns or JSON members, and its condition. */
export interface Index {
  readonly on: readonly (string | JsonMember)[];
  readonly isUnique?: boolean;
  /** The condition in SQL, the same for all databases. */
  readonly where?: string;
  /** The number of the step that adds it, where that is not the step of its table. */
  readonly since?: number;
}

export interface TableOptions {
  /** The number of the step that adds it; default the first. */
  readonly since?: number;
  /** The columns of a composite key. */
  readonly key?: readonly string[];
  /** Further constraints, in SQL that is the same for all databases, such as `check (…)`. */
  readonly constraints?: readonly string[];
  /** By name. */
  readonly indexes?: Readonly<Record<string, Index>>;
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

export interface Table<Of extends Columns = Columns> {
  readonly columns: Of;
  readonly options: TableOptions;
}

export const table = <const Of extends Columns>(columns: Of, options: TableOptions = {}): Table<Of> => ({
  columns,
  options,
});

/** Tables by name. */
export type Tables = Readonly<Record<string, Table>>;

/** The row types of tables, for kysely and code. */
export type RowsOf<Of extends Tables> = {
  [Name in keyof Of]: {
    [Key in keyof Of[Name]['columns']]: Of[Name]['columns'][Key] extends Column<infer Type> ? Type : never;
  };
};

const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

const standardOf = ({ type, standard }: ColumnOptions, kind: DatabaseKind): string => {
  if (standard === undefined) return '';
  return ` default ${type === 'flag' && kind === 'postgres' ? String(standard === 1) : literal(standard)}`;
};

/** SQLite numbers rows only by their primary key. There, the declared key is a unique column. */
const keyOf = ({ isKey, isNumber }: ColumnOptions, kind: DatabaseKind, isNumberTheKey: boolean): string => {
  if (isNumber && isNumberTheKey)
    return kind === 'sqlite' ? ' primary key autoincrement' : ' generated by default as identity primary key';
  if (isNumber) return ' not null generated by default as identity';
  if (isKey) return isNumberTheKey ? ' not null unique' : ' primary key';
  return '';
};

const columnOf = (name: string, options: ColumnOptions, kind: DatabaseKind, isNumberTheKey: boolean): string => {
  const { type, isNullable, isKey, isNumber, isUnique, isCaseless, reference } = options;
  return [
    `"${name}" ${columnTypes[type][kind]}`,
    keyOf(options, kind, isNumberTheKey),
    isNullable || isKey || isNumber ? '' : ' not null',
    standardOf(options, kind),
    isUnique && !(isCaseless && kind === 'postgres') ? ' unique' : '',
    isCaseless && kind === 'sqlite' ? ' collate nocase' : '',
    type === 'flag' && kind === 'sqlite' ? ` check ("${name}" in (0, 1))` : '',
    reference
      ? ` references ${reference.table} (${reference.column})${reference.onDelete ? ` on delete ${reference.onDelete}` : ''}`
      : '',
  ].join('');
};

const tableStatement = (name: string, { columns, options }: Table, kind: DatabaseKind, step: number): string => {
  const of = Object.entries(columns).filter(([, own]) => (own.options.since ?? step) === step);
  const isKeyed = of.some(([, own]) => own.options.isKey) || options.key !== undefined;
  const isNumberTheKey = of.some(([, own]) => own.options.isNumber) && (kind === 'sqlite' || !isKeyed);
  const parts = [
    ...of.map(([own, { options: about }]) => columnOf(own, about, kind, isNumberTheKey)),
    ...(options.key ? [`${isNumberTheKey ? 'unique' : 'primary key'} (${options.key.join(', ')})`] : []),
    ...(options.constraints ?? []),
  ];
  return `create table ${name} (${parts.join(', ')})${kind === 'sqlite' ? ' strict' : ''}`;
};

const indexStatement = (
  name: string,
  tableName: string,
  { columns }: Table,
  { on, isUnique, where }: Index,
  kind: DatabaseKind,
): string => {
  const parts = on.map((part) => {
    if (typeof part !== 'string') return jsonMemberOf(kind, part.column, part.path);
    return kind === 'postgres' && columns[part]?.options.isCaseless ? `lower(${part})` : part;
  });
  return `create ${isUnique ? 'unique ' : ''}index ${name} on ${tableName} (${parts.join(', ')})${where === undefined ? '' : ` where ${where}`}`;
};

/** The statements with which a step adds its tables, columns and indexes. @param step its number, from 1 */
export const statementsOf = (tables: Tables, step: number, kind: DatabaseKind): string[] =>
  Object.entries(tables).flatMap(([name, of]) => {
    const { since = 1, indexes = {} } = of.options;
    const added = Object.entries(of.columns).filter(([, { options }]) => options.since === step && since < step);
    return [
      ...(since === step ? [tableStatement(name, of, kind, step)] : []),
      ...added.map(([own, { options }]) => `alter table ${name} add column ${columnOf(own, options, kind, false)}`),
      ...Object.entries(indexes)
        .filter(([, index]) => (index.since ?? since) === step)
        .map(([own, index]) => indexStatement(own, name, of, index, kind)),
    ];
  });
