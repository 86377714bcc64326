import { building } from './building.ts';
import { dailyWork } from './daily-work.ts';
import { everyday } from './everyday.ts';
import { incidents } from './incidents.ts';
import { resources } from './resources.ts';
import type { Task } from './task.ts';

export const tasks: readonly Task[] = [...dailyWork, ...incidents, ...building, ...everyday, ...resources];
