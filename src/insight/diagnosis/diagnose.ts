import type { Diagnosis } from './diagnosis.ts';
import type { Evidence } from './evidence.ts';

/** Why a deployment failed, from what was read of the platform. Never throws, never guesses. */
export function diagnose(evidence: Evidence): Diagnosis {
  const last = evidence.history[0];
  return {
    outcome: last === undefined ? 'never_deployed' : 'failed',
    cause: { code: 'unknown', sentence: 'The cause is not known: no rule fits what was read.', why: 'no rule fits', quotes: [] },
    also: [], timeline: [], lines: [], changes: [], next: [],
  };
}
