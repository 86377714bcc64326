import { sql } from 'kysely';
import { isHeldExternally, scopeOfOwner, type VariableScope } from '../../../contract/index.ts';
import { invalid, isoNow, mountPointFault, refused } from '../../common/index.ts';
import type { RequestContext } from '../handler.ts';
import type { Db } from '../../store/index.ts';
import { variableAnswers } from './variable-answers.ts';
import { affectedServices, requireChangeable, type StoredOwner, type VariableRow } from './variable-owners.ts';

/** The scopes from the widest to the narrowest. A service's own scope comes last. */
const precedence: readonly VariableScope[] = ['BUILT_IN', 'PROJECT', 'ENVIRONMENT'];
const rank = (scope: VariableScope): number =>
  precedence.includes(scope) ? precedence.indexOf(scope) : precedence.length;

interface Details {
  readonly mount_path?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly enable_interpolation_in_file?: boolean | null | undefined;
}

/** A variable or secret to create. Exactly one of its values is given. */
interface NewVariable extends Details {
  readonly key: string;
  readonly value: string | null;
  readonly sealed_value?: string;
}

/** The new state of a variable or secret. */
interface Replacement extends Details {
  readonly key: string;
  readonly value: string;
  readonly sealed_value?: string | null;
}

/** The new state of a secret. Hidden members that are not given keep their values. */
interface SecretReplacement extends Omit<Details, 'mount_path'> {
  readonly key: string;
  readonly value?: string | null | undefined;
}

/** A variable with a mount path is a file. */
const plainType = ({ mount_path: path }: Details) => (path === undefined || path === null ? 'VALUE' : 'FILE');

const flag = (value: boolean | null | undefined) => (value === undefined || value === null ? null : value ? 1 : 0);

/** Refuses a path at which no file can be mounted. @throws ApiProblem 400 */
const requireMountPath = (path: string | null | undefined): void => {
  const why = typeof path === 'string' ? mountPointFault(path) : undefined;
  if (why !== undefined) throw invalid('mount_path', why);
};

async function insert(
  { kind, id, holder }: StoredOwner,
  variable: NewVariable,
  { db, clock, random, engine }: RequestContext,
  override?: VariableRow,
): Promise<VariableRow> {
  requireMountPath(variable.mount_path);
  const taken = await db
    .selectFrom('variable')
    .select('id')
    .where(holder, '=', id)
    .where('key', '=', variable.key)
    .executeTakeFirst();
  if (taken) throw invalid('key', `the ${kind} ${id} has a variable or secret ${variable.key} already (${taken.id})`);
  const now = isoNow(clock);
  const row = await db
    .insertInto('variable')
    .values({
      id: random.uuid(),
      created_at: now,
      updated_at: now,
      project_id: null,
      environment_id: null,
      service_id: null,
      [holder]: id,
      key: variable.key,
      scope: scopeOfOwner(kind),
      variable_type: override ? 'OVERRIDE' : plainType(variable),
      value: variable.value,
      sealed_value: variable.sealed_value ?? null,
      mount_path: variable.mount_path ?? override?.mount_path ?? null,
      description: variable.description ?? null,
      enable_interpolation_in_file: flag(variable.enable_interpolation_in_file),
      linked_variable_id: override?.id ?? null,
      owned_by: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await engine.variableChanged(db, await affectedServices(db, row));
  return row;
}

/** Creates a variable at an owner. */
export async function createVariable(
  owner: StoredOwner,
  variable: NewVariable,
  context: RequestContext,
): Promise<VariableRow> {
  await requireChangeable(owner, context);
  return insert(owner, variable, context);
}

/** Creates a sealed secret at an owner. */
export const storeSecret = (
  owner: StoredOwner,
  { value, ...variable }: NewVariable & { value: string },
  context: RequestContext,
): Promise<VariableRow> =>
  createVariable(owner, { ...variable, value: null, sealed_value: context.vault.seal(value) }, context);

/** Gives an owner its own value of a variable that it inherits. */
export async function overrideVariable(
  owner: StoredOwner,
  row: VariableRow,
  override: Details & { readonly value: string },
  context: RequestContext,
): Promise<VariableRow> {
  const scope = scopeOfOwner(owner.kind);
  if (rank(row.scope) >= rank(scope)) {
    const higher = precedence.slice(0, rank(scope)).join(', ');
    throw refused(
      `${row.key} (${row.id}) has the scope ${row.scope}; only a variable of a higher scope (${higher}) can be overridden. Update it instead.`,
    );
  }
  await requireChangeable(owner, context);
  return insert(owner, { ...override, key: row.key }, context, row);
}

/** Refuses changes that a variable doesn't allow. @param shownValue the variable's value in responses */
const requireEditable = (row: VariableRow, shownValue: string, { key, value }: Replacement): void => {
  if (row.variable_type === 'BUILT_IN' || row.scope === 'BUILT_IN')
    throw refused(`${row.key} (${row.id}) is built in and can't be edited.`);
  if (isHeldExternally(row.variable_type))
    throw refused(
      `${row.key} (${row.id}) is owned by ${row.owned_by ?? 'an external secrets manager'} and can only be changed there.`,
    );
  if (row.variable_type === 'OVERRIDE' && key !== row.key)
    throw invalid('key', `the key of an override can't change; it is ${row.key}`);
  if (row.variable_type === 'ALIAS' && value !== shownValue)
    throw invalid('value', `${row.key} is an alias and has the value of the variable it stands for`);
};

async function requireFreeKey(db: Db, row: VariableRow, key: string): Promise<void> {
  const holder = row.service_id !== null ? 'service_id' : row.environment_id !== null ? 'environment_id' : 'project_id';
  const taken = await db
    .selectFrom('variable')
    .select('id')
    .where(holder, '=', row[holder])
    .where('key', '=', key)
    .where('id', '!=', row.id)
    .executeTakeFirst();
  if (taken) throw invalid('key', `${key} is taken by another variable of the same scope (${taken.id})`);
}

/** Replaces the editable members of a variable. */
export async function replaceVariable(
  row: VariableRow,
  variable: Replacement,
  { db, clock, engine }: RequestContext,
): Promise<VariableRow> {
  requireEditable(row, (await variableAnswers(db, [row]))[0]!.value, variable);
  await requireFreeKey(db, row, variable.key);
  if (variable.mount_path !== row.mount_path) requireMountPath(variable.mount_path);
  const updated = await db
    .updateTable('variable')
    .set({
      key: variable.key,
      mount_path: variable.mount_path ?? null,
      description: variable.description ?? null,
      ...(variable.sealed_value === undefined
        ? { value: variable.value }
        : { value: null, sealed_value: variable.sealed_value }),
      enable_interpolation_in_file: flag(variable.enable_interpolation_in_file),
      updated_at: isoNow(clock),
      variable_type:
        row.variable_type === 'VALUE' || row.variable_type === 'FILE' ? plainType(variable) : row.variable_type,
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await engine.variableChanged(db, await affectedServices(db, updated));
  return updated;
}

/** Replaces a stored secret, and seals it again. */
export const replaceStoredSecret = (
  row: VariableRow,
  { value, enable_interpolation_in_file: interpolated, ...edit }: SecretReplacement,
  context: RequestContext,
): Promise<VariableRow> =>
  replaceVariable(
    row,
    {
      ...edit,
      value: '',
      sealed_value: value === undefined || value === null ? row.sealed_value : context.vault.seal(value),
      mount_path: row.mount_path,
      enable_interpolation_in_file:
        interpolated ?? (row.enable_interpolation_in_file === null ? null : row.enable_interpolation_in_file === 1),
    },
    context,
  );

const requireDeletable = (row: VariableRow): void => {
  if (row.variable_type === 'BUILT_IN' || row.scope === 'BUILT_IN')
    throw refused(`${row.key} (${row.id}) is built in and can't be deleted.`);
  if (isHeldExternally(row.variable_type))
    throw refused(
      `${row.key} (${row.id}) is owned by ${row.owned_by ?? 'an external secrets manager'} and can only be deleted there.`,
    );
};

/** Deletes a variable or secret, with its overrides and aliases. */
export async function deleteVariable(
  owner: StoredOwner,
  row: VariableRow,
  context: RequestContext,
): Promise<undefined> {
  const { db, engine } = context;
  await requireChangeable(owner, context);
  requireDeletable(row);
  const affected = await affectedServices(db, row);
  // An override may itself be overridden: a project's variable by an environment, and that one by a service.
  await sql`
    WITH RECURSIVE gone (id) AS (SELECT id FROM variable WHERE id = ${row.id} UNION SELECT variable.id FROM variable JOIN gone ON variable.linked_variable_id = gone.id)
    DELETE FROM variable WHERE id IN (SELECT id FROM gone)`.execute(db);
  await engine.variableChanged(db, affected);
  return undefined;
}
