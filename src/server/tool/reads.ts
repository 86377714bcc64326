import type { AnyOperation } from '../../contract/index.ts';

/** A read that a tool, or a stage on its behalf, makes beside what its operations are. */
export interface ReadUse {
  readonly operation: AnyOperation;
  /** What the tool does less without it, as a sentence without a full stop. */
  readonly without: string;
  /** True if the tool doesn't work when neither this nor one of `instead` can be read. */
  readonly isNeeded?: true;
  /** Reads that can take its place. */
  readonly instead?: readonly AnyOperation[];
}

/** The reads of a preview or a no-op check, by the operations of its tool. */
export type ReadsFor = (operations: readonly AnyOperation[]) => readonly ReadUse[];

/** Uses of several reads that lack the same thing when one of them fails. */
export const readUses = (without: string, ...operations: readonly AnyOperation[]): readonly ReadUse[] => operations.map((operation) => ({ operation, without }));

/** Uses of reads of which at least one is needed. */
export const anyOf = (...uses: readonly ReadUse[]): readonly ReadUse[] =>
  uses.map((use) => ({ ...use, isNeeded: true, instead: uses.flatMap(({ operation }) => (operation === use.operation ? [] : [operation])) }));

/** Declares what a preview or a no-op check reads. */
export const reading = <Reads extends (...args: never) => unknown>(reads: ReadsFor | readonly ReadUse[], run: Reads): Reads & { readonly reads: ReadsFor } =>
  Object.assign(run, { reads: typeof reads === 'function' ? reads : () => reads });
