import { operations } from '../../src/contract/index.ts';
import { defineTool, table } from '../../src/server/tool/index.ts';

export const listProjects = defineTool(operations.list_projects, {
  toolset: 'projects',
  title: 'Which projects we have',
  description: 'List or show all projects of the organization, with ids and how many environments each holds.',
  render: table('project', ['name', 'id', 'associated_environments_count', 'description', 'created_at']),
});
