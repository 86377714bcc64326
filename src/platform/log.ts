/** Where the platform logs to; a pino logger fits. Nothing secret is ever passed to it. */
export interface PlatformLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Logs nothing. */
export const silentLog: PlatformLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
