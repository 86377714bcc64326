import type { DatabaseKind } from './dialect.ts';
import { statementsOf, type Tables } from './tables.ts';

/** Runs one statement within a transaction, and gives its rows. */
export type Run = (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** One step of a schema. Steps are never changed or reordered: databases remember them by their names. */
export interface SchemaStep {
  readonly name: string;
  /**
   * The number of steps that a program has to know to go on working on the database after this one. A step that only
   * adds what such a program doesn't use has that of the step before.
   */
  readonly compatibleSince: number;
  /** Statements before it adds the tables, columns and indexes that are there since it. */
  readonly before?: Partial<Record<DatabaseKind, readonly string[]>>;
  /** Statements after that. */
  readonly after?: Partial<Record<DatabaseKind, readonly string[]>>;
}

/** Tables that change together, in a database that may have others. */
export interface Schema<Of extends Tables = Tables> {
  /** Its name, in the name of the table of its steps. */
  readonly name: string;
  readonly tables: Of;
  readonly steps: readonly SchemaStep[];
  /**
   * Takes over what programs from before the steps left in a database that has none of them. It has to call
   * `takeSteps`, which makes the tables; it may make way for them, and bring rows into them.
   */
  readonly takeOver?: Partial<Record<DatabaseKind, (run: Run, takeSteps: () => Promise<void>) => Promise<void>>>;
}

/** Thrown if a program and a database are too far apart to work together. */
export class IncompatibleSchema extends Error {
  constructor(name: string, known: number, found: number, needed: number) {
    super(
      `The database's ${name} records are of a newer version: they have ${found} schema steps and need a program that knows at least ${needed}; this one knows ${known}. ` +
        'Nothing was changed. Start the newer version of infra-mcp, or restore a dump of before it.',
    );
    this.name = 'IncompatibleSchema';
  }
}

interface AppliedStep {
  readonly name: string;
  readonly compatibleSince: number;
}

/**
 * What a schema is for a program: not there, as it knows it, to be migrated, of a newer version that it can work on, or
 * too new for it.
 */
export type SchemaState = 'missing' | 'known' | 'older' | 'newer' | 'too new';

/** The table of the steps of a schema that a database has. */
export const stepTableOf = ({ name }: Pick<Schema, 'name'>): string => `${name}_schema_step`;

const appliedSteps = async (run: Run, schema: Schema): Promise<AppliedStep[]> =>
  (await run(`select name, compatible_since from ${stepTableOf(schema)} order by position`)).map((row) => ({
    name: String(row['name']),
    compatibleSince: Number(row['compatible_since']),
  }));

/** How many steps a program has to know. */
const neededFor = (applied: readonly AppliedStep[]): number =>
  Math.max(0, ...applied.map(({ compatibleSince }) => compatibleSince));

/**
 * What a database's steps are for a program.
 * @param run looks only
 * @param isPresent whether the database has a table of that name
 */
export async function schemaStateOf(
  schema: Schema,
  run: Run,
  isPresent: (table: string) => Promise<boolean>,
): Promise<SchemaState> {
  if (!(await isPresent(stepTableOf(schema)))) return 'missing';
  const applied = await appliedSteps(run, schema);
  if (neededFor(applied) > schema.steps.length) return 'too new';
  if (schema.steps.some(({ name }) => !applied.some((step) => step.name === name))) return 'older';
  return applied.length > schema.steps.length ? 'newer' : 'known';
}

/**
 * Requires that this program may work on a schema that another one may have migrated.
 * @throws IncompatibleSchema otherwise
 */
export async function requireCompatibleSchema(schema: Schema, run: Run): Promise<readonly AppliedStep[]> {
  const applied = await appliedSteps(run, schema);
  const needed = neededFor(applied);
  if (needed > schema.steps.length)
    throw new IncompatibleSchema(schema.name, schema.steps.length, applied.length, needed);
  return applied;
}

/** Runs statements one after another. */
export const each = async (run: Run, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await run(statement);
};

/** Takes one step. @param position its place, from 0 */
async function takeStep({ tables, ...schema }: Schema, position: number, kind: DatabaseKind, run: Run): Promise<void> {
  const { name, compatibleSince, before, after } = schema.steps[position]!;
  await each(run, [
    ...(before?.[kind] ?? []),
    ...statementsOf(tables, position + 1, kind),
    ...(after?.[kind] ?? []),
    `insert into ${stepTableOf(schema)} (name, position, compatible_since) values ('${name}', ${position}, ${compatibleSince})`,
  ]);
}

/**
 * Brings a schema to this program's version, within a transaction that keeps other processes away. A database of a
 * newer version is left as it is, if this program can work on it.
 * @returns whether there was anything to do
 * @throws IncompatibleSchema if it can't
 */
export async function takeMissingSteps(schema: Schema, kind: DatabaseKind, run: Run): Promise<boolean> {
  const moment = kind === 'postgres' ? 'timestamptz' : 'text';
  await run(
    `create table if not exists ${stepTableOf(schema)} (name text primary key, position integer not null unique, compatible_since integer not null, applied_at ${moment} not null default current_timestamp)`,
  );
  const applied = await requireCompatibleSchema(schema, run);
  const missing = [...schema.steps.keys()].filter(
    (position) => !applied.some(({ name }) => name === schema.steps[position]!.name),
  );
  const takeSteps = async (): Promise<void> => {
    for (const position of missing) await takeStep(schema, position, kind, run);
  };
  const takeOver = applied.length === 0 ? schema.takeOver?.[kind] : undefined;
  await (takeOver ? takeOver(run, takeSteps) : takeSteps());
  return missing.length > 0;
}
