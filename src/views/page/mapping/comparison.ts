import {
  answerIn,
  numberIn,
  recordsIn,
  someText,
  textOf,
  textsIn,
  type JsonRecord,
  type ToolResult,
} from './result.ts';

/** A difference between two environments. A side that has nothing of it is undefined. */
export interface Difference {
  readonly service?: string;
  readonly what: string;
  readonly first?: string;
  readonly second?: string;
}

/** Two environments, as their differences are drawn. */
export interface Comparison {
  readonly first: string;
  readonly second: string;
  readonly pairs: number;
  readonly same: number;
  /** By kind, in the order of the answer. */
  readonly kinds: readonly { readonly kind: string; readonly differences: readonly Difference[] }[];
  readonly notComparable: readonly string[];
}

const differenceOf = (row: JsonRecord): Difference => ({
  service: someText(row['service']),
  what: textOf(row['what']),
  first: someText(row['first']),
  second: someText(row['second']),
});

/** How many secrets both have: their values are not compared. */
const secretsIn = (answer: JsonRecord): readonly string[] => {
  const secrets = numberIn(answer['secrets_not_compared']) ?? 0;
  return secrets === 0 ? [] : [`${secrets} ${secrets === 1 ? 'secret' : 'secrets'} that both have`];
};

/** The comparison in an answer of `compare_environments`. */
export function comparison(result: ToolResult): Comparison {
  const answer = answerIn(result);
  const byKind = Map.groupBy(recordsIn(answer['results']), (row) => textOf(row['kind']));
  return {
    first: textOf(answer['first']),
    second: textOf(answer['second']),
    pairs: numberIn(answer['pairs']) ?? 0,
    same: numberIn(answer['same']) ?? 0,
    kinds: [...byKind].map(([kind, rows]) => ({ kind, differences: rows.map(differenceOf) })),
    notComparable: [...textsIn(answer['not_comparable']), ...secretsIn(answer)],
  };
}

/** Whether an answer compares two environments. */
export const isComparison = (result: ToolResult): boolean =>
  answerIn(result)['first'] !== undefined && answerIn(result)['second'] !== undefined;
