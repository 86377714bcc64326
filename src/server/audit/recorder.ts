import type { Clock } from '../context/context.ts';
import type { CallFacts, RecordDecision, Recorder } from './record.ts';
import type { JsonRecord } from '../json/values.ts';
import type { Trail } from './trail.ts';

/** What a call is about: of a change what it acts on, of a read what its arguments point at. */
function aboutOf({ tier, target, subject }: CallFacts): JsonRecord | undefined {
  if (tier === 'read' || target === undefined) return subject ? { ...subject } : target && { ...target };
  return { ...(subject?.id === target.id && subject?.path !== undefined && { path: subject.path }), ...target };
}

/** A call's facts under the names of the log. */
const entryOf = (facts: CallFacts): JsonRecord => {
  const { requestId, principal, connection, tool, tier, plan, confirmed } = facts;
  return { request_id: requestId, who: principal, connection, tool, tier, target: aboutOf(facts), plan, confirmed };
};

const timeAt = (clock: Clock): string => new Date(clock.now()).toISOString();

/** Records what the operator decides in a trail; it survives a loss of power before anything comes of it. */
export const auditDecisions = (trail: Trail, clock: Clock): RecordDecision => ({ how, ...decision }) =>
  trail.append({ at: timeAt(clock), kind: 'decision', who: 'operator', confirmed: how, ...decision }, true);

/**
 * Records calls in a trail. What is about to change something is on disk before this returns, and so is what came of it;
 * reads are written down without anyone waiting for it.
 */
export function auditRecorder(trail: Trail, clock: Clock): Recorder {
  return {
    intent: (intent) => trail.append({ at: timeAt(clock), kind: 'intent', ...entryOf(intent) }, true),
    outcome: async ({ outcome, why, duration, ...facts }, { log, requestId }) => {
      const hadIntent = facts.confirmed !== undefined && facts.tier !== 'read';
      const written = trail.append({ at: timeAt(clock), kind: 'outcome', ...entryOf(facts), outcome, why, duration_ms: duration }, hadIntent);
      if (hadIntent) return written;
      written.catch((error: unknown) => log.error({ err: error, requestId }, 'outcome not recorded'));
      return undefined;
    },
  };
}
