import { operations } from '../../src/contract/index.ts';
import {
  defineTool,
  otherStatusText,
  readServiceStatus,
  readUses,
  record,
  statusReads,
} from '../../src/server/tool/index.ts';
import { subjectAt } from '../shared/any-service.ts';
import { servingNow } from '../shared/serving.ts';

export const getApplicationStatus = defineTool(operations.get_application_status, {
  toolset: 'services',
  title: 'Does an application run, is it online now?',
  description:
    'Is an application (app) up and running now, deploying or failed, and how did its last deployment go, step by step? DEPLOYED is good; a state with ' +
    'ERROR, or STOPPED, is bad; others are still moving.',
  reads: [
    ...statusReads('application', 'there is no status to show').map((use) =>
      use.operation === operations.get_application_status ? { ...use, isNeeded: true as const } : use,
    ),
    ...readUses('which version serves is not shown', operations.list_application_deployments),
  ],
  answer: async ({ application_id }, context) => {
    const application = { kind: 'application' as const, id: String(application_id) };
    const found = await readServiceStatus(subjectAt(context, 'application_id') ?? application, context);
    if (found?.from === 'environment') context.leftOut(otherStatusText('application'));
    // Read already: this fails with the reason.
    const status = found?.status ?? {
      ...(await context.read(operations.get_application_status, { application_id: application.id })),
    };
    return { ...status, serves: await servingNow(context, application, status) };
  },
  render: record({ first: ['state', 'serves', 'service_deployment_status', 'last_deployment_date', 'id'] }),
});
