import { isServiceKind, operations } from '../../src/contract/index.ts';
import { laterFirst } from '../../src/analysis/index.ts';
import {
  isPlatformFailure,
  isRecord,
  readUses,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from './any-service.ts';

/** Maximum number of services whose own logs are read in place of their environment's: each takes a request. */
const maximumServices = 20;

const rows = (answer: JsonRecord | undefined): readonly JsonRecord[] | undefined =>
  Array.isArray(answer?.['results']) ? answer['results'].filter(isRecord) : undefined;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A service of an environment whose log may be read. */
interface LoggedService {
  readonly subject: Subject;
  readonly name: string;
}

const servicesIn = (list: readonly JsonRecord[]): readonly LoggedService[] =>
  list.flatMap((row) => {
    const kind = text(row['service_type']).toLowerCase();
    return isServiceKind(kind) && text(row['id']) !== ''
      ? [{ subject: { kind, id: text(row['id']) }, name: text(row['name']) || text(row['id']) }]
      : [];
  });

const oldestFirst = (one: JsonRecord, other: JsonRecord): number =>
  laterFirst(text(other['created_at']), text(one['created_at']));

/** The lines of a service's own log; undefined if they can't be read, or the service has been deleted. */
async function ownLines(
  context: ToolContext,
  { subject, name }: LoggedService,
): Promise<readonly JsonRecord[] | undefined> {
  const log = await readAspect(context, subject, 'logs').catch((error: unknown) =>
    isPlatformFailure(error) && error.kind === 'not_found' ? undefined : Promise.reject(error as Error),
  );
  return rows(log)?.map((line) => ({ service_id: subject.id, service_name: name, pod_name: name, ...line }));
}

/** The log of an environment, combined from its services' logs; undefined if none can be read. */
async function readFromServices(
  context: ToolContext,
  environmentId: string,
): Promise<readonly JsonRecord[] | undefined> {
  const list = rows(await context.attempt(operations.list_services, { environment_id: environmentId }));
  if (!list) return undefined;
  const services = servicesIn(list);
  const logs = await Promise.all(
    services
      .slice(0, maximumServices)
      .map(async (service) => ({ ...service, lines: await ownLines(context, service) })),
  );
  if (!logs.some(({ lines }) => lines !== undefined)) return undefined;
  // Ids, because a name is text from the platform.
  const unread = [
    ...logs.filter(({ lines }) => lines === undefined).map(({ subject }) => subject),
    ...services.slice(maximumServices).map(({ subject }) => subject),
  ];
  const others = list.length - services.length;
  context.leftOut(
    [
      "The log of this environment itself is not read: these are lines of its services' own logs.",
      ...(unread.length > 0
        ? [`Not among them are those of ${unread.map(({ kind, id }) => `${kind} ${id}`).join(', ')}.`]
        : []),
      ...(others > 0 ? [`${others} of its services are of kinds that have no log here.`] : []),
    ].join(' '),
  );
  return logs.flatMap(({ lines = [] }) => lines).toSorted(oldestFirst);
}

/** The reads from which the log of an environment is combined if it can't be read itself. */
export const readsInsteadOfEnvironmentLog: readonly ReadUse[] = readUses(
  "the log of an environment is not put together from those of its services, where it can't be read",
  operations.list_services,
);

/** Reads the newest lines of the environment's own log; undefined if it can't be read. */
export const readOwnLog = async (
  context: ToolContext,
  environmentId: string,
): Promise<readonly JsonRecord[] | undefined> =>
  rows(await context.attempt(operations.get_environment_logs, { environment_id: environmentId }));

/**
 * Reads the newest log lines of an environment. If its own log can't be read, uses the logs of its services and says so
 * in the answer; undefined if there is neither.
 */
export const readEnvironmentLog = async (
  context: ToolContext,
  environmentId: string,
): Promise<readonly JsonRecord[] | undefined> =>
  (await readOwnLog(context, environmentId)) ?? readFromServices(context, environmentId);
