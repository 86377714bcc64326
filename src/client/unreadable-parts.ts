import type * as z from 'zod';
import { isRecord } from '../contract/index.ts';

type Path = readonly PropertyKey[];

/** The reason for which a schema rejects a value. */
export type SchemaIssue = z.core.$ZodIssue;

/** The issue that best explains the fault: for a union, that of the branch with the fewest issues. */
export const nearestIssue = (issue: SchemaIssue): SchemaIssue => {
  if (issue.code !== 'invalid_union') return issue;
  const [nearest] = issue.errors.filter((branch) => branch.length > 0).toSorted((a, b) => a.length - b.length);
  const inner = nearest?.[0];
  return inner ? nearestIssue({ ...inner, path: [...issue.path, ...inner.path] }) : issue;
};

/** The value at a path; undefined if there is none. */
export const valueAt = (body: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | null | undefined)?.[step], body);

// Marks a row for removal: later rows keep their index until all have been marked.
const removed = Symbol('removed');

/** Removes the value at a path, if there is one. A value that is no row or member can't be removed. */
function mark(body: unknown, path: Path): void {
  const [parent, step] = [valueAt(body, path.slice(0, -1)), path.at(-1)];
  if (Array.isArray(parent)) parent[Number(step)] = removed;
  else if (isRecord(parent)) delete parent[String(step)];
}

const withoutMarked = (value: unknown): unknown => {
  if (Array.isArray(value)) return (value as unknown[]).filter((item) => item !== removed).map(withoutMarked);
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutMarked(inner)]))
    : value;
};

/** A schema accepts a value after at most this many rounds of removal, or its remaining parts are not worth reading. */
const mostRounds = 20;

/**
 * The parts of an answer that its schema accepts: rows and members that it rejects are left out, a missing `id` is
 * accepted.
 * @returns undefined if nothing is left, because the answer as a whole is of another type.
 */
export function readableParts(schema: z.ZodType, body: unknown): unknown {
  let readable = structuredClone(body);
  for (let round = 0; round < mostRounds; round += 1) {
    const wrong = (schema.safeParse(readable).error?.issues ?? [])
      .map(nearestIssue)
      .filter(({ path }) => path.at(-1) !== 'id' || valueAt(readable, path) !== undefined);
    if (wrong.length === 0) return readable;
    if (wrong.some(({ path }) => path.length === 0)) return undefined;
    for (const { path } of wrong) mark(readable, path);
    readable = withoutMarked(readable);
  }
  return undefined;
}
