import type { ToolAnswer } from './assistant.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A step of the demo had an unexpected result. */
class UnexpectedStep extends Error {}

/** Checks a step of the demo. @throws UnexpectedStep with the message if the condition is false. */
export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) throw new UnexpectedStep(message);
}

/** Returns an answer that isn't a failure. @throws UnexpectedStep with the text of a failure. */
export const succeeded = (answer: ToolAnswer): ToolAnswer => {
  ensure(!answer.failed, `a call that should work failed: ${answer.text}`);
  return answer;
};

/** The rows of a list. */
export const rowsOf = ({ data }: ToolAnswer): Row[] =>
  Array.isArray(data['results']) ? (data['results'] as Row[]) : [];

/** A string member of a row. @throws UnexpectedStep if it isn't a string. */
export const textAt = (row: Row, member: string): string => {
  const value = row[member];
  ensure(typeof value === 'string', `an answer has no ${member}: ${JSON.stringify(row)}`);
  return value;
};
