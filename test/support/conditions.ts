import { type Condition, dataOf, type DataOf, type Reason } from '../../src/contract/index.ts';
import type { Json } from './test-platform.ts';

/** The conditions that a platform told with lines of a log, in their order. */
export const conditionsIn = (lines: readonly Json[]): readonly Condition[] =>
  lines.flatMap(({ condition }) => (condition === undefined ? [] : [condition as Condition]));

/** The conditions of what runs of a service. @param status the status of the service */
export const runningConditions = ({ running }: Json): readonly Condition[] =>
  (running as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];

/** The data of those conditions that have a reason, in their order. */
export const dataWith = <R extends Reason>(conditions: readonly Condition[], reason: R): readonly DataOf<R>[] =>
  conditions.flatMap((each): DataOf<R>[] => {
    const data = dataOf(each, reason);
    return data === undefined ? [] : [data];
  });
