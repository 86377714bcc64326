import type { OwnerKind } from '../../../contract/index.ts';
import { notFound, refused } from '../../common/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { findById } from './find.ts';
import { pageOfFetched, type PageInput } from './page.ts';
import { variableAnswers } from './variable-answers.ts';
import {
  storeSecret,
  createVariable,
  deleteVariable,
  overrideVariable,
  replaceStoredSecret,
  replaceVariable,
} from './variable-changes.ts';
import {
  findOwner,
  findVariable,
  ownerOfRow,
  pagedVariables,
  requireChangeable,
  visibleVariables,
  type VariableRow,
} from './variable-owners.ts';

const answerOf = async (row: VariableRow, { db }: RequestContext) => (await variableAnswers(db, [row]))[0]!;

async function list(kind: OwnerKind, id: string, page: PageInput, { db }: RequestContext) {
  const owner = await findOwner(db, kind, id);
  return pageOfFetched(page, async (slice) => {
    const { rows, total } = await pagedVariables(db, owner, slice);
    return { rows: await variableAnswers(db, rows), total };
  });
}

/** The secrets that an owner sees, without their values. */
async function listSecrets(kind: OwnerKind, id: string, page: PageInput, { db }: RequestContext) {
  const rows = visibleVariables(db, await findOwner(db, kind, id), 'secrets');
  const all = await variableAnswers(db, await rows.execute());
  return pageOfFetched(page, async ({ offset, limit } = { offset: 0, limit: all.length }) => ({
    rows: all.slice(offset, offset + limit),
    total: all.length,
  }));
}

const create = async (
  kind: OwnerKind,
  id: string,
  variable: Parameters<typeof createVariable>[1],
  context: RequestContext,
) => answerOf(await createVariable(await findOwner(context.db, kind, id), variable, context), context);

const store = async (kind: OwnerKind, id: string, secret: Parameters<typeof storeSecret>[1], context: RequestContext) =>
  answerOf(await storeSecret(await findOwner(context.db, kind, id), secret, context), context);

type Update = Parameters<typeof replaceVariable>[1] & { readonly environment_variable_id: string };

/** Replaces a variable that belongs to this owner. Inherited variables belong to other owners. */
async function update(
  kind: OwnerKind,
  id: string,
  { environment_variable_id, ...variable }: Update,
  context: RequestContext,
) {
  const owner = await findOwner(context.db, kind, id);
  const row = await findVariable(
    context.db,
    'environment_variable',
    environment_variable_id,
    (one) => one[owner.holder] === id,
  );
  await requireChangeable(owner, context);
  return answerOf(await replaceVariable(row, variable, context), context);
}

type SecretUpdate = Parameters<typeof replaceStoredSecret>[1] & { readonly secret_id: string };

/** Replaces a secret that belongs to this owner. */
async function updateSecret(
  kind: OwnerKind,
  id: string,
  { secret_id, ...edit }: SecretUpdate,
  context: RequestContext,
) {
  const owner = await findOwner(context.db, kind, id);
  const row = await findVariable(context.db, 'secret', secret_id, (one) => one[owner.holder] === id);
  await requireChangeable(owner, context);
  return answerOf(await replaceStoredSecret(row, edit, context), context);
}

/** Finds a variable of an environment, of one of its services, or of its project. */
async function findInEnvironment(environmentId: string, id: string, { db }: RequestContext): Promise<VariableRow> {
  const { project_id } = await findById(db, 'environment', environmentId);
  const row = await findVariable(db, 'environment_variable', id);
  const owner = await ownerOfRow(db, row);
  if (owner.environmentId !== environmentId && row.project_id !== project_id)
    throw notFound('environment_variable', id);
  return row;
}

/** Deletes a variable or secret that belongs to this owner. @throws ApiProblem 404 for one of another owner */
async function remove(
  kind: OwnerKind,
  ownerId: string,
  word: 'environment_variable' | 'secret',
  id: string,
  context: RequestContext,
): Promise<undefined> {
  const owner = await findOwner(context.db, kind, ownerId);
  return deleteVariable(
    owner,
    await findVariable(context.db, word, id, (row) => row[owner.holder] === ownerId),
    context,
  );
}

type Documented =
  | 'create_environment_variable'
  | 'create_secret'
  | 'list_environment_variables'
  | 'update_environment_variable'
  | 'override_environment_variable';
type Others = Exclude<OwnerKind, 'application'>;

export const variableHandlers = {
  create_environment_variable: ({ application_id, ...variable }, context) =>
    create('application', application_id, variable, context),
  create_variable_of_container: ({ container_id, ...variable }, context) =>
    create('container', container_id, variable, context),
  create_variable_of_job: ({ job_id, ...variable }, context) => create('job', job_id, variable, context),
  create_variable_of_environment: ({ environment_id, ...variable }, context) =>
    create('environment', environment_id, variable, context),
  create_variable_of_project: ({ project_id, ...variable }, context) =>
    create('project', project_id, variable, context),
  create_secret: ({ application_id, ...secret }, context) => store('application', application_id, secret, context),
  create_secret_of_container: ({ container_id, ...secret }, context) =>
    store('container', container_id, secret, context),
  create_secret_of_job: ({ job_id, ...secret }, context) => store('job', job_id, secret, context),
  create_secret_of_environment: ({ environment_id, ...secret }, context) =>
    store('environment', environment_id, secret, context),
  create_secret_of_project: ({ project_id, ...secret }, context) => store('project', project_id, secret, context),
  list_environment_variables: ({ application_id, ...page }, context) =>
    list('application', application_id, page, context),
  list_variables_of_container: ({ container_id, ...page }, context) => list('container', container_id, page, context),
  list_variables_of_job: ({ job_id, ...page }, context) => list('job', job_id, page, context),
  list_variables_of_environment: ({ environment_id, ...page }, context) =>
    list('environment', environment_id, page, context),
  list_variables_of_project: ({ project_id, ...page }, context) => list('project', project_id, page, context),
  list_secrets_of_application: ({ application_id, ...page }, context) =>
    listSecrets('application', application_id, page, context),
  list_secrets_of_container: ({ container_id, ...page }, context) =>
    listSecrets('container', container_id, page, context),
  list_secrets_of_job: ({ job_id, ...page }, context) => listSecrets('job', job_id, page, context),
  list_secrets_of_environment: ({ environment_id, ...page }, context) =>
    listSecrets('environment', environment_id, page, context),
  list_secrets_of_project: ({ project_id, ...page }, context) => listSecrets('project', project_id, page, context),
  update_environment_variable: async ({ environment_id, environment_variable_id, ...variable }, context) => {
    const row = await findInEnvironment(environment_id, environment_variable_id, context);
    // The change would affect the project's other environments too, including production.
    if (row.scope === 'PROJECT')
      throw refused(
        `${row.key} (${row.id}) has the scope PROJECT, which every environment of the project shares. Change it at the project, or override it where it should differ.`,
      );
    await requireChangeable(await findOwner(context.db, 'environment', environment_id), context);
    return answerOf(await replaceVariable(row, variable, context), context);
  },
  update_variable_of_application: ({ application_id, ...variable }, context) =>
    update('application', application_id, variable, context),
  update_variable_of_container: ({ container_id, ...variable }, context) =>
    update('container', container_id, variable, context),
  update_variable_of_job: ({ job_id, ...variable }, context) => update('job', job_id, variable, context),
  update_variable_of_project: ({ project_id, ...variable }, context) =>
    update('project', project_id, variable, context),
  override_environment_variable: async ({ container_id, environment_variable_id, ...override }, context) => {
    const owner = await findOwner(context.db, 'container', container_id);
    const row = await findInEnvironment(owner.environmentId!, environment_variable_id, context);
    // Variables of other services don't apply to this one.
    if (row.service_id !== null && row.service_id !== container_id)
      throw notFound('environment_variable', environment_variable_id);
    return answerOf(await overrideVariable(owner, row, override, context), context);
  },
  update_secret_of_application: ({ application_id, ...secret }, context) =>
    updateSecret('application', application_id, secret, context),
  update_secret_of_container: ({ container_id, ...secret }, context) =>
    updateSecret('container', container_id, secret, context),
  update_secret_of_job: ({ job_id, ...secret }, context) => updateSecret('job', job_id, secret, context),
  update_secret_of_environment: ({ environment_id, ...secret }, context) =>
    updateSecret('environment', environment_id, secret, context),
  update_secret_of_project: ({ project_id, ...secret }, context) =>
    updateSecret('project', project_id, secret, context),
  delete_variable_of_application: (input, context) =>
    remove('application', input.application_id, 'environment_variable', input.environment_variable_id, context),
  delete_variable_of_container: (input, context) =>
    remove('container', input.container_id, 'environment_variable', input.environment_variable_id, context),
  delete_variable_of_job: (input, context) =>
    remove('job', input.job_id, 'environment_variable', input.environment_variable_id, context),
  delete_variable_of_environment: (input, context) =>
    remove('environment', input.environment_id, 'environment_variable', input.environment_variable_id, context),
  delete_variable_of_project: (input, context) =>
    remove('project', input.project_id, 'environment_variable', input.environment_variable_id, context),
  delete_secret_of_application: (input, context) =>
    remove('application', input.application_id, 'secret', input.secret_id, context),
  delete_secret_of_container: (input, context) =>
    remove('container', input.container_id, 'secret', input.secret_id, context),
  delete_secret_of_job: (input, context) => remove('job', input.job_id, 'secret', input.secret_id, context),
  delete_secret_of_environment: (input, context) =>
    remove('environment', input.environment_id, 'secret', input.secret_id, context),
  delete_secret_of_project: (input, context) => remove('project', input.project_id, 'secret', input.secret_id, context),
} satisfies OperationHandlers<
  | Documented
  | `${'create_variable' | 'create_secret'}_of_${Others}`
  | `list_variables_of_${Others}`
  | `${'list_secrets' | 'update_secret' | 'delete_variable' | 'delete_secret'}_of_${OwnerKind}`
  | `update_variable_of_${Exclude<OwnerKind, 'environment'>}`
>;
