import type { Diagnosis } from './diagnosis.ts';
import type { Evidence } from './evidence.ts';
import { judge } from './judge.ts';
import { matteringLines } from './lines.ts';
import { findCauses } from './match.ts';
import { diagnoseFailedSibling, showConfiguration, showErrors, showHistory } from './looks.ts';
import { nextCalls, type Remedy } from './next-calls.ts';
import { underLock } from './rules/platform.ts';
import { readSituation, type Situation } from './situation.ts';
import { timelineOf } from './timeline.ts';

const described = ({ deployment }: Situation): Diagnosis['deployment'] => deployment && {
  id: deployment.id, state: deployment.state, action: deployment.action, at: deployment.startedAt,
  triggered_by: deployment.triggeredBy, commit: deployment.commit, image: deployment.image,
};

/**
 * Why a deployment failed, from what was read of the platform. Rests on the evidence alone: where no rule fits, the
 * cause is `unknown`. Sentences and lines quote logs, which anyone may have written: they are to be fenced. Never
 * throws, whatever is missing; takes time in proportion to the log.
 */
export function diagnose(evidence: Evidence): Diagnosis {
  const situation = readSituation(evidence);
  const { cause, finding, also, places } = judge(findCauses(situation), situation);
  const { lastGood, since, failingStep, changes } = situation;
  const ruled = finding && [...(finding.rule.suspectsSiblings ? [diagnoseFailedSibling] : []), ...finding.rule.fixes];
  const fixes: readonly Remedy[] = evidence.cluster?.lock ? underLock : since ? [showHistory] : ruled ?? (cause.code === 'none' ? [] : [showErrors, showHistory, showConfiguration]);
  return {
    outcome: situation.outcome,
    deployment: described(situation),
    since: since && { id: since.id, state: since.state, at: since.startedAt },
    last_good: lastGood && { id: lastGood.id, at: lastGood.startedAt },
    failing_step: failingStep && { name: failingStep.name, seconds: failingStep.seconds },
    cause,
    also,
    timeline: timelineOf(situation, finding && places[0]),
    lines: cause.code === 'none' ? [] : matteringLines(situation.entries, places),
    changes,
    next: nextCalls(fixes, situation, finding?.facts ?? {}),
  };
}
