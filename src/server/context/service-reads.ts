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

type Attempt = Pick<Reader, 'attempt'>;

const operationNamed = (name: string): AnyOperation | undefined => allOperations.find((operation) => operation.name === name);

/** Reads what the platform offers for one kind of service only; undefined if it can't be read. */
const readOwn = async (name: string, { kind, id }: ServiceReference, reader: Attempt, query: JsonRecord = {}): Promise<JsonRecord | undefined> => {
  const operation = operationNamed(name);
  return operation && reader.attempt(operation, { [`${kind}_id`]: id, ...query });
};

const environmentOf = async ({ kind, id, environmentId }: ServiceReference, reader: Attempt): Promise<string | undefined> =>
  environmentId ?? pointerIn(await readById(kind, id, reader), 'environment');

/** The row of a service in the statuses of its environment, in the list of whatever kind. */
const rowOf = (id: string, statuses: JsonRecord | undefined): JsonRecord | undefined =>
  Object.values(statuses ?? {}).flatMap((list) => rowsIn({ results: list })).find((row) => row['id'] === id);

/**
 * Reads the status of a service: its own or, if that can't be read or has no state, its row in the statuses of its
 * environment; undefined if there is neither.
 */
export async function readServiceStatus(service: ServiceReference, reader: Attempt): Promise<JsonRecord | undefined> {
  const own = await readOwn(`get_${service.kind}_status`, service, reader);
  if (textIn(own, 'state') !== undefined) return own;
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
export async function readServiceLogs(service: ServiceReference, reader: Attempt, tail?: number): Promise<ServiceLog | undefined> {
  const own = linesIn(await readOwn(`get_${service.kind}_logs`, service, reader, tail === undefined ? {} : { tail }));
  if (own) return { lines: own, from: 'service' };
  const environment_id = await environmentOf(service, reader);
  const all = environment_id === undefined ? undefined : linesIn(await reader.attempt(operations.get_environment_logs, { environment_id }));
  const lines = all?.filter((line) => line['service_id'] === service.id);
  return lines && { lines: tail === undefined ? lines : lines.slice(-tail), from: 'environment' };
}
