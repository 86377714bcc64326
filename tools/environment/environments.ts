import { isProduction, operations, reference } from '../../src/contract/index.ts';
import {
  defineTool,
  table,
  record,
  naming,
  readUses,
  nothingUnderWay,
  underWay,
  composeTool,
  deletion,
  lostAndKept,
  partialUpdate,
  planOperation,
  allDown,
  takenDown,
  wholeListIn,
  type JsonRecord,
  type NextCall,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { landedAsAsked, readsOfCluster } from '../shared/landed-as-asked.ts';
import { outlookColumns } from '../shared/environment-outlook.ts';
import { firstEnvironment, whereEmpty } from '../shared/first-steps.ts';
import { ifPossible } from '../shared/if-possible.ts';
import { namedByRules } from '../shared/plan-parts.ts';
import { serviceSubject } from '../shared/any-service.ts';
import { afterwards, readsAfterwards, startedAnswer, startMoment } from '../shared/deployment-started.ts';
import { waitForEnd } from '../shared/wait-for-end.ts';

export const listEnvironments = defineTool(operations.list_environments, {
  toolset: 'environments',
  equivalentOperations: [operations.list_environments_of_organization, operations.list_environment_overviews],
  title: 'All environments of a project',
  description: 'List environments of a project (existing dev, QA, staging, production): modes, clusters, ids.',
  render: table('environment', [
    'name',
    'id',
    'mode',
    'cluster_name',
    'cluster_id',
    ...outlookColumns,
    'last_updated_by',
    'updated_at',
  ]),
  next: whereEmpty(({ project_id: project }) => [firstEnvironment(project)]),
});

export const getEnvironment = defineTool(operations.get_environment, {
  toolset: 'environments',
  title: 'Mode, cluster of an environment',
  description: 'Look up one environment: mode (production, staging), project, cluster.',
  render: record({ first: ['name', 'id', 'mode', 'cluster_name'] }),
});

export const createEnvironment = defineTool(operations.create_environment, {
  toolset: 'environments',
  title: 'Set up a new environment (demo, sandbox)',
  description: 'Create or add a new, empty environment (staging, test, preview) in a project, on a cluster.',
  reads: [
    ...readsOfCluster,
    ...readUses('it is not checked on which cluster the environment is', operations.get_environment),
  ],
  answer: (args, context, [created = {}]) => landedAsAsked(args, context, created),
  render: record({ first: ['name', 'id', 'mode', 'cluster_name'] }),
  next: naming`Next: ${'create_application'} or ${'create_database'} puts services into it.`,
});

/** Why an environment with an end can't become PRODUCTION. */
const endsByItself = ({ ends_at: end }: JsonRecord, { mode }: JsonRecord) =>
  isProduction(mode) && typeof end === 'string'
    ? {
        what: 'this environment has an end, at which the platform deletes it, and PRODUCTION never ends by itself',
        next: naming`Nothing was changed. If it is to stay, remove its end first, with ${'unset_environment_end'}.`,
      }
    : undefined;

export const updateEnvironment = defineTool(operations.update_environment, {
  toolset: 'administration',
  title: 'Rename an environment, change its mode',
  description: 'Rename an environment, or change its mode: mark it as production, staging.',
  ...partialUpdate(operations.update_environment, { fixed: endsByItself }),
  plan: ({ name, mode }) => [
    ...(name === undefined ? [] : [namedByRules]),
    ...(mode === undefined
      ? []
      : [
          'Its mode decides what has to be agreed to from then on, and whether deployment windows of PRODUCTION alone hold for it.',
        ]),
  ],
  fields: { name: 'New name.', mode: 'New mode.' },
});

export const stopEnvironment = defineTool(operations.stop_environment, {
  toolset: 'environments',
  title: 'Switch off a whole environment, save money',
  description: 'Stop, turn off, shut down or pause a whole environment (for a night, weekend) until deployed again.',
  plan: () => ['Every service in it stops serving until it is deployed again.', lostAndKept],
  preview: takenDown,
  noOpCheck: allDown,
  ...startMoment('STOP', 'environment_id'),
});

export const cancelDeployment = defineTool(operations.cancel_deployment, {
  toolset: 'environments',
  title: 'Abort a running deploy, release or rollout',
  description:
    'Cancel, abort, halt or stop a running or queued deployment (deploy, rollout) of an environment, started by ' +
    'mistake, wrong one. Its changes stay.',
  preview: underWay,
  noOpCheck: nothingUnderWay,
  render: record({ first: ['state', 'id'] }),
  next: naming`Accepted: ${'get_environment_status'} shows when it is CANCELED.`,
});

/** The project of an environment that was just deleted, if it has no other one. */
async function emptyProject(context: ToolContext, { outcome }: JsonRecord): Promise<JsonRecord> {
  const id = context.resolved['environment']?.project?.id;
  if (outcome !== 'succeeded' || id === undefined) return {};
  const rows = wholeListIn(
    await ifPossible(context, 'Whether its project is empty', () =>
      context.attempt(operations.list_environments, { project_id: id }),
    ),
  );
  return rows?.length === 0 ? { empty_project: id } : {};
}

const deletionOfProject = ({ empty_project: project }: JsonRecord): readonly NextCall[] =>
  project === undefined
    ? []
    : [
        {
          tool: 'delete_project',
          arguments: { project_id: project },
          why: 'it has no environment any more; only if the user wants it gone as well',
        },
      ];

export const deleteEnvironment = composeTool({
  name: 'delete_environment',
  toolset: 'environments',
  title: 'Get rid of a whole environment',
  description: 'Delete, remove, drop, destroy or tear down a whole environment for good, with all services and data.',
  input: { environment: reference('environment'), ...waitForEnd },
  operations: [operations.delete_environment],
  expand: async ({ environment }) => [planOperation(operations.delete_environment, { environment_id: environment })],
  preview: deletion,
  reads: [
    ...readsAfterwards,
    ...readUses('whether it is gone can not be told', operations.get_environment),
    ...readUses('whether its project is empty then is not told', operations.list_environments),
  ],
  output: startedAnswer.answer,
  answer: async (args, context, [answer = {}]) => {
    const told = await afterwards(context, serviceSubject(context), { action: 'DELETE', answer, wait: args.wait });
    return { ...told, ...(await emptyProject(context, told)) };
  },
  render: startedAnswer.render,
  next: (view) => [...startedAnswer.next(view), ...deletionOfProject(view)],
});
