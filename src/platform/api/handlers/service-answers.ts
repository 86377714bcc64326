import type { Selectable } from 'kysely';
import type { GitRepository, OperationNamed, ResponseOf, ServiceKind, ServiceType } from '../../../contract/index.ts';
import type * as z from 'zod';
import type { ClusterTable, Db } from '../../store/index.ts';
import { defaultIcon, defaultProvider, type DeployedCommit, type ServiceSpecs } from '../../common/index.ts';
import { databaseAddress } from '../../engine/index.ts';
import { autoscalingAnswer } from './autoscaling.ts';
import { annotationsGroup, labelsGroup } from './groups.ts';
import type { ServiceRow } from './find.ts';

type Cluster = Selectable<ClusterTable>;
type Answers = { [Kind in ServiceKind]: ResponseOf<OperationNamed<`get_${Kind}`>> };

const identityOf = <Kind extends ServiceKind>(row: ServiceRow<Kind>) => ({
  id: row.id,
  created_at: row.created_at,
  updated_at: row.updated_at,
  name: row.name,
  service_type: row.kind.toUpperCase() as ServiceType,
  environment: { id: row.environment_id },
});

const maximumsOf = ({ maximum_cpu, maximum_memory, maximum_gpu }: Cluster) => ({
  maximum_cpu,
  maximum_memory,
  maximum_gpu,
});

const idsOf = (pointers: readonly { id: string }[] | undefined) => (pointers ?? []).map(({ id }) => id);

const groupsOf = async (db: Db, spec: ServiceSpecs['application' | 'container' | 'database' | 'job']) => {
  const [labels, annotations] = [idsOf(spec.labels_groups), idsOf(spec.annotations_groups)];
  return {
    labels_groups:
      labels.length === 0
        ? []
        : (await db.selectFrom('labels_group').selectAll().where('id', 'in', labels).execute()).map(labelsGroup),
    annotations_groups:
      annotations.length === 0
        ? []
        : (await db.selectFrom('annotations_group').selectAll().where('id', 'in', annotations).execute()).map(
            annotationsGroup,
          ),
  };
};

const runnableAnswer = async (db: Db, row: ServiceRow<'application'> | ServiceRow<'container'>, cluster: Cluster) => ({
  ...row.spec,
  ...identityOf<'application' | 'container'>(row),
  ...maximumsOf(cluster),
  ...(await groupsOf(db, row.spec)),
  healthchecks: row.spec.healthchecks ?? {},
  auto_preview: row.spec.auto_preview ?? false,
  auto_deploy: row.spec.auto_deploy ?? false,
  icon_uri: row.spec.icon_uri ?? defaultIcon(row.kind),
  autoscaling: row.spec.autoscaling && autoscalingAnswer(row.spec.autoscaling, row.id, cluster.organization_id),
});

/**
 * The name and owner of a repository, derived from the path in its URL. A repository whose path is only its name has no
 * owner.
 */
const repositoryNames = (url: string) => {
  const path = /^[^\s/@]+@[^\s:/]+:(?<path>.+)$/.exec(url)?.groups?.['path'] ?? URL.parse(url)?.pathname ?? url;
  const [name = url, owner] = path
    .replace(/\.git\/?$/, '')
    .split('/')
    .filter(Boolean)
    .toReversed();
  return { name, ...(owner !== undefined && { owner }) };
};

const commitOf = (deployed: string | null) => {
  if (deployed === null) return {};
  const commit = JSON.parse(deployed) as DeployedCommit;
  return {
    deployed_commit_id: commit.git_commit_id,
    deployed_commit_date: commit.created_at,
    deployed_commit_contributor: commit.author_name,
    deployed_commit_tag: commit.tag,
  };
};

const repositoryOf = <Repository extends { url: string; provider?: string | undefined }>(
  repository: Repository,
  deployed: string | null,
) => ({
  ...repository,
  provider: repository.provider ?? defaultProvider,
  ...repositoryNames(repository.url),
  has_access: true,
  ...commitOf(deployed),
});

const registryOf = async (db: Db, id: string) =>
  db.selectFrom('registry').select(['id', 'name', 'url', 'kind']).where('id', '=', id).executeTakeFirstOrThrow();

const plainAnswer = <Kind extends 'helm' | 'job' | 'terraform'>(row: ServiceRow<Kind>) => ({
  ...row.spec,
  ...identityOf(row),
  icon_uri: row.spec.icon_uri ?? defaultIcon(row.kind),
});

type Git = { git_repository: z.output<typeof GitRepository> };

const gitOf = <Source extends Git>({ git_repository: repository, ...rest }: Source, deployed: string | null) => ({
  ...rest,
  git_repository: repositoryOf(repository, deployed),
});

/** Builds the response for each kind of service, from its row and its cluster. */
const answerByKind: {
  [Kind in ServiceKind]: (db: Db, row: ServiceRow<Kind>, cluster: Cluster) => Promise<Answers[Kind]>;
} = {
  application: async (db, row, cluster) => ({
    ...(await runnableAnswer(db, row, cluster)),
    build_mode: row.spec.build_mode,
    dockerfile_path: row.spec.dockerfile_path,
    git_repository: repositoryOf(row.spec.git_repository, row.deployed_commit),
  }),
  container: async (db, row, cluster) => ({
    ...(await runnableAnswer(db, row, cluster)),
    registry: await registryOf(db, row.spec.registry_id),
    registry_id: row.spec.registry_id,
    image_name: row.spec.image_name,
    tag: row.spec.tag,
  }),
  database: async (db, row, cluster) => ({
    ...row.spec,
    ...identityOf(row),
    ...maximumsOf(cluster),
    ...(await groupsOf(db, row.spec)),
    icon_uri: row.spec.icon_uri ?? defaultIcon('database'),
    ...databaseAddress(row, row.spec.type),
  }),
  helm: async (_, row) => ({
    ...plainAnswer(row),
    source: row.spec.source.git ? { git: gitOf(row.spec.source.git, row.deployed_commit) } : row.spec.source,
  }),
  job: async (db, row) => ({
    ...plainAnswer(row),
    ...(await groupsOf(db, row.spec)),
    healthchecks: row.spec.healthchecks ?? {},
    gpu: row.spec.gpu ?? 0,
    // A lifecycle job without its own command runs the default command of its image.
    schedule: row.spec.schedule ?? { on_start: {} },
    source: row.spec.source.docker ? { docker: gitOf(row.spec.source.docker, row.deployed_commit) } : row.spec.source,
  }),
  terraform: async (_, row) => ({
    ...plainAnswer(row),
    terraform_files_source: { git: gitOf(row.spec.terraform_files_source.git, row.deployed_commit) },
  }),
};

/** Finds the cluster of an environment. */
export const clusterOf = (db: Db, environmentId: string): Promise<Cluster> =>
  db
    .selectFrom('cluster')
    .innerJoin('environment', 'environment.cluster_id', 'cluster.id')
    .selectAll('cluster')
    .where('environment.id', '=', environmentId)
    .executeTakeFirstOrThrow();

/** A service in responses. */
export async function serviceAnswer<Kind extends ServiceKind>(
  db: Db,
  row: ServiceRow<Kind>,
  cluster?: Cluster,
): Promise<Answers[Kind]> {
  const answer = answerByKind[row.kind] as (db: Db, row: ServiceRow<Kind>, cluster: Cluster) => Promise<Answers[Kind]>;
  return answer(db, row, cluster ?? (await clusterOf(db, row.environment_id)));
}
