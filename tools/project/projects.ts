import { operations } from '../../src/contract/index.ts';
import { defineTool, table, naming, record } from '../../src/server/tool/index.ts';

export const listProjects = defineTool(operations.list_projects, {
  toolset: 'projects',
  title: 'Which projects we have',
  description: 'List or show all projects of the organization, with ids and how many environments each holds.',
  render: table('project', ['name', 'id', 'associated_environments_count', 'description', 'created_at']),
});

export const createProject = defineTool(operations.create_project, {
  toolset: 'projects',
  title: 'Start a project',
  description: 'Make or create a new project, the folder that groups the environments of one product or team.',
  render: record(),
  next: naming`Next: ${'create_environment'} makes an environment in it.`,
});
