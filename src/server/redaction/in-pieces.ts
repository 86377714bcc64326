import { withStyleMarks, type Steps } from '../../contract/index.ts';

/** How long one piece of work keeps the event loop, in milliseconds; a step can't be interrupted, so it may be more. */
const longestPiece = 10;

const nextTurnOfLoop = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Ends when the last piece so far may run: of all work in pieces only one runs in a turn of the event loop. */
let turns: Promise<unknown> = Promise.resolve();

/** Does work in pieces, between which the event loop does everything else. */
export async function inPieces<Result>(steps: Steps<Result>): Promise<Result> {
  let began = performance.now();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (performance.now() - began < longestPiece) continue;
    turns = turns.then(() => nextTurnOfLoop());
    await turns;
    began = performance.now();
  }
}

/** Length from which a text is masked in steps of its own, in characters. */
const shortestLong = 32_768;

/** Whether a text is masked in steps of its own. */
export const isLongText = (text: string): boolean => text.length >= shortestLong;

/** The members of a list or record; none of any other value. */
const membersOf = (value: unknown): readonly unknown[] =>
  typeof value !== 'object' || value === null ? [] : Array.isArray(value) ? value : Object.values(value);

/** The texts of a value that are masked in steps of their own, in the forms in which they are; in steps, too. */
export function* longTextsIn(value: unknown): Steps<readonly string[]> {
  const texts = new Set<string>();
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'string') for (const member of membersOf(next)) open.push(member);
    else if (isLongText(next)) {
      texts.add(next);
      texts.add(withStyleMarks(next));
      yield;
    }
  }
  return [...texts];
}

/** Size from which a value is masked in pieces, in characters; each of its members counts as some. */
const shortestLarge = 65_536;
const sizeOfMember = 16;

/** The size of a value in characters, or more than `most` if it is larger. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length;
  let size = 0;
  for (const member of membersOf(value)) {
    size += sizeOfMember + sizeOf(member, most - size);
    if (size > most) break;
  }
  return size;
}

/** Whether masking a value takes so long that it is done in pieces. */
export const isLarge = (value: unknown): boolean => sizeOf(value, shortestLarge) > shortestLarge;
