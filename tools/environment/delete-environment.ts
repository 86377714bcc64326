import { operations, reference } from '../../src/contract/index.ts';
import { composeTool, deletion, planOperation, readUses } from '../../src/server/tool/index.ts';
import { serviceSubject } from '../shared/any-service.ts';
import { afterwards, readsAfterwards, startedAnswer } from '../shared/deployment-started.ts';
import { waitForEnd } from '../shared/wait-for-end.ts';

export const deleteEnvironment = composeTool({
  name: 'delete_environment',
  toolset: 'environments',
  title: 'Drop or remove a whole environment',
  description:
    'Delete or destroy a whole environment: tear it down, get rid of it for good, with every service and all data in it. The plan shows all that ' +
    'goes.',
  input: { environment: reference('environment'), ...waitForEnd },
  operations: [operations.delete_environment],
  expand: async ({ environment }) => [planOperation(operations.delete_environment, { environment_id: environment })],
  preview: deletion,
  reads: [...readsAfterwards, ...readUses('whether it is gone can not be told', operations.get_environment)],
  output: startedAnswer.answer,
  answer: (args, context, [answer = {}]) =>
    afterwards(context, serviceSubject(context), { action: 'DELETE', answer, wait: args.wait }),
  render: startedAnswer.render,
  next: startedAnswer.next,
});
