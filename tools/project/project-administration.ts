import * as z from 'zod';
import { operations } from '../../src/contract/index.ts';
import {
  defineTool,
  naming,
  notKnown,
  partialUpdate,
  pruneRecord,
  record,
  reading,
  readUses,
  rowsIn,
  textOf,
  toldOnce,
  type Preview,
} from '../../src/server/tool/index.ts';
import { namedByRules } from '../shared/plan-parts.ts';

export const updateProject = defineTool(operations.update_project, {
  toolset: 'administration',
  title: 'Rename a project',
  description: 'Rename a project, or change its description.',
  ...partialUpdate(operations.update_project, {}),
  plan: ({ name }) => (name === undefined ? [] : [namedByRules]),
  fields: { name: 'New name.' },
});

const variableReads = [operations.list_variables_of_project, operations.list_secrets_of_project];

/** Says what goes with a project. One that has environments is refused before. */
const whatGoes: Preview = reading(
  [
    ...readUses('the plan does not say whether the project is empty', operations.list_environments),
    ...readUses('the plan does not say which variables go with the project', ...variableReads),
  ],
  async ({ project_id }, { reader }) => {
    const list = async (operation: (typeof variableReads)[number] | typeof operations.list_environments) => {
      const answer = await reader.attempt(operation, { project_id: String(project_id) });
      return answer && rowsIn(answer);
    };
    const [environments, ...owned] = await Promise.all([
      list(operations.list_environments),
      ...variableReads.map((operation) => list(operation)),
    ]);
    const keys = owned.flatMap((rows) => rows ?? []).map((row) => textOf(row, 'key'));
    return [
      environments === undefined
        ? notKnown('whether it has environments')
        : environments.length === 0
          ? 'It has no environments.'
          : 'It has environments meanwhile, and the platform deletes only an empty project.',
      ...(owned.includes(undefined) ? [notKnown('all variables that go with it')] : []),
      ...(keys.length > 0 ? [`Its variables and secrets go with it: ${keys.join(', ')}.`] : []),
    ].map(toldOnce);
  },
);

export const deleteProject = defineTool(operations.delete_project, {
  toolset: 'administration',
  title: 'Delete a project',
  description: 'Delete a project that has no environments left, with its variables.',
  expand: async (args, context) => {
    const project_id = String(args['project_id']);
    const rows = rowsIn(await context.attempt(operations.list_environments, { project_id }));
    if (rows.length > 0)
      context.refuse(
        'this project has environments, and the platform deletes only an empty one',
        naming`Nothing was changed, and nobody was asked. Delete them first, with ${'delete_environment'}, if the user wants that.`,
        rows.map((row) => textOf(row, 'name') ?? textOf(row, 'id')).join(', '),
      );
    return [{ operation: operations.delete_project, input: args }];
  },
  preview: whatGoes,
  output: z.object({ project_id: z.string(), name: z.string(), deleted: z.boolean() }),
  answer: ({ project_id: id }, { resolved }) =>
    Promise.resolve(pruneRecord({ name: resolved['project_id']?.name, project_id: id, deleted: true })),
  render: record({ first: ['name', 'project_id', 'deleted'] }),
});
