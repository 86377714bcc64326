import { configurationFault, invalid, refused, type DeployedCommit } from '../common/index.ts';
import {
  simulatedRuntimeName,
  type Restoration,
  type Runtime,
  type ServiceDomain,
  type ServiceToRun,
  type Task,
  type TaskInputs,
} from '../runtime/index.ts';
import { compiled, type Db } from '../store/index.ts';
import { requireRoom } from './cluster-limits.ts';
import type { EngineContext } from './context.ts';
import { databaseCredentials } from './database-variables.ts';
import { type DeploymentRow, type DeploymentServiceRow, isPlan } from './deployment-rows.ts';
import type { ConfiguredService } from './engine.ts';
import type { StatePath } from './lifecycle.ts';
import { gitTokenOf, registryOf } from './linked-credentials.ts';
import { resolvedVariables } from './resolved-variables.ts';

const runtimeOf = compiled((db, { id }: { readonly id: string }) =>
  db
    .selectFrom('environment')
    .innerJoin('cluster', 'cluster.id', 'environment.cluster_id')
    .select('cluster.runtime')
    .where('environment.id', '=', id),
);

/** The runtime of an environment's cluster. */
export async function runtimeOfEnvironment(
  { runtimes }: Pick<EngineContext, 'runtimes'>,
  db: Db,
  environmentId: string,
): Promise<Runtime> {
  const [cluster] = await runtimeOf(db, { id: environmentId });
  return runtimes.named(cluster?.runtime ?? simulatedRuntimeName);
}

const serviceToRun = (row: DeploymentServiceRow, environmentId: string): ServiceToRun => ({
  id: row.service_id,
  name: row.name,
  environmentId,
  kind: row.kind,
  spec: JSON.parse(row.spec ?? '{}'),
});

/** The commit that an earlier phase found, or else the requested one. */
const commitIdOf = (row: DeploymentServiceRow): { commitId?: string } => {
  const commitId =
    row.commit === null ? row.requested_commit : (JSON.parse(row.commit) as DeployedCommit).git_commit_id;
  return commitId === null ? {} : { commitId };
};

/**
 * The task of a service's current phase, or of its first one.
 * @param runningRecord the runtime's record of the running version
 */
export function taskOf(
  context: Pick<EngineContext, 'timeScale'>,
  deployment: DeploymentRow,
  row: DeploymentServiceRow,
  path: StatePath,
  runningRecord: string | null,
): Task {
  const phase = path.phases[row.phase ?? 0]!;
  const beganAt = row.phase_began_ms ?? 0;
  return {
    deploymentId: deployment.id,
    fencingToken: deployment.fencing_token,
    action: deployment.action,
    phase,
    service: serviceToRun(row, deployment.environment_id),
    ...commitIdOf(row),
    ...(isPlan(deployment) && { isPlan: true as const }),
    ...(row.record !== null && { record: row.record }),
    ...(runningRecord !== null && { runningRecord }),
    ...(row.restoration !== null && { restoration: JSON.parse(row.restoration) as Restoration }),
    beganAt,
    deadline: beganAt + phase.limitSeconds * 1000 * Math.max(1, context.timeScale),
  };
}

const domainsOf = async (db: Db, { id }: ServiceToRun): Promise<ServiceDomain[]> => {
  const rows = await db
    .selectFrom('custom_domain')
    .select(['domain', 'generate_certificate'])
    .where('service_id', '=', id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(({ domain, generate_certificate: certificate }) => ({
    domain: domain.toLowerCase(),
    hasCertificate: certificate === 1,
  }));
};

/**
 * Requires that the cluster of an environment can run services as they are configured, and has room for them.
 * @throws ApiProblem 400 with what isn't possible, and what to do instead; with the member that no cluster could use
 */
export async function requireRunnable(
  context: Pick<EngineContext, 'runtimes' | 'clusterLimits'>,
  db: Db,
  environmentId: string,
  services: readonly ConfiguredService[],
): Promise<void> {
  const runtime = await runtimeOfEnvironment(context, db, environmentId);
  for (const service of services) {
    const fault = configurationFault(service.kind, service.spec);
    if (fault !== undefined) throw invalid(fault.field, fault.why);
    const refusal = runtime.refusalOf(service);
    if (refusal !== undefined) throw refused(`${service.name} can't run on this environment's cluster. ${refusal}`);
  }
  await requireRoom(context, db, environmentId, services);
}

/** Reads what a task needs in addition to its configuration, with secrets in plain text. */
export async function taskInputs(
  { db, openSecret }: Pick<EngineContext, 'db' | 'openSecret'>,
  service: ServiceToRun,
): Promise<TaskInputs> {
  return db.read(async (trx) => {
    const registry = await registryOf(trx, service, openSecret);
    const gitToken = await gitTokenOf(trx, service, openSecret);
    const environment = await trx
      .selectFrom('environment')
      .innerJoin('project', 'project.id', 'environment.project_id')
      .select([
        'environment.name as environmentName',
        'environment.mode as environmentMode',
        'project.name as projectName',
      ])
      .where('environment.id', '=', service.environmentId)
      .executeTakeFirst();
    const domains = await domainsOf(trx, service);
    const database = service.kind === 'database' ? await databaseCredentials(trx, service, openSecret) : undefined;
    return {
      variables: await resolvedVariables(trx, service, openSecret),
      domains,
      ...environment,
      ...(registry && { registry }),
      ...(gitToken && { gitToken }),
      ...(database && { database }),
    };
  });
}
