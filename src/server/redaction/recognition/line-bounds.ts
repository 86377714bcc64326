/** The bounds of the lines of a text. Positions may only increase, so that each line is searched for once. */
export interface LineBounds {
  /** The start of the line that contains `at`. */
  readonly startOf: (at: number) => number;
  /** Its end, before the line break. */
  readonly endOf: (at: number) => number;
}

/** Creates the line bounds of a text. */
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
