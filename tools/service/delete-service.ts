import { serviceKinds } from '../../src/contract/index.ts';
import { anyService, composeTool, deletion } from '../../src/server/tool/index.ts';
import { deleteOperation, idOf, readsByKind, serviceSubject } from '../shared/any-service.ts';
import { afterwards, readsAfterwards, startedAnswer } from '../shared/deployment-started.ts';
import { waitForEnd } from '../shared/wait-for-end.ts';

const [first, ...others] = serviceKinds;

export const deleteService = composeTool({
  name: 'delete_service',
  toolset: 'services',
  title: 'Get rid of a service, app or database',
  description:
    'Delete, remove or throw away an old, unused service (app, API, worker, database, job) for good, with its ' +
    'data.',
  input: { service: anyService(), ...waitForEnd },
  operations: [deleteOperation(first), ...others.map(deleteOperation)],
  expand: async (_, context) => {
    const subject = serviceSubject(context);
    return [{ operation: deleteOperation(subject.kind), input: idOf(subject) }];
  },
  preview: deletion,
  reads: [...readsAfterwards, ...readsByKind('configuration', 'whether it is gone')],
  output: startedAnswer.answer,
  answer: (args, context, [answer = {}]) =>
    afterwards(context, serviceSubject(context), { action: 'DELETE', answer, wait: args.wait }),
  render: startedAnswer.render,
  next: startedAnswer.next,
});
