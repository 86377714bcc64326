import type * as z from 'zod';
import type { EnvironmentLog } from '../../contract/index.ts';
import type { Lenient } from '../lenient.ts';

/** A log line as any of the platform's log endpoints returns it. Only `message` is essential. */
export type LogLine = Lenient<z.infer<typeof EnvironmentLog>['results'][number]> & {
  /** The platform's word for the level, if it gives one separately from the message. */
  readonly level?: string | null;
};

/** Log levels, most severe first. A line without a level counts as `info`. */
export const levels = ['error', 'warn', 'info', 'debug'] as const;
export type Level = (typeof levels)[number];
