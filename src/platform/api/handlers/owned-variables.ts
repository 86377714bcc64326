import type { Selectable } from 'kysely';
import { isHeldExternally, type OwnerKind } from '../../../contract/index.ts';
import { notFound, refused } from '../../common/index.ts';
import type { Db, VariableTable } from '../../store/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { findUnlockedCluster, touchEnvironment } from './environment-changes.ts';
import { findById, findService } from './find.ts';
import { pageOfFetched, type PageInput } from './page.ts';
import { variableAnswers } from './variable-answers.ts';
import { visibleVariables } from './variables.ts';

type Row = Selectable<VariableTable>;

interface Owner {
  readonly environmentId: string;
  readonly serviceId?: string;
}

async function ownerOf(kind: OwnerKind, id: string, db: Db): Promise<Owner> {
  if (kind === 'environment') return { environmentId: (await findById(db, 'environment', id)).id };
  return { environmentId: (await findService(db, kind, id)).environment_id, serviceId: id };
}

/** The secrets that an environment or service sees, without their values. */
async function listSecrets(kind: OwnerKind, id: string, page: PageInput, { db }: RequestContext) {
  const { rows } = await visibleVariables(db, await ownerOf(kind, id, db), true);
  const all = await variableAnswers(db, await rows.execute());
  return pageOfFetched(page, async ({ offset, limit } = { offset: 0, limit: all.length }) => ({ rows: all.slice(offset, offset + limit), total: all.length }));
}

/** The services that stop seeing a variable: its own, or every one of its environment. */
const seeing = async (db: Db, { environmentId, serviceId }: Owner): Promise<string[]> =>
  serviceId === undefined ? (await db.selectFrom('service').select('id').where('environment_id', '=', environmentId).execute()).map(({ id }) => id) : [serviceId];

const requireDeletable = (row: Row): void => {
  if (row.variable_type === 'BUILT_IN' || row.scope === 'BUILT_IN') throw refused(`${row.key} (${row.id}) is built in and can't be deleted.`);
  if (isHeldExternally(row.variable_type)) throw refused(`${row.key} (${row.id}) is owned by ${row.owned_by ?? 'an external secrets manager'} and can only be deleted there.`);
};

/** Deletes a variable or secret that belongs to this owner itself, with what overrides it or stands for it. @throws ApiProblem 404 for one of another owner */
async function remove(kind: OwnerKind, ownerId: string, word: 'environment_variable' | 'secret', id: string, context: RequestContext): Promise<undefined> {
  const { db, engine } = context;
  const owner = await ownerOf(kind, ownerId, db);
  const row = await db
    .selectFrom('variable').selectAll().where('id', '=', id).where(kind === 'environment' ? 'environment_id' : 'service_id', '=', ownerId)
    .where('sealed_value', word === 'secret' ? 'is not' : 'is', null).executeTakeFirst();
  if (!row) throw notFound(word, id);
  await findUnlockedCluster(owner.environmentId, context);
  requireDeletable(row);
  await db.deleteFrom('variable').where('linked_variable_id', '=', id).execute();
  await db.deleteFrom('variable').where('id', '=', id).execute();
  await engine.markOutOfDate(db, await seeing(db, owner));
  await touchEnvironment(owner.environmentId, context);
  return undefined;
}

export const ownedVariableHandlers = {
  list_secrets_of_application: ({ application_id, ...page }, context) => listSecrets('application', application_id, page, context),
  list_secrets_of_container: ({ container_id, ...page }, context) => listSecrets('container', container_id, page, context),
  list_secrets_of_job: ({ job_id, ...page }, context) => listSecrets('job', job_id, page, context),
  list_secrets_of_environment: ({ environment_id, ...page }, context) => listSecrets('environment', environment_id, page, context),
  delete_variable_of_application: (input, context) => remove('application', input.application_id, 'environment_variable', input.environment_variable_id, context),
  delete_variable_of_container: (input, context) => remove('container', input.container_id, 'environment_variable', input.environment_variable_id, context),
  delete_variable_of_job: (input, context) => remove('job', input.job_id, 'environment_variable', input.environment_variable_id, context),
  delete_variable_of_environment: (input, context) => remove('environment', input.environment_id, 'environment_variable', input.environment_variable_id, context),
  delete_secret_of_application: (input, context) => remove('application', input.application_id, 'secret', input.secret_id, context),
  delete_secret_of_container: (input, context) => remove('container', input.container_id, 'secret', input.secret_id, context),
  delete_secret_of_job: (input, context) => remove('job', input.job_id, 'secret', input.secret_id, context),
  delete_secret_of_environment: (input, context) => remove('environment', input.environment_id, 'secret', input.secret_id, context),
} satisfies OperationHandlers<`list_secrets_of_${OwnerKind}` | `delete_variable_of_${OwnerKind}` | `delete_secret_of_${OwnerKind}`>;
