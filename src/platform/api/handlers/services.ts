import type { ServiceKind } from '../../../contract/index.ts';
import { invalid, isoNow, type ServiceSpecs } from '../../common/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { requireNoCredentials, requireYaml } from './field-validation.ts';
import { findUnlockedCluster, touchEnvironment } from './environment-changes.ts';
import { findService, parseServiceRow, requireReferences, type ServiceRow } from './find.ts';
import { requireFreeServiceName, requireImageName, requireWithinMaximums, toStoredHelm, toStoredRunnable } from './service-config.ts';
import { serviceAnswer } from './service-answers.ts';

/** Adds a service to an environment. It is READY and was never deployed. */
async function insert<Kind extends ServiceKind>(kind: Kind, environmentId: string, name: string, spec: ServiceSpecs[Kind], context: RequestContext) {
  const { db, clock, random } = context;
  const now = isoNow(clock);
  const row = await db
    .insertInto('service')
    .values({
      id: random.uuid(), created_at: now, updated_at: now, environment_id: environmentId, kind, name, spec: JSON.stringify(spec), deployed_state: 'READY',
      deployment_status: 'NEVER_DEPLOYED', deployed_spec: null, deployed_commit: null, last_deployment_id: null, last_deployment_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await touchEnvironment(environmentId, context);
  return parseServiceRow<Kind>(row);
}

/** Replaces a service's configuration and marks the service out of date. */
async function replace<Kind extends ServiceKind>(row: ServiceRow<Kind>, name: string, spec: ServiceSpecs[Kind], context: RequestContext) {
  const { db, clock, engine } = context;
  const updated = await db
    .updateTable('service').set({ name, spec: JSON.stringify(spec), updated_at: isoNow(clock) }).where('id', '=', row.id).returningAll().executeTakeFirstOrThrow();
  await engine.markOutOfDate(db, [row.id]);
  await touchEnvironment(row.environment_id, context);
  return parseServiceRow<Kind>(updated);
}

async function registryOf(id: string, organizationId: string, { db }: RequestContext) {
  const registry = await db.selectFrom('registry').selectAll().where('id', '=', id).where('organization_id', '=', organizationId).executeTakeFirst();
  if (!registry) throw invalid('registry_id', `no registry has the id ${id}`);
  return registry;
}

const read = async <Kind extends ServiceKind>(kind: Kind, id: string, { db }: RequestContext) => serviceAnswer(db, await findService(db, kind, id));

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
    requireNoCredentials('git_repository.url', request.git_repository.url);
    const spec = await toStoredRunnable(request, undefined, cluster, context);
    return serviceAnswer(context.db, await insert('application', environment_id, request.name, spec, context), cluster);
  },
  create_database: async ({ environment_id, ...request }, context) => {
    const cluster = await findUnlockedCluster(environment_id, context);
    await requireFreeServiceName(context.db, environment_id, request.name);
    requireWithinMaximums(request, cluster);
    const { name, ...spec } = request;
    return serviceAnswer(context.db, await insert('database', environment_id, name, spec, context), cluster);
  },
  update_container: async ({ container_id, ...request }, context) => {
    const row = await findService(context.db, 'container', container_id);
    const cluster = await findUnlockedCluster(row.environment_id, context);
    await requireFreeServiceName(context.db, row.environment_id, request.name, row.id);
    requireImageName(request.image_name, await registryOf(request.registry_id, cluster.organization_id, context));
    const spec = await toStoredRunnable(request, row.spec, cluster, context);
    return serviceAnswer(context.db, await replace(row, request.name, spec, context), cluster);
  },
  update_helm: async ({ helm_id, name, ...request }, context) => {
    const row = await findService(context.db, 'helm', helm_id);
    const cluster = await findUnlockedCluster(row.environment_id, context);
    await requireFreeServiceName(context.db, row.environment_id, name, row.id);
    requireNoCredentials('source.git_repository.url', (request.source.git_repository ?? request.source.git?.git_repository)?.url);
    requireNoCredentials('values_override.file.git.git_repository.url', request.values_override.file?.git?.git_repository.url);
    (request.values_override.file?.raw?.values ?? []).forEach(({ content }, index) => requireYaml(`values_override.file.raw.values[${index}].content`, content));
    const spec = toStoredHelm(request, row.spec, () => context.random.uuid());
    const repository = spec.source.repository?.repository.id;
    await requireReferences(context.db, 'helm_repository', cluster.organization_id, 'source.helm_repository.repository', repository ? [repository] : []);
    return serviceAnswer(context.db, await replace(row, name, spec, context), cluster);
  },
} satisfies Partial<OperationHandlers<
  | 'get_application' | 'get_container' | 'get_database' | 'get_job' | 'get_helm' | 'get_terraform'
  | 'create_application' | 'create_database' | 'update_container' | 'update_helm'
>>;
