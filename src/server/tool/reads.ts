import type { ApiErrorKind } from '../../client/index.ts';
import { allOperations, operations as known, type AnyOperation, type ServiceKind } from '../../contract/index.ts';
import { lockLists, lockReplaceable, readOperationOf, replaceableOf } from '../context/index.ts';

/** A read by a tool, or by a stage on its behalf, in addition to the tool's operations. */
export interface ReadUse {
  readonly operation: AnyOperation;
  /** The loss of information without it, as a sentence without a full stop. */
  readonly without: string;
  /** True if the tool needs either this read or one of `instead`. */
  readonly isNeeded?: true;
  /** Reads that can replace it, so that the tool works with less information. */
  readonly instead?: readonly AnyOperation[];
  /** Reads with the same information, for failures of these kinds: nothing is lacking if one of them succeeds. */
  readonly same?: { readonly reads: readonly AnyOperation[]; readonly after: readonly ApiErrorKind[] };
}

/** The reads of a preview or a no-op check, by the operations of its tool. */
export type ReadsFor = (operations: readonly AnyOperation[]) => readonly ReadUse[];

/** Uses of several reads whose failure has the same effect. */
export const readUses = (without: string, ...operations: readonly AnyOperation[]): readonly ReadUse[] =>
  operations.map((operation) => ({ operation, without }));

/** Use of a list of the whole organization, in whose place the lists of each place tell the same. */
export const wideReadUse = (list: AnyOperation, ...narrow: readonly AnyOperation[]): ReadUse => ({
  operation: list,
  without: 'each place is listed by itself',
  same: { reads: narrow, after: ['not_offered', 'forbidden', 'bad_answer'] },
});

/** Uses of reads of which at least one is needed. */
export const anyOf = (...uses: readonly ReadUse[]): readonly ReadUse[] =>
  uses.map((use) => ({
    ...use,
    isNeeded: true,
    instead: uses.flatMap(({ operation }) => (operation === use.operation ? [] : [operation])),
  }));

const operationNamed = (name: string): readonly AnyOperation[] =>
  allOperations.filter((operation) => operation.name === name);

const ofEnvironment = { status: known.get_environment_status, logs: known.get_environment_logs } as const;

/**
 * The reads that replace the status or log of a service of this kind: those of its environment, which is read from the
 * service if needed.
 */
export const readsInsteadOf = (aspect: 'status' | 'logs', kind: ServiceKind, without: string): readonly ReadUse[] => {
  const reads = operationNamed(`get_${kind}_${aspect}`);
  return [ofEnvironment[aspect], readOperationOf(kind)].flatMap((operation) =>
    operation ? [{ operation, without, same: { reads, after: replaceableOf(operation) } }] : [],
  );
};

/** Uses of the reads for the status of a service of this kind: its own, or those of its environment. */
export const statusReads = (kind: ServiceKind, without: string): readonly ReadUse[] => [
  ...operationNamed(`get_${kind}_status`).map((operation) => ({
    operation,
    without,
    same: { reads: [ofEnvironment.status], after: replaceableOf(operation) },
  })),
  ...readsInsteadOf('status', kind, without),
];

/** Uses of the reads that show whether a cluster is locked: one of them is enough. */
export const lockReads = (without: string): readonly ReadUse[] => {
  const all: readonly AnyOperation[] = [...lockLists, known.get_cluster_status];
  return all.map((operation) => ({
    operation,
    without,
    same: { reads: all.filter((one) => one !== operation), after: lockReplaceable },
  }));
};

/** Declares the reads of a preview or a no-op check. */
export const reading = <Reads extends (...args: never) => unknown>(
  reads: ReadsFor | readonly ReadUse[],
  run: Reads,
): Reads & { readonly reads: ReadsFor } =>
  Object.assign(run, { reads: typeof reads === 'function' ? reads : () => reads });
