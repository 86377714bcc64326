import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Results } from './compare.ts';
import type { Machine } from './machine.ts';

/** What a run leaves behind. */
export interface Run {
  readonly machine: Machine;
  readonly quick: boolean;
  readonly results: Results;
}

/** The run that others are compared with, and that the page of performance shows. */
export const baseline = join(import.meta.dirname, 'baseline.json');

export const readRun = async (path: string): Promise<Run> => JSON.parse(await readFile(path, 'utf8')) as Run;
