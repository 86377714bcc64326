import type { Clock } from '../context.ts';
import type { CallFacts, Recorder } from '../guard/record.ts';
import type { JsonRecord } from '../values.ts';
import type { Trail } from './trail.ts';

/** A call's facts under the names of the log. */
const entryOf = ({ requestId, principal, connection, tool, tier, target, plan, confirmed }: CallFacts): JsonRecord => ({
  request_id: requestId, who: principal, connection, tool, tier, target, plan, confirmed,
});

/**
 * Records calls in a trail. What is about to change something is on disk before this returns, and so is what came of it;
 * reads are written down without anyone waiting for it.
 */
export function auditRecorder(trail: Trail, clock: Clock): Recorder {
  const at = (): string => new Date(clock.now()).toISOString();
  return {
    intent: (intent) => trail.append({ at: at(), kind: 'intent', ...entryOf(intent) }, true),
    outcome: async ({ outcome, why, duration, ...facts }, { log, requestId }) => {
      const hadIntent = facts.confirmed !== undefined && facts.tier !== 'read';
      const written = trail.append({ at: at(), kind: 'outcome', ...entryOf(facts), outcome, why, duration_ms: duration }, hadIntent);
      if (hadIntent) return written;
      written.catch((error: unknown) => log.error({ err: error, requestId }, 'outcome not recorded'));
      return undefined;
    },
  };
}
