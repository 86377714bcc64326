import type { Log } from '../context.ts';
import type { Redactor } from '../redact.ts';
import { isRecord } from '../values.ts';

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

/** A log that is told no secrets. */
export function protectLog(log: Log, redactor: Redactor): Log {
  const protect =
    (level: keyof Log): Log[keyof Log] =>
    (fields, message) =>
      log[level](redactor.value(plain(fields)) as object, redactor.text(message));
  return { debug: protect('debug'), info: protect('info'), warn: protect('warn'), error: protect('error') };
}
