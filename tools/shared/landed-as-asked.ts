import { operations } from '../../src/contract/index.ts';
import { unusableText } from '../../src/analysis/index.ts';
import {
  isRecord,
  readUses,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { clustersOf } from './cluster-nodes.ts';

/** The requested place of a new environment. Members that were left to the platform are absent. */
export interface WantedEnvironment {
  readonly cluster_id?: string | undefined;
  readonly mode?: string | undefined;
  readonly project_id?: string | undefined;
}

const clusterText = (environment: JsonRecord, id: string): string =>
  [textOf(environment, 'cluster_name'), `(id ${id})`].filter(Boolean).join(' ');

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const projectOf = ({ project }: JsonRecord): string | undefined =>
  isRecord(project) ? textOf(project, 'id') : undefined;

/** Ends the call with the environment's actual place, if its project or mode isn't the requested one. */
function checkPlace(wanted: WantedEnvironment, context: ToolContext, found: JsonRecord): void {
  const called = `environment ${textOf(found, 'name') ?? ''} (id ${textOf(found, 'id') ?? 'not told'})`;
  const [mode, project] = [textOf(found, 'mode'), projectOf(found)];
  if (wanted.mode !== undefined && mode !== undefined && !same(mode, wanted.mode)) {
    context.notAsAsked(
      `the environment has another mode than ${wanted.mode}`,
      'Tell the user, who has to decide whether it is changed, deleted or used so.',
      `${called} is ${mode}`,
    );
  }
  if (wanted.project_id !== undefined && project !== undefined && !same(project, wanted.project_id)) {
    context.notAsAsked(
      `the environment is in another project than project ${wanted.project_id}`,
      'Tell the user, who has to decide whether it is deleted or used there.',
      `${called} is in project ${project}`,
    );
  }
}

/** The reads that show whether anything can run on the cluster of an environment. */
export const readsOfCluster: readonly ReadUse[] = readUses(
  'whether anything can run on its cluster is not told',
  operations.get_organization,
  operations.list_clusters,
);

/** Says in the answer that nothing can run on a cluster. */
async function tellIfUnusable(context: ToolContext, cluster: string | undefined): Promise<void> {
  if (cluster === undefined) return;
  const text = unusableText((await clustersOf(context)).find((row) => textOf(row, 'id') === cluster) ?? {});
  if (text !== undefined) context.leftOut(text);
}

/**
 * The created environment, after a check that it has the requested place: some platforms ignore members that they don't
 * understand.
 * @throws CallFailure `not_as_asked` with its actual place
 */
export async function landedAsAsked(
  wanted: WantedEnvironment,
  context: ToolContext,
  created: JsonRecord,
): Promise<JsonRecord> {
  const id = textOf(created, 'id');
  const isTold = textOf(created, 'cluster_id') !== undefined;
  const found =
    isTold || id === undefined
      ? created
      : ((await context.attempt(operations.get_environment, { environment_id: id })) ?? created);
  checkPlace(wanted, context, found);
  await tellIfUnusable(context, textOf(found, 'cluster_id') ?? wanted.cluster_id);
  if (wanted.cluster_id === undefined) return created;
  const cluster = textOf(found, 'cluster_id');
  if (cluster === undefined)
    return { ...created, note: 'Not known: on which cluster it is. The platform does not tell.' };
  if (!same(cluster, wanted.cluster_id)) {
    context.notAsAsked(
      `the environment is on another cluster than cluster ${wanted.cluster_id}`,
      'An environment stays on its cluster: tell the user, who has to decide whether it is deleted or used there.',
      `environment ${textOf(created, 'name') ?? ''} (id ${id ?? 'not told'}) is on cluster ${clusterText(found, cluster)}`,
    );
  }
  return created;
}
