import { allOperations, type AnyOperation } from '../../../contract/index.ts';
import { isPlatformFailure, textIn, type Reader } from '../../context/index.ts';
import { readUses, type ReadUse } from '../reads.ts';
import { notAgreedTo, type PlanLine } from './preview.ts';

const logOperation = (kind: string): AnyOperation | undefined =>
  allOperations.find(({ name }) => name === `get_${kind}_logs`);

/** Uses of the reads for what is lost of logs, by the kinds of the services. */
export const lostLogReads = (...kinds: readonly string[]): readonly ReadUse[] =>
  readUses(
    'the plan does not say whether lines of logs are lost',
    ...kinds.flatMap((kind) => logOperation(kind) ?? []),
  );

/**
 * Says that what the running instances of a service logged is lost with them, where the platform says so of its log;
 * nothing otherwise. A plan does not depend on it: where the log can't be read, nothing is said of that either.
 */
export async function lostLogs(
  { kind, id }: { readonly kind: string; readonly id: string },
  reader: Pick<Reader, 'read' | 'attempt'>,
): Promise<readonly PlanLine[]> {
  const operation = logOperation(kind);
  if (!operation) return [];
  const input = { [`${kind}_id`]: id, tail: 1 };
  const log = await reader
    .read(operation, input)
    .catch((error: unknown) => (isPlatformFailure(error) ? undefined : reader.attempt(operation, input)));
  return textIn(log, 'instances_since') === undefined
    ? []
    : [notAgreedTo('What the running instances logged is lost once others replace them.')];
}
