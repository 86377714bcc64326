import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, readUses, record } from '../../src/server/tool/index.ts';
import { landedAsAsked } from '../shared/landed-as-asked.ts';

export const createEnvironment = defineTool(operations.create_environment, {
  toolset: 'environments',
  title: 'Create an environment',
  description:
    'Add or set up a new environment, such as staging, QA or test, in a project. It starts empty, on the cluster you name.',
  reads: readUses('it is not checked on which cluster the environment is', operations.get_environment),
  answer: (args, context, [created = {}]) => landedAsAsked(args, context, created),
  render: record({ first: ['name', 'id', 'mode', 'cluster_name'] }),
  next: naming`Next: ${'create_application'} or ${'create_database'} puts services into it.`,
});
