import type { LogLevel, ServerLogger } from '../context/index.ts';
import { isRecord } from '../json/index.ts';
import type { Sanitizer } from './redaction.ts';

/** Maximum depth of nested fields that are logged. */
const maximumDepth = 6;

/**
 * Converts fields to plain values: errors become records with message, stack and cause, functions and symbols are
 * dropped.
 */
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

const withheldLine = 'a line was withheld, because it could not be sanitized';

/**
 * A logger that sanitizes every line that is written. It never throws: a line that can't be sanitized is replaced by a note with the
 * request id.
 */
export function protectLog(log: ServerLogger, { text, value }: Sanitizer): ServerLogger {
  const protect =
    (level: LogLevel): ServerLogger[LogLevel] =>
    (fields, message) => {
      if (log.isLevelEnabled?.(level) === false) return;
      let line: readonly [object, string];
      try {
        line = [value(plainValue(fields)) as object, text(message)];
      } catch {
        const { requestId } = fields as { readonly requestId?: unknown };
        line = [typeof requestId === 'string' ? { requestId } : {}, withheldLine];
      }
      log[level](...line);
    };
  return {
    debug: protect('debug'),
    info: protect('info'),
    warn: protect('warn'),
    error: protect('error'),
    isLevelEnabled: (level) => log.isLevelEnabled?.(level) ?? true,
  };
}
