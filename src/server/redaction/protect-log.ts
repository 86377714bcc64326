import type { ServerLogger } from '../context/call-context.ts';
import { isRecord } from '../json/values.ts';

/** How deep fields are written down. */
const maximumDepth = 6;

/** Fields as plain values, errors with what they carry: whatever isn't text or a number is taken apart or left out. */
function plainValue(value: unknown, depth = 0): unknown {
  if (depth > maximumDepth) return '…';
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    return { type: name, message, stack, ...(cause !== undefined && { cause: plainValue(cause, depth + 1) }) };
  }
  if (Array.isArray(value)) return value.map((item) => plainValue(item, depth + 1));
  if (!isRecord(value)) return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plainValue(member, depth + 1)]));
}

/** What makes things fit for a log. */
export interface LogProtection {
  readonly text: (text: string) => string;
  readonly value: (value: unknown) => unknown;
}

const withheldLine = 'a line was withheld: what it says could not be made fit to be written';

/** A log that is told no secrets. It never fails: where a line can't be protected, the log is told that, and of which request. */
export function protectLog(log: ServerLogger, { text, value }: LogProtection): ServerLogger {
  const protect =
    (level: keyof ServerLogger): ServerLogger[keyof ServerLogger] =>
    (fields, message) => {
      let line: readonly [object, string];
      try {
        line = [value(plainValue(fields)) as object, text(message)];
      } catch {
        const { requestId } = fields as { readonly requestId?: unknown };
        line = [typeof requestId === 'string' ? { requestId } : {}, withheldLine];
      }
      log[level](...line);
    };
  return { debug: protect('debug'), info: protect('info'), warn: protect('warn'), error: protect('error') };
}
