import type * as z from 'zod';
import type { TerraformRequest } from '../../../contract/index.ts';
import { invalid, type ServiceSpecs } from '../../common/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { requester } from './service-deployments.ts';
import { findUnlockedCluster } from './environment-changes.ts';
import { findService } from './find.ts';
import { requireFreeServiceName, requireWithinMaximums } from './service-config.ts';
import { serviceAnswer } from './service-answers.ts';
import { insertService, replaceService } from './service-rows.ts';
import { createVariable, deleteVariable, storeSecret } from './variable-changes.ts';
import { findOwner } from './variable-owners.ts';

type Requested = Omit<z.output<typeof TerraformRequest>, 'name'>;
type Cluster = Awaited<ReturnType<typeof findUnlockedCluster>>;

/**
 * Validates the configuration of a Terraform service and converts it to its stored form.
 * @throws ApiProblem 400 with the invalid member
 */
function toStored(
  {
    terraform_files_source: { git_repository: own, git },
    terraform_variables_source: { tf_var_file_paths },
    auto_deploy_config: { auto_deploy, terraform_action } = { auto_deploy: false, terraform_action: 'DEFAULT' },
    provider_version: version = {},
    job_resources: resources,
    ...request
  }: Requested,
  cluster: Cluster,
): ServiceSpecs['terraform'] {
  if (request.engine !== 'TERRAFORM') throw invalid('engine', 'only TERRAFORM runs here; leave it out');
  if (terraform_action !== 'DEFAULT')
    throw invalid('auto_deploy_config.terraform_action', 'a deployment always applies here; give DEFAULT');
  const { explicit_version, read_from_terraform_block = explicit_version === undefined } = version;
  const { cpu_milli: cpu = request.cpu, ram_mib: memory = request.memory, gpu = 0 } = resources ?? {};
  requireWithinMaximums({ cpu, memory, gpu }, cluster);
  return {
    ...request,
    cpu,
    memory,
    terraform_files_source: git ? { git } : { git: { git_repository: own! } },
    terraform_variables_source: { tf_var_file_paths },
    auto_deploy,
    provider_version: { read_from_terraform_block, ...(explicit_version !== undefined && { explicit_version }) },
  };
}

/** Sets Terraform variables of a service: they are its variables, and the secret ones are sealed. */
async function setVariables(serviceId: string, { terraform_variables_source }: Requested, context: RequestContext) {
  const owner = await findOwner(context.db, 'terraform', serviceId);
  for (const { key, value, secret } of terraform_variables_source.tf_vars) {
    const variable = { key: `TF_VAR_${key}`, value };
    const present = await context.db
      .selectFrom('variable')
      .selectAll()
      .where('service_id', '=', serviceId)
      .where('key', '=', variable.key)
      .executeTakeFirst();
    if (present) await deleteVariable(owner, present, context);
    await (secret ? storeSecret : createVariable)(owner, variable, context);
  }
}

/** A Terraform service in its stored form. @throws ApiProblem 404 */
const rowOf = async (id: string, { db }: RequestContext) => {
  const { spec, ...row } = await findService(db, 'terraform', id);
  return { ...row, spec: JSON.stringify(spec) };
};

export const terraformHandlers = {
  create_terraform: async ({ environment_id, name, ...request }, context) => {
    const cluster = await findUnlockedCluster(environment_id, context);
    await requireFreeServiceName(context.db, environment_id, name);
    const row = await insertService('terraform', environment_id, name, toStored(request, cluster), context);
    await setVariables(row.id, request, context);
    return serviceAnswer(context.db, row, cluster);
  },
  update_terraform: async ({ terraform_id, name, ...request }, context) => {
    const row = await findService(context.db, 'terraform', terraform_id);
    const cluster = await findUnlockedCluster(row.environment_id, context);
    await requireFreeServiceName(context.db, row.environment_id, name, row.id);
    const replaced = await replaceService(row, name, toStored(request, cluster), context);
    await setVariables(row.id, request, context);
    return serviceAnswer(context.db, replaced, cluster);
  },
  plan_terraform: async ({ terraform_id, git_commit_id }, context) =>
    context.engine.plan(context.db, await rowOf(terraform_id, context), requester(context), git_commit_id),
  list_terraform_plans: async ({ terraform_id }, context) =>
    context.engine.plans(context.db, await rowOf(terraform_id, context)),
} satisfies Partial<
  OperationHandlers<'create_terraform' | 'update_terraform' | 'plan_terraform' | 'list_terraform_plans'>
>;
