import type { Log } from '../context/context.ts';
import { isRecord } from '../json/values.ts';

/** How deep fields are written down. */
const deepest = 6;

/** Fields as plain values, errors with what they carry: whatever isn't text or a number is taken apart or left out. */
function plain(value: unknown, depth = 0): unknown {
  if (depth > deepest) return '…';
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    return { type: name, message, stack, ...(cause !== undefined && { cause: plain(cause, depth + 1) }) };
  }
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  if (!isRecord(value)) return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member, depth + 1)]));
}

/** What makes things fit for a log. */
export interface Protection {
  readonly text: (text: string) => string;
  readonly value: (value: unknown) => unknown;
}

const withheld = 'a line was withheld: what it says could not be made fit to be written';

/** A log that is told no secrets. It never fails: where a line can't be protected, the log is told that, and of which request. */
export function protectLog(log: Log, { text, value }: Protection): Log {
  const protect =
    (level: keyof Log): Log[keyof Log] =>
    (fields, message) => {
      let line: readonly [object, string];
      try {
        line = [value(plain(fields)) as object, text(message)];
      } catch {
        const { requestId } = fields as { readonly requestId?: unknown };
        line = [typeof requestId === 'string' ? { requestId } : {}, withheld];
      }
      log[level](...line);
    };
  return { debug: protect('debug'), info: protect('info'), warn: protect('warn'), error: protect('error') };
}
