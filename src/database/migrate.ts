import type { DatabaseKind } from './dialect.ts';
import { statementsOf, type Tables } from './tables.ts';

/** Runs one statement within a transaction, and returns its rows. */
export type Run = (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** One step of a schema. Steps are never changed or reordered, because databases record them by name. */
export interface SchemaStep {
  readonly name: string;
  /**
   * The number of steps that a program must know to work on the database after this step. A step that only adds things
   * that earlier programs don't use has the number of the step before.
   */
  readonly compatibleSince: number;
  /** Statements that run before the step adds its tables, columns and indexes. */
  readonly before?: Partial<Record<DatabaseKind, readonly string[]>>;
  /** Statements that run after that. */
  readonly after?: Partial<Record<DatabaseKind, readonly string[]>>;
}

/** Tables that change together, in a database that may have others. */
export interface Schema<Of extends Tables = Tables> {
  /** Its name, which is part of the name of the table of its steps. */
  readonly name: string;
  readonly tables: Of;
  readonly steps: readonly SchemaStep[];
  /**
   * Converts a database from before the steps. It must call `takeSteps`, which creates the tables. Before that it may
   * rename existing tables, and after that fill the new ones.
   */
  readonly takeOver?: Partial<Record<DatabaseKind, (run: Run, takeSteps: () => Promise<void>) => Promise<void>>>;
}

/** Thrown if the versions of a program and a database are too far apart. */
export class IncompatibleSchema extends Error {
  constructor(name: string, known: number, found: number, needed: number) {
    super(
      `The database's ${name} records are of a newer version: they have ${found} schema steps and need a program that knows at least ${needed}; this one knows ${known}. ` +
        'Nothing was changed. Start the newer version of infra-mcp, or restore a dump from before it.',
    );
    this.name = 'IncompatibleSchema';
  }
}

interface AppliedStep {
  readonly name: string;
  readonly compatibleSince: number;
}

/** The state of a schema for a program: missing, at its version, to be migrated, newer but compatible, or too new. */
export type SchemaState = 'missing' | 'known' | 'older' | 'newer' | 'too new';

/** The name of the table of a schema's applied steps. */
export const stepTableOf = ({ name }: Pick<Schema, 'name'>): string => `${name}_schema_step`;

const appliedSteps = async (run: Run, schema: Schema): Promise<AppliedStep[]> =>
  (await run(`select name, compatible_since from ${stepTableOf(schema)} order by position`)).map((row) => ({
    name: String(row['name']),
    compatibleSince: Number(row['compatible_since']),
  }));

/** The number of steps that a program must know. */
const neededFor = (applied: readonly AppliedStep[]): number =>
  Math.max(0, ...applied.map(({ compatibleSince }) => compatibleSince));

/**
 * Determines the state of a database's schema for this program.
 * @param run only reads
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
 * Requires that this program is compatible with a schema that another one may have migrated.
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

/** Takes one step. @param position its index, from 0 */
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
 * Migrates a schema to this program's version, within a transaction that excludes other processes. Leaves a newer,
 * compatible database unchanged.
 * @returns whether there was anything to do
 * @throws IncompatibleSchema for a newer, incompatible one
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
