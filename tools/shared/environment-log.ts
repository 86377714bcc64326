import { isServiceKind, operations } from '../../src/contract/index.ts';
import { coverageOf, laterFirst, type LogCoverage } from '../../src/analysis/index.ts';
import { isRecord, readUses, type JsonRecord, type ReadUse, type ToolContext } from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from './any-service.ts';
import { fewAtOnce } from './few-at-once.ts';
import { unlessGone } from './if-possible.ts';
import { readCoverageAhead, withEmptyLogs } from './log-coverage.ts';

/** Maximum number of services of an environment whose own logs are read: each takes a request. */
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

/** The own log of a service. */
interface OwnLog extends LoggedService {
  /** Undefined if they can't be read, or the service has been deleted. */
  readonly lines?: readonly JsonRecord[];
  readonly instancesSince?: string;
}

async function readOwnLogOf(context: ToolContext, service: LoggedService): Promise<OwnLog> {
  const { subject, name } = service;
  const log = await unlessGone(readAspect(context, subject, 'logs'));
  const lines = rows(log)?.map((line) => ({ service_id: subject.id, service_name: name, pod_name: name, ...line }));
  const since = text(log?.['instances_since']);
  return { ...service, ...(lines && { lines }), ...(since !== '' && { instancesSince: since }) };
}

/** The reads from which the log of an environment is combined. */
export const readsOfServiceLogs: readonly ReadUse[] = readUses(
  'of an environment, only the log of its latest deployments is searched',
  operations.list_services,
);

/** Reads the newest lines of the environment's own log; undefined if it can't be read. */
export const readOwnLog = async (
  context: ToolContext,
  environmentId: string,
): Promise<readonly JsonRecord[] | undefined> =>
  rows(await context.attempt(operations.get_environment_logs, { environment_id: environmentId }));

/** The same line has the same key in the log of a service and in that of its environment. */
const keyOf = ({ service_id: service, created_at: time, message }: JsonRecord): string =>
  JSON.stringify([service, time, message]);

/** The log lines of an environment, oldest first, and what is covered of each of its services. */
export interface EnvironmentLogs {
  readonly lines: readonly JsonRecord[];
  readonly logs: readonly LogCoverage[];
}

/** What the log of an environment says of its latest deployments, if that is all there is. */
const deploymentsOnly = (context: ToolContext, own: readonly JsonRecord[] | undefined): EnvironmentLogs | undefined => {
  if (!own) return undefined;
  context.leftOut(
    'The services of this environment are not known: only the log of its latest deployments is searched, not what its services logged since then.',
  );
  return { lines: own, logs: [coverageOf(own)] };
};

/** Says which services' own logs are not among the lines. Ids, because a name is text from the platform. */
function tellUnread(context: ToolContext, unread: readonly OwnLog[], others: number, hasOwn: boolean): void {
  const told = [
    ...(unread.length > 0
      ? [
          `Not among them are those of ${unread.map(({ subject: { kind, id } }) => `${kind} ${id}`).join(', ')}: ${
            hasOwn
              ? 'of these, only the lines of their latest deployments are searched, which the log of the environment has'
              : 'the log of the environment can not be read either'
          }.`,
        ]
      : []),
    ...(others > 0 ? [`${others} of its services are of kinds that have no log here.`] : []),
  ];
  if (told.length > 0) context.leftOut(["The lines are those of its services' own logs.", ...told].join(' '));
}

/**
 * Reads what the services of an environment log: the own log of each, a few at a time, and the log of the environment,
 * which also has the latest deployments of services whose own log can't be read. What isn't read is said in the answer.
 * Undefined if no log can be read.
 */
export async function readEnvironmentLogs(
  context: ToolContext,
  environmentId: string,
): Promise<EnvironmentLogs | undefined> {
  readCoverageAhead(context, environmentId);
  const [own, list] = await Promise.all([
    readOwnLog(context, environmentId),
    context.attempt(operations.list_services, { environment_id: environmentId }).then(rows),
  ]);
  if (!list) return deploymentsOnly(context, own);
  const services = servicesIn(list);
  const read = await fewAtOnce(services.slice(0, maximumServices), (service) => readOwnLogOf(context, service));
  const logs: readonly OwnLog[] = [...read, ...services.slice(maximumServices)];
  if (!own && !logs.some(({ lines }) => lines)) return undefined;
  const known = new Set(logs.flatMap(({ lines = [] }) => lines.map(keyOf)));
  const more = (own ?? []).filter((line) => !known.has(keyOf(line)));
  const unread = logs.filter(({ lines }) => !lines);
  tellUnread(context, unread, list.length - services.length, own !== undefined);
  const covered = logs.map(({ subject, name, lines, instancesSince }) => ({
    id: subject.id,
    ...coverageOf(lines ?? more.filter((line) => line['service_id'] === subject.id), { service: name, instancesSince }),
    ...(!lines && { not_read: true as const }),
  }));
  return {
    lines: [...logs.flatMap(({ lines = [] }) => lines), ...more].toSorted(oldestFirst),
    logs: await withEmptyLogs(context, environmentId, covered),
  };
}
