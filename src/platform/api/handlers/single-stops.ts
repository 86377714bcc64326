import type { ServiceKind } from '../../../contract/index.ts';
import type { ServiceStatusAnswer } from '../../engine/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { requester } from './service-deployments.ts';
import { findService } from './find.ts';

/** Stops a service, and returns its status. */
async function stop(kind: ServiceKind, id: string, context: RequestContext): Promise<ServiceStatusAnswer> {
  const service = await findService(context.db, kind, id);
  await context.engine.request(context.db, {
    ...requester(context),
    action: 'STOP',
    environmentId: service.environment_id,
    serviceIds: [id],
  });
  return context.engine.serviceStatus(context.db, id);
}

export const singleStopHandlers = {
  stop_application: ({ application_id }, context) => stop('application', application_id, context),
  stop_container: ({ container_id }, context) => stop('container', container_id, context),
  stop_database: ({ database_id }, context) => stop('database', database_id, context),
  stop_helm: ({ helm_id }, context) => stop('helm', helm_id, context),
  stop_job: ({ job_id }, context) => stop('job', job_id, context),
} satisfies Partial<OperationHandlers<`stop_${Exclude<ServiceKind, 'terraform'>}`>>;
