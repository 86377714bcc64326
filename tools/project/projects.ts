import { operations } from '../../src/contract/index.ts';
import { defineTool, table, naming, record } from '../../src/server/tool/index.ts';
import { firstProject, whereEmpty } from '../shared/first-steps.ts';
import { takenBackBy } from '../shared/plan-parts.ts';

export const listProjects = defineTool(operations.list_projects, {
  toolset: 'projects',
  title: 'Show each project with its id',
  description: 'List all projects (products): number of environments.',
  render: table('project', ['name', 'id', 'associated_environments_count', 'description', 'created_at']),
  next: whereEmpty(() => [firstProject]),
});

export const createProject = defineTool(operations.create_project, {
  toolset: 'projects',
  title: 'Start a new project',
  description: 'Create, make, add or set up a new project for one product or team.',
  plan: () => [takenBackBy('delete_project')],
  render: record(),
  next: naming`Next: ${'create_environment'} makes an environment in it.`,
});
