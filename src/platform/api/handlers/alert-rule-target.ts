import type * as z from 'zod';
import type { NewAlertRuleRequest } from '../../../contract/index.ts';
import { invalid } from '../../common/index.ts';
import type { Db } from '../../store/index.ts';

type NewRule = z.output<typeof NewAlertRuleRequest>;

/** A resource that a rule can watch, with its cluster and organization. */
interface Watched {
  readonly type: string;
  readonly cluster_id: string;
  readonly organization_id: string;
}

/** The type of a service in alert rules: its kind in capitals, where a scheduled job is a CRONJOB. */
const typeOfService = (kind: string, spec: string): string =>
  kind === 'job' && (JSON.parse(spec) as { job_type?: string }).job_type === 'CRON' ? 'CRONJOB' : kind.toUpperCase();

async function watchedWith(db: Db, type: string, id: string): Promise<Watched | undefined> {
  if (type === 'CLUSTER') {
    const cluster = await db.selectFrom('cluster').select('organization_id').where('id', '=', id).executeTakeFirst();
    return cluster && { type, cluster_id: id, organization_id: cluster.organization_id };
  }
  const environments = db
    .selectFrom('environment')
    .innerJoin('project', 'project.id', 'environment.project_id')
    .select(['environment.cluster_id', 'project.organization_id']);
  if (type === 'ENVIRONMENT') {
    const environment = await environments.where('environment.id', '=', id).executeTakeFirst();
    return environment && { type, ...environment };
  }
  const service = await environments
    .innerJoin('service', 'service.environment_id', 'environment.id')
    .select(['service.kind', 'service.spec'])
    .where('service.id', '=', id)
    .executeTakeFirst();
  if (service === undefined) return undefined;
  const { kind, spec, ...place } = service;
  return { type: typeOfService(kind, spec), ...place };
}

/** JOB stands for jobs of both kinds. */
const isOfType = (given: string, type: string): boolean => given === type || (given === 'JOB' && type === 'CRONJOB');

/**
 * The columns of a new rule that say what it watches.
 * @throws ApiProblem 400 with the member if there is no such resource in the organization, or it is on another cluster
 */
export async function targetColumns(db: Db, { target, organization_id: organization, cluster_id: cluster }: NewRule) {
  const [given, id] = [target.target_type.trim(), target.target_id.toLowerCase()];
  const watched = await watchedWith(db, given, id);
  if (watched === undefined || watched.organization_id !== organization.toLowerCase() || !isOfType(given, watched.type))
    throw invalid('target.target_id', `no ${given.toLowerCase()} of this organization has the id ${id}`);
  if (watched.cluster_id !== cluster.toLowerCase())
    throw invalid('cluster_id', `what the rule watches is on the cluster ${watched.cluster_id}`);
  return { target_type: watched.type, target_id: id, cluster_id: watched.cluster_id };
}
