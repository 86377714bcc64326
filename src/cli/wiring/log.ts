import type { Logger, LoggerOptions } from 'pino';
import type { logLevels } from '../config/read-config.ts';
import type { ServerLogger } from '../../server/context/call-context.ts';

/** Members that never show, should someone log an object that has them. */
const secretMembers = ['value', 'token', 'password', 'secret_access_key', 'vendor_secret_key', 'target_secret', 'authorization'];

const settings: LoggerOptions = { redact: { paths: secretMembers.flatMap((name) => [name, `*.${name}`]), censor: '[masked]' } };

const writers = ['debug', 'info', 'warn', 'error'] as const;

/**
 * A log of JSON lines on stderr: stdout belongs to the protocol. The library behind it is loaded with the first line
 * that is written.
 */
export function createLog(level: (typeof logLevels)[number]): ServerLogger {
  let pino: Promise<Logger> | undefined;
  const load = async (): Promise<Logger> => {
    const { default: create } = await import('pino');
    return create({ ...settings, level }, create.destination({ fd: 2, sync: true }));
  };
  const written = level === 'silent' ? [] : writers.slice(writers.indexOf(level));
  const writer = (name: (typeof writers)[number]) => (fields: object, message: string) => {
    if (written.includes(name)) void (pino ??= load()).then((log) => log[name](fields, message));
  };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}
