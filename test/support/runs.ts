import { configureGlobal } from 'fast-check';
import { isLanding, listVariable, tryAllVariable } from '../suites.ts';

/**
 * The full list tries as many inputs as a property test says, and so does a slow suite that is run by hand. Elsewhere
 * each run draws others, so that few are enough to find a fault within some runs.
 */
const share = process.env[listVariable] === 'full' || (!isLanding && process.env[tryAllVariable] === 'true') ? 1 : 0.25;

/** How often a property test is tried here. @param full how often in the full list */
export const runs = (full: number): number => Math.ceil(full * share);

/** Of cases that are alike, every fifth in the landing list, and otherwise all. */
export const someOf = <Case>(cases: readonly Case[]): Case[] =>
  cases.filter((_, index) => !isLanding || index % 5 === 0);

/** Sets how often property tests are tried that don't say it. vitest runs this before each file. */
configureGlobal({ numRuns: runs(100) });
