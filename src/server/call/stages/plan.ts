import {
  agreementOf,
  assertAllOffered,
  assertNotLocked,
  needsConfirmation,
  noOpOf,
  planOf,
  planText,
  whoAgrees,
  withResolvedNames,
  type Plan,
} from '../../guard/index.ts';
import { fail } from '../../failure/index.ts';
import { omit } from '../../json/index.ts';
import { fit, noOpReply, type Reply } from '../../output/index.ts';
import { delimited } from '../../redaction/index.ts';
import type { AssessedCall, PlannedCall } from '../call.ts';
import { assertPlaceForSecrets } from '../handover.ts';
import { unrecorded } from '../recording.ts';
import { readPlanAhead } from '../read-ahead.ts';
import { previewReader } from '../tool-context.ts';
import type { Stage } from '../stage.ts';

type AssessedStage = Stage<AssessedCall, AssessedCall>;

const makesChanges = ({ tool, operations }: AssessedCall): boolean =>
  tool.operation.effect !== 'read' && operations.length > 0;

/**
 * Whether the plan is shown before it is executed. Otherwise nothing is read for it, so that a harmless change stays
 * one request.
 */
const isPreviewed = (call: AssessedCall): boolean =>
  makesChanges(call) && (call.controls.dryRun || needsConfirmation(call.risk));

/** Refuses what the platform is known not to offer. */
export const assertOffered: AssessedStage = {
  name: 'assert offered',
  does: 'Refuses a change that somebody would be asked about, if the platform is known not to offer it, or it creates a secret that nobody could be shown.',
  refuses: ['not_possible'],
  run: async (call) => {
    if (!isPreviewed(call)) return call;
    assertAllOffered(call);
    await assertPlaceForSecrets(call);
    return call;
  },
};

/** Reads what the next stages need. */
export const readAhead: AssessedStage = {
  name: 'read ahead',
  does: 'Reads the present state for a change that somebody would be asked about: all that the next stages need, at once.',
  refuses: [],
  reads: true,
  run: async (call) => {
    if (isPreviewed(call)) await readPlanAhead(call);
    return call;
  },
};

/** Ends a call whose change is already in effect, or can't come into effect beside what is there. */
export const checkNoOp: AssessedStage = {
  name: 'check no-op',
  does: 'Ends a call that somebody would be asked about, if what it asks for is already in effect. Refuses it if something else is, which it does not change.',
  refuses: ['not_possible'],
  reads: true,
  replies: 'that there is nothing to change',
  run: async (call) => {
    const found = isPreviewed(call) ? await noOpOf(call, call.redactor) : undefined;
    if (!found) return call;
    const { why, seen, instead } = found;
    if (instead !== undefined) return fail({ kind: 'not_possible', what: why, next: instead, seen: seen?.join('\n') });
    return { reply: noOpReply(call, found), outcome: { outcome: 'done', why: 'so_already' } };
  },
};

/** Refuses a change that the platform would refuse because of a cluster lock. */
export const assertUnlocked: AssessedStage = {
  name: 'assert unlocked',
  does: 'Refuses a change that somebody would be asked about, if a lock of its cluster prevents it. Where nobody can look, the plan says so.',
  refuses: ['not_possible'],
  reads: true,
  run: async (call) => {
    return isPreviewed(call) ? { ...call, notKnown: await assertNotLocked(call, call.operations) } : call;
  },
};

/** The key that seals plans. @throws CallFailure `not_recorded`. */
function sealingKey(call: AssessedCall): Uint8Array {
  try {
    return call.deps.keys('plan');
  } catch (error) {
    return unrecorded(call, error);
  }
}

/** Writes the plan of a change. */
export const makePlan: Stage<AssessedCall, PlannedCall> = {
  name: 'plan',
  does: 'Writes the plan of a change: the exact requests and, where somebody sees it, what they do to the present state.',
  refuses: ['not_recorded'],
  reads: true,
  run: async (call) => {
    if (!makesChanges(call)) return call;
    const { tool, args, operations, target, risk, redactor, resolved, notKnown, note } = call;
    const shown = isPreviewed(call);
    const preview = shown ? previewReader(call) : undefined;
    const plan = await planOf({
      tool,
      args,
      operations,
      target: shown ? target : withResolvedNames(target, resolved),
      risk,
      reader: preview?.reader,
      leftOut: preview?.leftOut,
      redactor,
      notKnown,
      now: call.context.clock.now(),
      hidden: call.deps.registry?.hidden,
      key: sealingKey(call),
    });
    note({ plan: plan.digest, target: plan.target });
    return { ...call, plan };
  },
};

/** What a plan doesn't know: it compares with what is there, and asks the platform for nothing else. */
const notChecked =
  'Not checked: what only the platform decides, such as room and quotas, and whether images, versions and addresses exist.';

/** The plan as an answer. @param who has to agree; undefined if nobody has to */
function planReply(plan: Plan, who: string | undefined): Reply {
  const { view, text, omission } = fit(
    { dry_run: omit({ ...plan }, ['digest', 'afterwards']) },
    { view: (answer) => answer, text: (shown) => planText(shown['dry_run'] as Plan, { whole: true }), keep: 'first' },
  );
  const heading = `Nothing was done. Without dry_run this would happen (${plan.tier}${who === undefined ? '' : `, after ${who} agreed`}), if the platform accepts it. ${notChecked}`;
  return {
    kind: 'answer',
    text: [heading, delimited(text), omission].filter((part) => part !== undefined).join('\n'),
    data: view,
  };
}

/** Ends a dry run with the plan. */
export const dryRun: Stage<PlannedCall, PlannedCall> = {
  name: 'dry run',
  does: 'Ends a dry run.',
  refuses: [],
  replies: 'the plan',
  run: async (call) => {
    if (!call.plan || !call.controls.dryRun) return call;
    const who = needsConfirmation(call.risk) ? whoAgrees(await agreementOf(call)) : undefined;
    return { reply: planReply(call.plan, who), outcome: { outcome: 'planned' } };
  },
};
