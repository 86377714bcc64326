import { ApiError, type ApiErrorKind } from '../../client/index.ts';
import { allOperations, operations, type AnyOperation, type ReferenceKind } from '../../contract/index.ts';
import { isRecord, type JsonRecord } from '../json/index.ts';
import type { Reader } from './reader.ts';
import { pointerIn, readById, rowsIn, textIn } from './reads.ts';

/** A service, as far as it takes to read what it does. */
export interface ServiceReference {
  readonly kind: ReferenceKind;
  readonly id: string;
  /** Read from the service if it is absent but needed. */
  readonly environmentId?: string;
}

type Reads = Pick<Reader, 'read' | 'attempt'>;

const operationNamed = (name: string): AnyOperation | undefined => allOperations.find((operation) => operation.name === name);

/** The failures after which something else may stand in for an answer. Never what a policy or the platform forbids. */
export const replaceable: readonly ApiErrorKind[] = ['not_offered', 'bad_answer'];

/** What was read of one service, if it could be; `isReplaceable`: whether the environment may be read for it instead. */
interface OwnAnswer {
  readonly answer?: JsonRecord;
  readonly isReplaceable: boolean;
}

/** Reads what the platform offers for one kind of service only. */
async function readOwn(name: string, { kind, id }: ServiceReference, reader: Reads, query: JsonRecord = {}): Promise<OwnAnswer> {
  const operation = operationNamed(name);
  if (!operation) return { isReplaceable: true };
  const input = { [`${kind}_id`]: id, ...query };
  try {
    return { answer: await reader.read(operation, input), isReplaceable: true };
  } catch (error) {
    // The same read, not sent again: it notes why there is no answer, or throws.
    const answer = await reader.attempt(operation, input);
    return { answer, isReplaceable: error instanceof ApiError && replaceable.includes(error.kind) };
  }
}

const environmentOf = async ({ kind, id, environmentId }: ServiceReference, reader: Reads): Promise<string | undefined> =>
  environmentId ?? pointerIn(await readById(kind, id, reader), 'environment');

/** The row of a service in the statuses of its environment, in the list of whatever kind. */
const rowOf = (id: string, statuses: JsonRecord | undefined): JsonRecord | undefined =>
  Object.values(statuses ?? {}).flatMap((list) => rowsIn({ results: list })).find((row) => row['id'] === id);

/**
 * Reads the status of a service: its own or, if that can't be read or has no state, its row in the statuses of its
 * environment; undefined if there is neither.
 */
export async function readServiceStatus(service: ServiceReference, reader: Reads): Promise<JsonRecord | undefined> {
  const { answer: own, isReplaceable } = await readOwn(`get_${service.kind}_status`, service, reader);
  if (textIn(own, 'state') !== undefined || !isReplaceable) return own;
  const environment_id = await environmentOf(service, reader);
  const statuses = environment_id === undefined ? undefined : await reader.attempt(operations.get_environment_status, { environment_id });
  return rowOf(service.id, isRecord(statuses) ? statuses : undefined) ?? own;
}

/** Lines of a log, and whose log they are from. */
interface ServiceLog {
  readonly lines: readonly JsonRecord[];
  readonly from: 'service' | 'environment';
}

/** Says that the lines of a service are not from its own log. */
export const otherLogText = (kind: string): string =>
  `The log of this ${kind} itself is not read: its lines are those in the log of its environment, which has only the latest deployments.`;

const linesIn = (answer: JsonRecord | undefined): readonly JsonRecord[] | undefined => (Array.isArray(answer?.['results']) ? rowsIn(answer) : undefined);

/**
 * Reads the newest log lines of a service: from its own log or, if that can't be read, those of this service in the log of
 * its environment; undefined if there is neither.
 * @param tail most lines. Default: all that the platform answers.
 */
export async function readServiceLogs(service: ServiceReference, reader: Reads, tail?: number): Promise<ServiceLog | undefined> {
  const { answer, isReplaceable } = await readOwn(`get_${service.kind}_logs`, service, reader, tail === undefined ? {} : { tail });
  const own = linesIn(answer);
  if (own) return { lines: own, from: 'service' };
  if (!isReplaceable) return undefined;
  const environment_id = await environmentOf(service, reader);
  const all = environment_id === undefined ? undefined : linesIn(await reader.attempt(operations.get_environment_logs, { environment_id }));
  const lines = all?.filter((line) => line['service_id'] === service.id);
  return lines && { lines: tail === undefined ? lines : lines.slice(-tail), from: 'environment' };
}
