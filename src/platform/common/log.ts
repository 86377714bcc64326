/** The platform's logger, compatible with pino. It never receives secrets. */
export interface PlatformLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Discards everything. */
export const silentLog: PlatformLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
