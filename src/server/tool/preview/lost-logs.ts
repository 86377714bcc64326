import { allOperations, type AnyOperation } from '../../../contract/index.ts';
import { textIn, type Reader } from '../../context/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { readUses, type ReadUse } from '../reads.ts';
import { readIfPossible } from './optional-read.ts';
import { notAgreedTo, type PlanLine } from './preview.ts';

const logOperation = (kind: string): AnyOperation | undefined =>
  allOperations.find(({ name }) => name === `get_${kind}_logs`);

/** Uses of the reads for what is lost of logs, by the kinds of the services. */
export const lostLogReads = (...kinds: readonly string[]): readonly ReadUse[] =>
  readUses(
    'the plan does not say whether lines of logs are lost',
    ...kinds.flatMap((kind) => logOperation(kind) ?? []),
  );

type LogReader = Pick<Reader, 'read' | 'attempt'>;

interface LoggingService {
  readonly kind: string;
  readonly id: string;
}

/** Whether the platform says of the log of a service that it loses what instances logged that are replaced. */
async function losesLines({ kind, id }: LoggingService, reader: LogReader): Promise<boolean> {
  const operation = logOperation(kind);
  if (!operation) return false;
  const answer = await readIfPossible(operation, { [`${kind}_id`]: id, tail: 1 }, reader);
  return textIn(answer, 'instances_since') !== undefined;
}

/**
 * Says that what the running instances of a service logged is lost with them, where the platform says so of its log;
 * nothing otherwise. A plan does not depend on it: where the log can't be read, nothing is said of that either.
 */
export const lostLogs = async (service: LoggingService, reader: LogReader): Promise<readonly PlanLine[]> =>
  (await losesLines(service, reader))
    ? [notAgreedTo('What the running instances logged is lost once others replace them.')]
    : [];

/** The kinds whose instances run all the time, and log as long. */
const loggingKinds = ['application', 'container', 'database', 'helm'] as const;

/** Uses of the reads for what is lost of the logs of any service. */
export const lostLogReadsOfAll: readonly ReadUse[] = lostLogReads(...loggingKinds);

/** The services among rows of a list whose logs lose lines. */
export const loggingAmong = (services: readonly JsonRecord[]): readonly LoggingService[] =>
  services.flatMap((service) => {
    const kind = loggingKinds.find((each) => each === textIn(service, 'service_type')?.toLowerCase());
    return kind === undefined ? [] : [{ kind, id: String(service['id']) }];
  });

/** How many logs of an environment are read: its services run on one cluster, so that one log tells of all. */
const logsRead = 3;

/** The same for several services of an environment, if one of their first logs says so. */
export async function lostLogsAmong(
  services: readonly LoggingService[],
  reader: LogReader,
): Promise<readonly PlanLine[]> {
  const found = await Promise.all(services.slice(0, logsRead).map((service) => lostLogs(service, reader)));
  return found.find((lines) => lines.length > 0) ?? [];
}
