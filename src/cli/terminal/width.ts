import stringWidth from 'string-width';
import { isPrintableAscii } from '../../contract/index.ts';

/** Columns of a terminal that doesn't say how many it has. */
const usualColumns = 80;

/** How many columns a text takes in a terminal: East Asian characters and emoji take two, combining characters none. */
export const textWidth = (text: string): number => (isPrintableAscii(text) ? text.length : stringWidth(text));

/**
 * How many columns a line of a stream may have. Without a limit where the stream is no terminal: programs read whole
 * lines.
 */
export function lineWidth(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): number {
  if (!stream.isTTY) return Infinity;
  return stream.columns || Number.parseInt(env['COLUMNS'] ?? '', 10) || usualColumns;
}
