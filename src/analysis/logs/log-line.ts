import type * as z from 'zod';
import type { EnvironmentLog } from '../../contract/resources/deployment.ts';
import type { Lenient } from '../lenient.ts';

/** A log line as any of the platform's log endpoints answers it. Only `message` is needed to make sense of it. */
export type LogLine = Lenient<z.infer<typeof EnvironmentLog>['results'][number]>;

/** How grave a line says it is, gravest first. A line that says nothing counts as info. */
export const levels = ['error', 'warn', 'info', 'debug'] as const;
export type Level = (typeof levels)[number];
