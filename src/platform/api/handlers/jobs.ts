import type * as z from 'zod';
import type { JobRequest } from '../../../contract/index.ts';
import { isoNow, type ServiceSpecs } from '../../common/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { requireCron } from './field-validation.ts';
import { findUnlockedCluster } from './environment-changes.ts';
import { findService } from './find.ts';
import { requester } from './service-deployments.ts';
import { requireFreeServiceName, requireGroups, requireImage, requireWithinMaximums } from './service-config.ts';
import { insertService, replaceService } from './service-rows.ts';
import { serviceAnswer } from './service-answers.ts';

type Cluster = Awaited<ReturnType<typeof findUnlockedCluster>>;

/**
 * Validates a job's configuration and converts it to its stored form.
 * @throws ApiProblem 400 with the invalid member
 */
async function toStoredJob(
  request: Omit<z.output<typeof JobRequest>, 'name'>,
  cluster: Cluster,
  context: RequestContext,
): Promise<ServiceSpecs['job']> {
  const {
    schedule: { cronjob },
    source: { image },
  } = request;
  requireWithinMaximums(request, cluster);
  if (cronjob) requireCron('schedule.cronjob', cronjob, isoNow(context.clock));
  // Jobs from elsewhere may have no registry.
  if (image?.registry_id !== undefined)
    await requireImage({ ...image, registry_id: image.registry_id }, cluster.organization_id, context, 'source.image.');
  await requireGroups(request, cluster.organization_id, context.db);
  return { ...request, job_type: cronjob ? 'CRON' : 'LIFECYCLE' };
}

/** A job in its stored form. @throws ApiProblem 404 */
const rowOf = async (id: string, { db }: RequestContext) => {
  const { spec, ...row } = await findService(db, 'job', id);
  return { ...row, spec: JSON.stringify(spec) };
};

export const jobHandlers = {
  create_job: async ({ environment_id, name, ...request }, context) => {
    const cluster = await findUnlockedCluster(environment_id, context);
    await requireFreeServiceName(context.db, environment_id, name);
    return serviceAnswer(
      context.db,
      await insertService('job', environment_id, name, await toStoredJob(request, cluster, context), context),
      cluster,
    );
  },
  update_job: async ({ job_id, name, ...request }, context) => {
    const row = await findService(context.db, 'job', job_id);
    const cluster = await findUnlockedCluster(row.environment_id, context);
    await requireFreeServiceName(context.db, row.environment_id, name, row.id);
    return serviceAnswer(
      context.db,
      await replaceService(row, name, await toStoredJob(request, cluster, context), context),
      cluster,
    );
  },
  run_job: async ({ job_id, arguments: given }, context) =>
    context.engine.runJob(context.db, await rowOf(job_id, context), requester(context), given),
  cancel_job_run: async ({ job_id, execution_id: execution }, context) =>
    context.engine.cancelJobRun(context.db, await rowOf(job_id, context), execution),
} satisfies Partial<OperationHandlers<'create_job' | 'update_job' | 'run_job' | 'cancel_job_run'>>;
