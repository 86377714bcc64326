import type { Selectable } from 'kysely';
import { isHeldExternally, type OwnerKind, type VariableScope } from '../../../contract/index.ts';
import { invalid, isoNow, notFound, refused } from '../../common/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import type { Db, VariableTable } from '../../store/index.ts';
import { findById, findService } from './find.ts';
import { findUnlockedCluster, touchEnvironment } from './environment-changes.ts';
import { pageOf, totalOf } from './page.ts';
import { variableAnswers } from './variable-answers.ts';

type Row = Selectable<VariableTable>;

/** The scopes from the widest to the narrowest. A service's own scope comes last. */
const precedence: readonly VariableScope[] = ['BUILT_IN', 'PROJECT', 'ENVIRONMENT'];
const rank = (scope: VariableScope): number => (precedence.includes(scope) ? precedence.indexOf(scope) : precedence.length);

interface Owner {
  environmentId: string;
  serviceId?: string;
}

/** The variables of an environment or a service, or its secrets, including inherited ones. */
export const visibleVariables = async (db: Db, { environmentId, serviceId }: Owner, secrets = false) => {
  const { project_id } = await findById(db, 'environment', environmentId);
  // A union uses one index per owner. With OR, every page would read and sort all rows.
  const heldBy = (holder: 'project_id' | 'environment_id' | 'service_id', id: string) =>
    db.selectFrom('variable').selectAll().where(holder, '=', id).where('sealed_value', secrets ? 'is not' : 'is', null);
  const inherited = heldBy('project_id', project_id).unionAll(heldBy('environment_id', environmentId));
  const all = serviceId === undefined ? inherited : inherited.unionAll(heldBy('service_id', serviceId));
  const holders = [project_id, environmentId, ...(serviceId === undefined ? [] : [serviceId])];
  return { rows: all.orderBy('created_at').orderBy('id'), total: () => totalOf(db, 'variable', holders) };
};

interface NewVariable {
  key: string;
  value: string | null;
  sealed_value?: string;
  mount_path?: string | null | undefined;
  description?: string | undefined;
  enable_interpolation_in_file?: boolean | undefined;
}

/** A variable with a mount path is a file. */
const plainType = ({ mount_path: path }: { mount_path?: string | null | undefined }) => (path === undefined || path === null ? 'VALUE' : 'FILE');

const flag = (value: boolean | undefined) => (value === undefined ? null : value ? 1 : 0);

async function insert(kind: OwnerKind, ownerId: string, variable: NewVariable, context: RequestContext, override?: Row): Promise<Row> {
  const { db, clock, random, engine } = context;
  const holder = kind === 'environment' ? 'environment_id' : 'service_id';
  const taken = await db.selectFrom('variable').select('id').where(holder, '=', ownerId).where('key', '=', variable.key).executeTakeFirst();
  if (taken) throw invalid('key', `the ${kind} ${ownerId} has a variable or secret ${variable.key} already (${taken.id})`);
  const now = isoNow(clock);
  const row = await db
    .insertInto('variable')
    .values({
      id: random.uuid(), created_at: now, updated_at: now, project_id: null, environment_id: null, service_id: null, [holder]: ownerId, key: variable.key,
      scope: kind.toUpperCase() as VariableScope, variable_type: override ? 'OVERRIDE' : plainType(variable),
      value: variable.value, sealed_value: variable.sealed_value ?? null, mount_path: variable.mount_path ?? override?.mount_path ?? null,
      description: variable.description ?? null, enable_interpolation_in_file: flag(variable.enable_interpolation_in_file),
      linked_variable_id: override?.id ?? null, owned_by: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await engine.markOutOfDate(db, await affectedServices(db, row));
  return row;
}

/** Finds a service whose variables are about to change, and records the change. @throws ApiProblem 400 while its cluster is locked */
async function findChangeableService(kind: 'application' | 'container' | 'job', id: string, context: RequestContext) {
  const service = await findService(context.db, kind, id);
  await findUnlockedCluster(service.environment_id, context);
  await touchEnvironment(service.environment_id, context);
  return service;
}

/** Finds what is about to get a variable, and records the change. @throws ApiProblem 400 while its cluster is locked */
async function findChangeableOwner(kind: OwnerKind, id: string, context: RequestContext): Promise<void> {
  if (kind !== 'environment') return void (await findChangeableService(kind, id, context));
  await findById(context.db, 'environment', id);
  await findUnlockedCluster(id, context);
  await touchEnvironment(id, context);
}

/** Creates a variable of an owner's own. */
async function createVariable(kind: OwnerKind, id: string, variable: NewVariable, context: RequestContext) {
  await findChangeableOwner(kind, id, context);
  return (await variableAnswers(context.db, [await insert(kind, id, variable, context)]))[0]!;
}

/** Stores a secret of an owner's own, sealed. */
const createSecret = (kind: OwnerKind, id: string, { value, ...variable }: NewVariable & { value: string }, context: RequestContext) =>
  createVariable(kind, id, { ...variable, value: null, sealed_value: context.vault.seal(value) }, context);

/** The services that a variable applies to: its own service, or all of its environment. */
const affectedServices = async (db: Db, row: Row): Promise<string[]> => {
  if (row.service_id !== null) return [row.service_id];
  const services = await db.selectFrom('service').select('id').where('environment_id', '=', row.environment_id!).execute();
  return services.map(({ id }) => id);
};

/** Finds a variable of an environment, of one of its services, or of its project. */
async function findInEnvironment(db: Db, environmentId: string, id: string): Promise<Row> {
  const { project_id } = await findById(db, 'environment', environmentId);
  const row = await db.selectFrom('variable').selectAll().where('id', '=', id).where('sealed_value', 'is', null).executeTakeFirst();
  const service = row?.service_id ? await db.selectFrom('service').select('environment_id').where('id', '=', row.service_id).executeTakeFirst() : undefined;
  if (!row || (row.environment_id !== environmentId && row.project_id !== project_id && service?.environment_id !== environmentId)) {
    throw notFound('environment_variable', id);
  }
  return row;
}

/** Refuses changes that a variable doesn't allow. @param shownValue the variable's value in responses */
const requireEditable = (row: Row, shownValue: string, { key, value }: { key: string; value: string }): void => {
  if (row.variable_type === 'BUILT_IN' || row.scope === 'BUILT_IN') throw refused(`${row.key} (${row.id}) is built in and can't be edited.`);
  // The change would affect the project's other environments too, including production.
  if (row.scope === 'PROJECT') throw refused(`${row.key} (${row.id}) has the scope PROJECT, which every environment of the project shares. Override it where it should differ.`);
  if (isHeldExternally(row.variable_type)) throw refused(`${row.key} (${row.id}) is owned by ${row.owned_by ?? 'an external secrets manager'} and can only be changed there.`);
  if (row.variable_type === 'OVERRIDE' && key !== row.key) throw invalid('key', `the key of an override can't change; it is ${row.key}`);
  if (row.variable_type === 'ALIAS' && value !== shownValue) throw invalid('value', `${row.key} is an alias and has the value of the variable it stands for`);
};

async function requireFreeKey(db: Db, row: Row, key: string): Promise<void> {
  const holder = row.service_id !== null ? 'service_id' : row.environment_id !== null ? 'environment_id' : 'project_id';
  const taken = await db.selectFrom('variable').select('id').where(holder, '=', row[holder]).where('key', '=', key).where('id', '!=', row.id).executeTakeFirst();
  if (taken) throw invalid('key', `${key} is taken by another variable of the same scope (${taken.id})`);
}

interface Replacement {
  key: string;
  value: string;
  mount_path?: string | null | undefined;
  description?: string | undefined;
  enable_interpolation_in_file?: boolean | undefined;
}

/** Replaces what a variable may have replaced. */
async function replace(row: Row, variable: Replacement, { db, clock, engine }: RequestContext) {
  requireEditable(row, (await variableAnswers(db, [row]))[0]!.value, variable);
  await requireFreeKey(db, row, variable.key);
  const updated = await db
    .updateTable('variable')
    .set({
      key: variable.key, value: variable.value, mount_path: variable.mount_path ?? null, description: variable.description ?? null,
      enable_interpolation_in_file: flag(variable.enable_interpolation_in_file), updated_at: isoNow(clock),
      variable_type: row.variable_type === 'VALUE' || row.variable_type === 'FILE' ? plainType(variable) : row.variable_type,
    })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await engine.markOutOfDate(db, await affectedServices(db, updated));
  return (await variableAnswers(db, [updated]))[0]!;
}

/** Replaces a variable of a service's own: those that it inherits belong to others, too. */
async function updateInService(kind: 'application' | 'container' | 'job', id: string, { environment_variable_id, ...variable }: Replacement & { environment_variable_id: string }, context: RequestContext) {
  const row = await context.db.selectFrom('variable').selectAll().where('id', '=', environment_variable_id).where('service_id', '=', id).where('sealed_value', 'is', null).executeTakeFirst();
  await findService(context.db, kind, id);
  if (!row) throw notFound('environment_variable', environment_variable_id);
  await findChangeableService(kind, id, context);
  return replace(row, variable, context);
}

export const variableHandlers = {
  create_environment_variable: ({ application_id, ...variable }, context) => createVariable('application', application_id, variable, context),
  create_variable_of_container: ({ container_id, ...variable }, context) => createVariable('container', container_id, variable, context),
  create_variable_of_job: ({ job_id, ...variable }, context) => createVariable('job', job_id, variable, context),
  create_variable_of_environment: ({ environment_id, ...variable }, context) => createVariable('environment', environment_id, variable, context),
  create_secret: ({ application_id, ...variable }, context) => createSecret('application', application_id, variable, context),
  create_secret_of_container: ({ container_id, ...variable }, context) => createSecret('container', container_id, variable, context),
  create_secret_of_job: ({ job_id, ...variable }, context) => createSecret('job', job_id, variable, context),
  create_secret_of_environment: ({ environment_id, ...variable }, context) => createSecret('environment', environment_id, variable, context),
  list_environment_variables: async (input, { db }) => {
    const { environment_id } = await findService(db, 'application', input.application_id);
    return pageOf(await visibleVariables(db, { environmentId: environment_id, serviceId: input.application_id }), input, (rows) => variableAnswers(db, rows));
  },
  list_variables_of_container: async (input, { db }) => {
    const { environment_id } = await findService(db, 'container', input.container_id);
    return pageOf(await visibleVariables(db, { environmentId: environment_id, serviceId: input.container_id }), input, (rows) => variableAnswers(db, rows));
  },
  list_variables_of_job: async (input, { db }) => {
    const { environment_id } = await findService(db, 'job', input.job_id);
    return pageOf(await visibleVariables(db, { environmentId: environment_id, serviceId: input.job_id }), input, (rows) => variableAnswers(db, rows));
  },
  list_variables_of_environment: async (input, { db }) =>
    pageOf(await visibleVariables(db, { environmentId: input.environment_id }), input, (rows) => variableAnswers(db, rows)),
  update_environment_variable: async ({ environment_id, environment_variable_id, ...variable }, context) => {
    const row = await findInEnvironment(context.db, environment_id, environment_variable_id);
    await findUnlockedCluster(environment_id, context);
    const updated = await replace(row, variable, context);
    await touchEnvironment(environment_id, context);
    return updated;
  },
  update_variable_of_application: ({ application_id, ...variable }, context) => updateInService('application', application_id, variable, context),
  update_variable_of_container: ({ container_id, ...variable }, context) => updateInService('container', container_id, variable, context),
  update_variable_of_job: ({ job_id, ...variable }, context) => updateInService('job', job_id, variable, context),
  override_environment_variable: async ({ container_id, environment_variable_id, ...override }, context) => {
    const { db } = context;
    const container = await findChangeableService('container', container_id, context);
    const row = await findInEnvironment(db, container.environment_id, environment_variable_id);
    // Variables of other services don't apply to this one.
    if (row.service_id !== null && row.service_id !== container_id) throw notFound('environment_variable', environment_variable_id);
    if (rank(row.scope) >= rank('CONTAINER')) {
      throw refused(`${row.key} (${row.id}) has the scope ${row.scope}; only a variable of a higher scope (${precedence.join(', ')}) can be overridden. Update it instead.`);
    }
    return (await variableAnswers(db, [await insert('container', container_id, { ...override, key: row.key }, context, row)]))[0]!;
  },
} satisfies Partial<OperationHandlers<
  | 'create_environment_variable' | 'create_secret' | `create_${'variable' | 'secret'}_of_${Exclude<OwnerKind, 'application'>}` | 'list_environment_variables' | 'list_variables_of_container' | 'list_variables_of_job' | 'list_variables_of_environment'
  | 'update_environment_variable' | 'update_variable_of_application' | 'update_variable_of_container' | 'update_variable_of_job' | 'override_environment_variable'
>>;
