import { operations } from '../../src/contract/index.ts';
import { isInstanceOf, lockingHost, readDeployment, type HistoryItem, type LockHolder, type LogLine } from '../../src/analysis/index.ts';
import { recordsIn, type ToolContext } from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from './any-service.ts';
import { observedServices, type ObservedService } from './observed-services.ts';

/** Most other environments of the project that are searched for who holds a lock. */
const mostEnvironments = 6;

/** An environment of the project, with its name. */
interface Place {
  readonly id: string;
  readonly path: string;
}

/** The environments of the project of a service, its own first. */
async function placesAround(context: ToolContext, { environmentId, projectId, path }: Subject): Promise<readonly Place[]> {
  if (environmentId === undefined) return [];
  // The path of a service that was found in its environment isn't known, but that of the environment is.
  const project = Object.values(context.resolved).find((resource) => resource?.path !== undefined)?.path?.split('/')[0];
  const list = projectId === undefined ? undefined : await context.attempt(operations.list_environments, { project_id: projectId });
  const all = (list?.results ?? []).flatMap(({ id, name }) => (id ? [{ id, path: [project, name].filter(Boolean).join('/') }] : []));
  const own = all.find(({ id }) => id === environmentId) ?? { id: environmentId, path: path?.split('/').slice(0, -1).join('/') ?? '' };
  return [own, ...all.filter(({ id }) => id !== environmentId)].slice(0, 1 + mostEnvironments);
}

const holderAt = async (context: ToolContext, { kind, id, name, status }: ObservedService, place: Place): Promise<LockHolder> => {
  const history = await readAspect(context, { kind, id }, 'deployments');
  const rows = recordsIn(history?.['results']) as HistoryItem[];
  const last = rows.map(readDeployment).find(({ action }) => action === 'DEPLOY');
  return { kind, id, name, path: [place.path, name].filter(Boolean).join('/'), environmentId: place.id, state: status?.state, by: last?.triggeredBy, at: last?.startedAt };
};

/**
 * The service that holds the lock of a Terraform state: the log names the instance, which is named after its service. It is
 * searched for in the project. Undefined if the log names none, or there is none of that name.
 */
export async function lockHolder(context: ToolContext, subject: Subject, lines: readonly LogLine[]): Promise<LockHolder | undefined> {
  const host = lockingHost(lines);
  if (host === undefined) return undefined;
  for (const place of await placesAround(context, subject)) {
    const found = (await observedServices(context, place.id))?.find(({ name }) => isInstanceOf(host, name));
    if (found) return holderAt(context, found, place);
  }
  return undefined;
}
