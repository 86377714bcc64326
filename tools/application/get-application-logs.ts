import { operations } from '../../src/contract/index.ts';
import { defineTool, logLines, otherLogText, readServiceLogs, readsInsteadOf } from '../../src/server/tool/index.ts';
import { subjectAt } from '../shared/any-service.ts';

export const getApplicationLogs = defineTool(operations.get_application_logs, {
  toolset: 'services',
  equivalentOperations: [operations.get_environment_logs],
  title: 'Print the latest log lines of an application',
  description: 'Tail the logs of an application: its latest output.',
  reads: [
    {
      operation: operations.get_application_logs,
      without: 'its lines are those in the log of its environment, which has only the latest deployments',
      isNeeded: true,
      instead: [operations.get_environment_logs],
    },
    ...readsInsteadOf('logs', 'application', 'its lines are not read from the log of its environment'),
  ],
  answer: async (args, context) => {
    const application = { kind: 'application' as const, id: String(args['application_id']) };
    const tail = typeof args['tail'] === 'number' ? args['tail'] : undefined;
    const log = await readServiceLogs(subjectAt(context, 'application_id') ?? application, context, tail);
    if (log?.from === 'environment') context.leftOut(otherLogText('application'));
    // Read already: this fails with the reason.
    return log
      ? { results: log.lines }
      : {
          ...(await context.read(operations.get_application_logs, {
            application_id: application.id,
            ...(tail !== undefined && { tail }),
          })),
        };
  },
  render: logLines,
});
