import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, record } from '../../src/server/tool/index.ts';

export const createProject = defineTool(operations.create_project, {
  toolset: 'projects',
  title: 'Start a project',
  description: 'Make or create a new project, the folder that groups the environments of one product or team.',
  render: record(),
  next: naming`Next: ${'create_environment'} makes an environment in it.`,
});
