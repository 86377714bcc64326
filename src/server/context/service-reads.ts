import { ApiError, type ApiErrorKind } from '../../client/index.ts';
import { coverageOf, deployedAt, foldLines, type LogCoverage, type Repeats } from '../../analysis/index.ts';
import { allOperations, operations, type AnyOperation, type ReferenceKind } from '../../contract/index.ts';
import { isRecord, recordsIn, type JsonRecord } from '../json/index.ts';
import type { Reader } from './reader.ts';
import { pointerIn, readById, rowsIn, textIn } from './reads.ts';

/** The part of a service that reading its state needs. */
export interface ServiceReference {
  readonly kind: ReferenceKind;
  readonly id: string;
  /** Read from the service if it is absent but needed. */
  readonly environmentId?: string;
}

type Reads = Pick<Reader, 'read' | 'attempt'>;

const operationNamed = (name: string): AnyOperation | undefined =>
  allOperations.find((operation) => operation.name === name);

/**
 * The failures of a read after which its answer may be replaced from another source: including persistent server
 * errors, which the client has retried. Never what a policy or the platform forbids. For a documented read, 404 doesn't
 * show whether the platform lacks the route or the resource.
 */
export const replaceableOf = ({ documented }: AnyOperation): readonly ApiErrorKind[] => [
  'not_offered',
  'bad_answer',
  'server_error',
  ...(documented ? (['not_found'] as const) : []),
];

/** The failures that are reported if nothing replaces the answer. */
const standing: readonly ApiErrorKind[] = ['not_found', 'server_error'];

/** The result of the service's own read; `isReplaceable`: whether the environment may be read instead. */
interface OwnAnswer {
  readonly answer?: JsonRecord;
  readonly isReplaceable: boolean;
  /** The failure to report if the environment has no answer either. */
  readonly failure?: ApiError;
}

/** Reads what the platform offers per kind of service. */
async function readOwn(name: string, { kind, id }: ServiceReference, reader: Reads): Promise<OwnAnswer> {
  const operation = operationNamed(name);
  if (!operation) return { isReplaceable: true };
  const input = { [`${kind}_id`]: id };
  try {
    return { answer: await reader.read(operation, input), isReplaceable: true };
  } catch (error) {
    const isReplaceable = error instanceof ApiError && replaceableOf(operation).includes(error.kind);
    if (isReplaceable && standing.includes(error.kind)) return { isReplaceable, failure: error };
    // The same read, not sent again: it notes why there is no answer, or throws.
    const answer = await reader.attempt(operation, input);
    return { answer, isReplaceable };
  }
}

const environmentOf = async (
  { kind, id, environmentId }: ServiceReference,
  reader: Reads,
): Promise<string | undefined> => environmentId ?? pointerIn(await readById(kind, id, reader), 'environment');

/** All rows of the statuses of an environment, which are in a list for each kind; none without statuses. */
export const statusRowsIn = (statuses: JsonRecord | undefined): readonly JsonRecord[] =>
  Object.values(statuses ?? {}).flatMap((list) => recordsIn(list));

/** The row of a service in the statuses of its environment, in the list of any kind. */
const rowOf = (id: string, statuses: JsonRecord | undefined): JsonRecord | undefined =>
  statusRowsIn(statuses).find((row) => row['id'] === id);

/**
 * Reads from the environment of a service in place of the service.
 * @throws the failure of the service's own read, if it must be reported and the environment has no answer.
 */
async function readInstead<Found>(
  { failure }: OwnAnswer,
  service: ServiceReference,
  reader: Reads,
  read: (environment_id: string) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const find = async (): Promise<Found | undefined> => {
    const environment_id = await environmentOf(service, reader);
    return environment_id === undefined ? undefined : read(environment_id);
  };
  const found = await (failure
    ? find().catch((error: unknown) => Promise.reject(error instanceof ApiError ? failure : (error as Error)))
    : find());
  if (failure && found === undefined) throw failure;
  return found;
}

/** The status of a service, and its source. */
interface ServiceStatus {
  readonly status: JsonRecord;
  readonly from: 'service' | 'environment';
}

/**
 * Reads the status of a service: its own or, if that can't be read or has no state, its row in the statuses of its
 * environment; undefined if there is neither.
 */
export async function readServiceStatus(service: ServiceReference, reader: Reads): Promise<ServiceStatus | undefined> {
  const own = await readOwn(`get_${service.kind}_status`, service, reader);
  const asOwn = own.answer && { status: own.answer, from: 'service' as const };
  if (textIn(own.answer, 'state') !== undefined || !own.isReplaceable) return asOwn;
  const status = await readInstead(own, service, reader, async (environment_id) => {
    const statuses = await reader.attempt(operations.get_environment_status, { environment_id });
    return rowOf(service.id, isRecord(statuses) ? statuses : undefined);
  });
  return status ? { status, from: 'environment' } : asOwn;
}

/** The note that the status of a service is not its own. */
export const otherStatusText = (kind: string): string =>
  `The status of this ${kind} itself is not read: this is its row in the statuses of its environment, where DEPLOYED is good.`;

/** Lines of a log, and their source. */
interface ServiceLog {
  readonly lines: readonly JsonRecord[];
  readonly from: 'service' | 'environment';
  /** Since when it has lines of instances, if the platform loses those of replaced ones. */
  readonly instancesSince?: string;
}

/** The note that the lines of a service are not from its own log. */
export const otherLogText = (kind: string): string =>
  `The log of this ${kind} itself is not read: its lines are those in the log of its environment, which has only the latest deployments.`;

const linesIn = (answer: JsonRecord | undefined): readonly JsonRecord[] | undefined =>
  Array.isArray(answer?.['results']) ? rowsIn(answer) : undefined;

/**
 * Reads the newest log lines of a service: from its own log or, if that can't be read, those of this service in the log
 * of its environment; undefined if there is neither.
 */
export async function readServiceLogs(service: ServiceReference, reader: Reads): Promise<ServiceLog | undefined> {
  const own = await readOwn(`get_${service.kind}_logs`, service, reader);
  const ownLines = linesIn(own.answer);
  if (ownLines) return { lines: ownLines, from: 'service', instancesSince: textIn(own.answer, 'instances_since') };
  if (!own.isReplaceable) return undefined;
  const all = await readInstead(own, service, reader, async (environment_id) =>
    linesIn(await reader.attempt(operations.get_environment_logs, { environment_id })),
  );
  // Lines without a service id don't show anything about this service.
  const isTold = all?.length === 0 || all?.some((line) => typeof line['service_id'] === 'string');
  const lines = isTold ? all?.filter((line) => line['service_id'] === service.id) : undefined;
  return lines && { lines, from: 'environment' };
}

/** Since when the empty log of a service could have lines. */
const emptyLogOf = async (service: ServiceReference, reader: Reads): Promise<Partial<LogCoverage>> =>
  deployedAt(
    await readServiceStatus(service, reader).then(
      (found) => found?.status,
      // That the log is empty is known without it.
      (error: unknown) => (error instanceof ApiError ? undefined : Promise.reject(error as Error)),
    ),
  );

/** How a log is shown. */
export interface ShownLog {
  /** Maximum number of messages, or of lines if they are raw; the newest ones. Default: all. */
  readonly tail?: number;
  /** Whether each line is shown by itself. Default: messages that repeat are shown once, where they came last. */
  readonly raw?: boolean;
}

const rowOfLine = ({ line, repeats }: { readonly line: JsonRecord; readonly repeats?: Repeats }): JsonRecord => ({
  ...line,
  ...(repeats && {
    repeats: {
      count: repeats.count,
      ...(!repeats.isExact && { with_other_numbers: true }),
      ...(repeats.ranges && { ranges: repeats.ranges }),
      first_at: repeats.first,
      last_at: repeats.last,
    },
  }),
});

/**
 * Reads the newest log lines of a service, as `readServiceLogs` does, with the period that they cover. Notes that they
 * are not from its own log.
 */
export async function readShownLog(
  service: ServiceReference,
  reader: Reads & { readonly leftOut: (line: string) => void },
  { tail, raw }: ShownLog,
): Promise<JsonRecord | undefined> {
  const log = await readServiceLogs(service, reader);
  if (!log) return undefined;
  const { lines, from, instancesSince } = log;
  if (from === 'environment') reader.leftOut(otherLogText(service.kind));
  const empty = lines.length === 0 ? await emptyLogOf(service, reader) : {};
  const logs = [{ ...coverageOf(lines, { instancesSince }), ...empty }];
  if (raw) return { logs, results: tail === undefined ? lines : lines.slice(-tail) };
  const { lines: folded, ...counts } = foldLines(lines, tail);
  return { logs, ...counts, results: folded.map(rowOfLine) };
}
