import type { ServiceKind } from '../../../contract/index.ts';
import { isoNow, type ServiceSpecs } from '../../common/index.ts';
import { addDatabaseVariables, renameDatabaseVariables } from '../../engine/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { requireYaml } from './field-validation.ts';
import { findUnlockedCluster } from './environment-changes.ts';
import { findService, requireReferences, type ServiceRow } from './find.ts';
import {
  requireFreeServiceName,
  requireImage,
  requireWithinMaximums,
  toStoredDatabase,
  toStoredHelm,
  toStoredRunnable,
} from './service-config.ts';
import { insertService, replaceService } from './service-rows.ts';
import { serviceAnswer } from './service-answers.ts';

const read = async <Kind extends ServiceKind>(kind: Kind, id: string, { db }: RequestContext) =>
  serviceAnswer(db, await findService(db, kind, id));

/**
 * Updates the variables of a renamed database. Its host follows its name, and its neighbours' variables hold the host.
 */
async function renameInVariables(
  row: ServiceRow<'database'>,
  { db, vault, clock, engine }: RequestContext,
): Promise<void> {
  await renameDatabaseVariables(db, { ...row, spec: JSON.stringify(row.spec) }, vault, isoNow(clock));
  const neighbours = await db
    .selectFrom('service')
    .select('id')
    .where('environment_id', '=', row.environment_id)
    .where('id', '!=', row.id)
    .execute();
  await engine.variableChanged(
    db,
    neighbours.map(({ id }) => id),
  );
}

/**
 * Validates the configuration of a helm service and converts it to its stored form.
 * @throws ApiProblem 400 with the invalid member
 */
async function storedHelm(
  request: Parameters<typeof toStoredHelm>[0],
  previous: Parameters<typeof toStoredHelm>[1],
  cluster: Awaited<ReturnType<typeof findUnlockedCluster>>,
  { db, random }: RequestContext,
): Promise<ServiceSpecs['helm']> {
  (request.values_override.file?.raw?.values ?? []).forEach(({ content }, index) =>
    requireYaml(`values_override.file.raw.values[${index}].content`, content),
  );
  const spec = toStoredHelm(request, previous, () => random.uuid());
  const repository = spec.source.repository?.repository.id;
  await requireReferences(
    db,
    'helm_repository',
    cluster.organization_id,
    'source.helm_repository.repository',
    repository ? [repository] : [],
  );
  return spec;
}

export const serviceHandlers = {
  get_application: ({ application_id }, context) => read('application', application_id, context),
  get_container: ({ container_id }, context) => read('container', container_id, context),
  get_database: ({ database_id }, context) => read('database', database_id, context),
  get_job: ({ job_id }, context) => read('job', job_id, context),
  get_helm: ({ helm_id }, context) => read('helm', helm_id, context),
  get_terraform: ({ terraform_id }, context) => read('terraform', terraform_id, context),
  create_application: async ({ environment_id, ...request }, context) => {
    const cluster = await findUnlockedCluster(environment_id, context);
    await requireFreeServiceName(context.db, environment_id, request.name);
    const spec = await toStoredRunnable(request, undefined, cluster, context);
    return serviceAnswer(
      context.db,
      await insertService('application', environment_id, request.name, spec, context),
      cluster,
    );
  },
  create_database: async ({ environment_id, ...request }, context) => {
    const cluster = await findUnlockedCluster(environment_id, context);
    await requireFreeServiceName(context.db, environment_id, request.name);
    requireWithinMaximums(request, cluster);
    const { name, ...spec } = request;
    const row = await insertService('database', environment_id, name, spec, context);
    await addDatabaseVariables(context.db, { ...row, spec: JSON.stringify(row.spec) }, context.vault);
    return serviceAnswer(context.db, row, cluster);
  },
  update_application: async ({ application_id, ...request }, context) => {
    const row = await findService(context.db, 'application', application_id);
    const cluster = await findUnlockedCluster(row.environment_id, context);
    await requireFreeServiceName(context.db, row.environment_id, request.name, row.id);
    const spec = await toStoredRunnable(request, row.spec, cluster, context);
    return serviceAnswer(context.db, await replaceService(row, request.name, spec, context), cluster);
  },
  update_database: async ({ database_id, name, ...request }, context) => {
    const row = await findService(context.db, 'database', database_id);
    const cluster = await findUnlockedCluster(row.environment_id, context);
    await requireFreeServiceName(context.db, row.environment_id, name ?? row.name, row.id);
    const spec = await toStoredDatabase(request, row.spec, cluster, context);
    const updated = await replaceService(row, name ?? row.name, spec, context);
    if (updated.name !== row.name) await renameInVariables(updated, context);
    return serviceAnswer(context.db, updated, cluster);
  },
  create_container: async ({ environment_id, ...request }, context) => {
    const cluster = await findUnlockedCluster(environment_id, context);
    await requireFreeServiceName(context.db, environment_id, request.name);
    await requireImage(request, cluster.organization_id, context);
    const spec = await toStoredRunnable(request, undefined, cluster, context);
    return serviceAnswer(
      context.db,
      await insertService('container', environment_id, request.name, spec, context),
      cluster,
    );
  },
  update_container: async ({ container_id, ...request }, context) => {
    const row = await findService(context.db, 'container', container_id);
    const cluster = await findUnlockedCluster(row.environment_id, context);
    await requireFreeServiceName(context.db, row.environment_id, request.name, row.id);
    await requireImage(request, cluster.organization_id, context);
    const spec = await toStoredRunnable(request, row.spec, cluster, context);
    return serviceAnswer(context.db, await replaceService(row, request.name, spec, context), cluster);
  },
  create_helm: async ({ environment_id, name, ...request }, context) => {
    const cluster = await findUnlockedCluster(environment_id, context);
    await requireFreeServiceName(context.db, environment_id, name);
    const spec = await storedHelm(request, { ports: [] }, cluster, context);
    return serviceAnswer(context.db, await insertService('helm', environment_id, name, spec, context), cluster);
  },
  update_helm: async ({ helm_id, name, ...request }, context) => {
    const row = await findService(context.db, 'helm', helm_id);
    const cluster = await findUnlockedCluster(row.environment_id, context);
    await requireFreeServiceName(context.db, row.environment_id, name, row.id);
    const spec = await storedHelm(request, row.spec, cluster, context);
    return serviceAnswer(context.db, await replaceService(row, name, spec, context), cluster);
  },
} satisfies Partial<
  OperationHandlers<
    | 'get_application'
    | 'get_container'
    | 'get_database'
    | 'get_job'
    | 'get_helm'
    | 'get_terraform'
    | 'create_application'
    | 'create_container'
    | 'create_database'
    | 'create_helm'
    | 'update_application'
    | 'update_container'
    | 'update_database'
    | 'update_helm'
  >
>;
