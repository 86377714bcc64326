import { operations } from '../../src/contract/index.ts';
import { defineTool, naming, readUses, record, textOf, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

const clusterText = (environment: JsonRecord, id: string): string => [textOf(environment, 'cluster_name'), `(id ${id})`].filter(Boolean).join(' ');

/** The created environment, checked to be on the cluster that was asked for: some platforms ignore a wish that they don't understand. */
async function onItsCluster({ cluster_id: wanted }: JsonRecord, context: ToolContext, created: JsonRecord): Promise<JsonRecord> {
  const id = textOf(created, 'id');
  const isTold = textOf(created, 'cluster_id') !== undefined;
  const found = isTold || id === undefined ? created : ((await context.attempt(operations.get_environment, { environment_id: id })) ?? created);
  const cluster = textOf(found, 'cluster_id');
  if (cluster === undefined) return { ...created, note: 'Not known: on which cluster it is. The platform does not tell.' };
  if (cluster.toLowerCase() !== String(wanted).toLowerCase()) {
    context.notAsAsked(
      `the environment is on another cluster than cluster ${String(wanted)}`,
      'An environment stays on its cluster: tell the user, who has to decide whether it is deleted or used there.',
      `environment ${textOf(created, 'name') ?? ''} (id ${id ?? 'not told'}) is on cluster ${clusterText(found, cluster)}`,
    );
  }
  return created;
}

export const createEnvironment = defineTool(operations.create_environment, {
  toolset: 'environments',
  description: 'Add an environment, such as staging or production, to a project. It starts empty, on the cluster you name.',
  reads: readUses('it is not checked on which cluster the environment is', operations.get_environment),
  answer: (args, context, [created = {}]) => onItsCluster(args, context, created),
  render: record({ first: ['name', 'id', 'mode', 'cluster_name'] }),
  next: naming`Next: ${'create_application'} or ${'create_database'} puts services into it.`,
});
