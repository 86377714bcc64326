import stringWidth from 'string-width';
import { isPrintableAscii } from '../../contract/index.ts';

/** The default number of columns of a terminal that doesn't report it. */
const usualColumns = 80;

/**
 * The width of a text in a terminal, in columns: East Asian characters and emoji take two, combining characters none.
 */
export const textWidth = (text: string): number => (isPrintableAscii(text) ? text.length : stringWidth(text));

/**
 * The maximum width of a line of a stream, in columns. Unlimited if the stream isn't a terminal, because programs read
 * whole lines.
 */
export function lineWidth(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): number {
  if (!stream.isTTY) return Infinity;
  return stream.columns || Number.parseInt(env['COLUMNS'] ?? '', 10) || usualColumns;
}
