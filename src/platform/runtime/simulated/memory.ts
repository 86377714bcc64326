import type { Trouble } from './trouble.ts';

/** What is kept with a phase between two looks at it: how many lines were said, and what was found in its way when it began. */
export interface Memory {
  readonly said: number;
  readonly trouble?: Trouble;
}

/** A memory as a cursor. */
export const toCursor = ({ said, trouble }: Memory): string => (trouble ? `${said} ${JSON.stringify(trouble)}` : String(said));

/** The memory that a cursor holds; undefined for a phase that nobody has looked at yet. */
export function fromCursor(cursor: string | null): Memory | undefined {
  if (cursor === null) return undefined;
  const [, said, trouble] = /^(\d+)(?: (.*))?$/s.exec(cursor) ?? [];
  return { said: Number(said ?? 0), ...(trouble !== undefined && { trouble: JSON.parse(trouble) as Trouble }) };
}
