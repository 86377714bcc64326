import { ApiError, type ApiErrorKind } from '../../../client/index.ts';
import { isPlatformFailure } from '../../context/index.ts';
import { fail, failureOf, type FailedChange } from '../../failure/index.ts';
import {
  agreementOf,
  allowsUnattended,
  assertNotLocked,
  countHighRiskChanges,
  needsConfirmation,
  needsNamedTool,
  planText,
  questionFor,
  type TargetedOperation,
} from '../../guard/index.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import type { ConfirmedCall, PlannedCall, SentCall } from '../call.ts';
import { operationText, subjectOf } from '../descriptions.ts';
import { recordIntent, unrecorded } from '../recording.ts';
import type { Stage } from '../stage.ts';
import { isAboutOne, oneByOneAfter, sendOrStandIn } from '../stand-in.ts';

/** Obtains confirmation, if the risk requires it. */
export const confirm: Stage<PlannedCall, ConfirmedCall> = {
  name: 'confirm',
  does: "Asks the client's user, the operator, or by policy the caller itself, where the risk needs agreement. Uses up the agreement.",
  refuses: ['not_confirmed', 'pending'],
  replies: 'the question',
  run: async (call) => {
    const { tool, args, controls, context, deps, operations, risk, plan, note } = call;
    if (!plan) return call;
    if (!needsConfirmation(risk)) return { ...call, confirmed: 'not_needed' };
    const needsName = operations.some((one) => needsNamedTool(one.risk, one.target));
    const mayBeUnattended = allowsUnattended({ tool: tool.name, risk, needsName }, deps.policy);
    const confirmation = await deps.confirmer.confirm(
      {
        args,
        plan,
        question: questionFor(plan),
        planToken: controls.planToken,
        mayBeUnattended,
        ...(await agreementOf(call)),
      },
      context,
    );
    const refused = { tier: risk, text: planText(plan) };
    switch (confirmation.kind) {
      case 'approved':
        return { ...call, confirmed: confirmation.how, agreedBy: confirmation.by };
      case 'needs_input':
        return {
          reply: { kind: 'ask', question: confirmation.question, state: confirmation.state },
          outcome: { outcome: 'asked' },
        };
      case 'pending':
        note({ instead: confirmation.instead });
        return fail({ ...confirmation, plan: refused });
      default:
        return fail({ kind: 'not_confirmed', why: confirmation.why, plan: refused, refusedBy: confirmation.refusedBy });
    }
  },
};

/** Counts the high-risk changes of a call against the limit. */
export const countHighRisk: Stage<ConfirmedCall, ConfirmedCall> = {
  name: 'count high risk',
  does: 'Counts the high-risk changes against the limit of the policy, and refuses them when others used it up since.',
  refuses: ['denied'],
  run: async (call) => {
    if (call.plan) await countHighRiskChanges(call);
    return call;
  },
};

/** Records a change before it is sent. If that fails, it isn't sent. */
export const recordChange: Stage<ConfirmedCall, ConfirmedCall> = {
  name: 'record intent',
  does: 'Records the change before it is sent. When that fails, it is not sent.',
  refuses: ['not_recorded'],
  run: async (call) => {
    const { tool, risk, plan, confirmed, agreedBy, context, deps, note } = call;
    if (!plan || !confirmed) return call;
    const { principal, conversation, connection, clientName, requestId } = context;
    const intent = {
      tool: tool.name,
      principal,
      conversation,
      connection,
      clientName,
      requestId,
      tier: risk,
      target: plan.target,
      subject: subjectOf(call),
      plan: plan.digest,
      confirmed,
      agreedBy,
    };
    await recordIntent(intent, context, deps).catch((error: unknown) => unrecorded(call, error));
    note({ confirmed, agreedBy });
    return call;
  },
};

/** How platforms refuse a change of what is locked. */
const refusedByLock: readonly ApiErrorKind[] = ['invalid_input', 'conflict'];

/**
 * The failure of a refused change: the lock or deployment window in its way, if there is one. Changes that somebody
 * agrees to were checked for that before; others are checked only now, so that they cost no reads.
 */
async function lockInstead(refusal: unknown, refused: TargetedOperation, call: ConfirmedCall): Promise<unknown> {
  if (!(refusal instanceof ApiError) || !refusedByLock.includes(refusal.kind)) return refusal;
  try {
    await assertNotLocked(call, [refused], { isRefused: true });
    return refusal;
  } catch (error) {
    // If nobody can look, the platform's own words remain.
    return isPlatformFailure(error) ? refusal : error;
  }
}

/**
 * Sends the requests one by one, each with its whole input; nothing is filled in. The result contains the requests that
 * were actually sent.
 */
export const sendRequests: Stage<ConfirmedCall, SentCall> = {
  name: 'send',
  does: 'Sends the requests one by one. When one fails, those after it are not sent, unless each of them stands in for a part of one request, and only this part was refused. A refusal is told as that of the lock or deployment window that is in the way, if there is one.',
  refuses: ['cancelled', 'not_connected', 'partly', 'not_possible', 'not_as_asked'],
  reads: true,
  run: async (call) => {
    const { operations, context, deps } = call;
    const [answers, sent]: [JsonRecord[], TargetedOperation[]] = [[], []];
    const waiting = [...operations];
    const parts = new Set<TargetedOperation>();
    const failures: FailedChange[] = [];
    const partly = () =>
      fail({
        kind: 'partly',
        done: sent.map(operationText),
        failures,
        of: sent.length + failures.length + waiting.length,
      });
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      if (context.signal.aborted && answers.length + failures.length === 0) fail({ kind: 'cancelled' });
      try {
        const { planned, answer } = await sendOrStandIn(one, call, call.onResponseIssue);
        answers.push(isRecord(answer) ? answer : {});
        sent.push(planned);
        if (planned.operation.effect !== 'read') deps.changed?.(context);
      } catch (refusal) {
        const instead = oneByOneAfter(refusal, one);
        waiting.unshift(...instead);
        for (const part of instead) parts.add(part);
        if (instead.length > 0) continue;
        const error = await lockInstead(refusal, one, call);
        if (answers.length + failures.length + waiting.length === 0) throw error;
        failures.push({ what: operationText(one), error: failureOf(error, context.requestId, true) });
        if (!parts.has(one) || !isAboutOne(refusal)) partly();
      }
    }
    if (failures.length > 0) partly();
    return { ...call, operations: sent, answers };
  },
};
