import type * as z from 'zod';
import type { TerraformRequest } from '../../../contract/index.ts';
import type { ServiceSpecs } from '../../common/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { requester } from './service-deployments.ts';
import { findUnlockedCluster } from './environment-changes.ts';
import { findService } from './find.ts';
import { requireFreeServiceName, requireWithinMaximums } from './service-config.ts';
import { serviceAnswer } from './service-answers.ts';
import { insertService, replaceService } from './service-rows.ts';

type Cluster = Awaited<ReturnType<typeof findUnlockedCluster>>;

/**
 * Validates the configuration of a Terraform service and converts it to its stored form.
 * @throws ApiProblem 400 with the invalid member
 */
function toStored(
  request: Omit<z.output<typeof TerraformRequest>, 'name'>,
  cluster: Cluster,
): ServiceSpecs['terraform'] {
  requireWithinMaximums(request, cluster);
  return { ...request, auto_deploy: false, provider_version: { read_from_terraform_block: true } };
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
    return serviceAnswer(
      context.db,
      await insertService('terraform', environment_id, name, toStored(request, cluster), context),
      cluster,
    );
  },
  update_terraform: async ({ terraform_id, name, ...request }, context) => {
    const row = await findService(context.db, 'terraform', terraform_id);
    const cluster = await findUnlockedCluster(row.environment_id, context);
    await requireFreeServiceName(context.db, row.environment_id, name, row.id);
    return serviceAnswer(context.db, await replaceService(row, name, toStored(request, cluster), context), cluster);
  },
  plan_terraform: async ({ terraform_id, git_commit_id }, context) =>
    context.engine.plan(context.db, await rowOf(terraform_id, context), requester(context), git_commit_id),
  list_terraform_plans: async ({ terraform_id }, context) =>
    context.engine.plans(context.db, await rowOf(terraform_id, context)),
} satisfies Partial<
  OperationHandlers<'create_terraform' | 'update_terraform' | 'plan_terraform' | 'list_terraform_plans'>
>;
