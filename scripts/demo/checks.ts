import type { Answer } from './assistant.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The story went another way than it should. */
class Unexpected extends Error {}

/** Goes on only if a thing is as the story has it. @throws Error that says what it is instead. */
export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Unexpected(otherwise);
}

/** An answer, if it isn't a failure. @throws Error with its text where it is one. */
export const succeeded = (answer: Answer): Answer => {
  expect(!answer.failed, `a call that should work failed: ${answer.text}`);
  return answer;
};

/** The rows of a list. */
export const rowsOf = ({ data }: Answer): Row[] => (Array.isArray(data['results']) ? (data['results'] as Row[]) : []);

/** A member that is text. @throws Error where it isn't. */
export const textAt = (row: Row, member: string): string => {
  const value = row[member];
  expect(typeof value === 'string', `an answer has no ${member}: ${JSON.stringify(row)}`);
  return value;
};
