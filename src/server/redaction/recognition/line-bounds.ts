/** Where the lines of a text begin and end, asked for at places that only go forward: each line is looked for once. */
export interface LineBounds {
  /** The start of the line that `at` is in. */
  readonly startOf: (at: number) => number;
  /** Its end, before the line break. */
  readonly endOf: (at: number) => number;
}

/** Follows the lines of a text from its start to its end. */
export function lineBoundsOf(text: string): LineBounds {
  let start = 0;
  let end = -1;
  const seek = (at: number): void => {
    while (end < at) {
      if (end !== -1) start = end + 1;
      const next = text.indexOf('\n', start);
      end = next === -1 ? text.length : next;
    }
  };
  return {
    startOf: (at) => {
      seek(at);
      return start;
    },
    endOf: (at) => {
      seek(at);
      return end;
    },
  };
}
