import type { LineBounds } from './spans.ts';

const [openBrace, closeBrace] = [0x7b, 0x7d];

/** Counts the open braces of a line before a place in it. Positions may only increase. */
export function braceCounter(text: string, lines: LineBounds) {
  let [line, next, open] = [0, 0, 0];
  return {
    isInBraces: (at: number): boolean => {
      const start = lines.startOf(at);
      if (start !== line) {
        line = start;
        open = 0;
        next = Math.max(next, start);
      }
      for (; next < at; next += 1) {
        const code = text.charCodeAt(next);
        if (code === openBrace) open += 1;
        else if (code === closeBrace && open > 0) open -= 1;
      }
      return open > 0;
    },
    /** Leaves out what is before a place. */
    skipTo: (at: number): void => {
      next = Math.max(next, at);
    },
  };
}
