import { isServiceKind, reference } from '../../src/contract/index.ts';
import { anyService, at, textAt, textOf, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { readAspect } from '../shared/any-service.ts';
import { environmentAt } from '../shared/environment-lock.ts';

/** The arguments that name what a new alert rule watches; a call gives one of them. */
export const watchedInput = {
  service: anyService().optional(),
  environment_id: reference('environment').optional(),
  cluster_id: reference('cluster').optional(),
};
export const watchedMembers = Object.keys(watchedInput);

const textAtEither = (record: JsonRecord | undefined, ...paths: readonly string[]): string | undefined =>
  paths.map((path) => textAt(record, path)).find((text) => text !== undefined);

async function typeOfService(kind: string, id: string, context: ToolContext): Promise<string> {
  if (kind === 'database')
    context.refuse(
      'alert rules watch applications, containers, jobs, Helm and Terraform services, environments and clusters, and no database',
      'Watch its environment, with a condition about the database.',
    );
  const job = kind === 'job' ? await readAspect(context, { kind, id }, 'configuration') : undefined;
  return job && (textOf(job, 'job_type') === 'CRON' || at(job, 'schedule.cronjob')) ? 'CRONJOB' : kind.toUpperCase();
}

/** The members of a request for a rule that say what it watches, as the arguments name it. */
export async function watchedBy(context: ToolContext): Promise<JsonRecord> {
  const found = watchedMembers.map((member) => context.resolved[member]).find((one) => one !== undefined);
  if (!found) return context.refuse('what the rule watches is not given', 'Give a service, environment or cluster.');
  const { kind, id } = found;
  if (kind === 'cluster') return { cluster_id: id, target: { target_type: 'CLUSTER', target_id: id } };
  const service = isServiceKind(kind) ? kind : undefined;
  const type = service === undefined ? 'ENVIRONMENT' : await typeOfService(service, id, context);
  const environmentId =
    service === undefined
      ? id
      : (found.environment?.id ??
        textAtEither(await readAspect(context, { kind: service, id }, 'configuration'), 'environment.id'));
  const environment = environmentId && (await environmentAt(context, environmentId, found.project?.id));
  const cluster = environment ? textAtEither(environment, 'cluster_id', 'cluster.id') : undefined;
  return cluster === undefined
    ? context.refuse(
        'the cluster of what the rule watches is not known, and the platform requires it',
        'Give the path of what it watches, or use a token that may read its environment.',
      )
    : { cluster_id: cluster, target: { target_type: type, target_id: id } };
}
