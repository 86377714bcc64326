import type { Logger, LoggerOptions } from 'pino';
import type { logLevels } from '../config/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';

/** Members that are masked in logged objects. */
const secretMembers = [
  'value',
  'token',
  'password',
  'secret_access_key',
  'vendor_secret_key',
  'target_secret',
  'authorization',
];

const settings: LoggerOptions = {
  redact: { paths: secretMembers.flatMap((name) => [name, `*.${name}`]), censor: '[masked]' },
};

const levels = ['debug', 'info', 'warn', 'error'] as const;

/**
 * Creates a log of JSON lines on stderr, because stdout belongs to the protocol. The logging library is loaded with the
 * first line.
 */
export function createLog(level: (typeof logLevels)[number]): ServerLogger {
  let pino: Promise<Logger> | undefined;
  const load = async (): Promise<Logger> => {
    const { default: create } = await import('pino');
    return create({ ...settings, level }, create.destination({ fd: 2, sync: true }));
  };
  const enabled = level === 'silent' ? [] : levels.slice(levels.indexOf(level));
  const writer = (name: (typeof levels)[number]) => (fields: object, message: string) => {
    if (enabled.includes(name)) void (pino ??= load()).then((log) => log[name](fields, message));
  };
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
    isLevelEnabled: (name) => enabled.includes(name),
  };
}
