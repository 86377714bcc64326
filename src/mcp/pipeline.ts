import { issuesOf } from './arguments.ts';
import { ask, fail, type Call, type Dependencies } from './call.ts';
import type { CallContext } from './context.ts';
import { failureOf, failureText, outcomeOf, type Failure } from './errors.ts';
import { clean, fence } from './fence.ts';
import { fit } from './fit.ts';
import type { Confirmation } from './guard/confirmation.ts';
import { splitControls } from './guard/controls.ts';
import { guard, readFor, spend, type Guarded } from './guard/guard.ts';
import { planOf, planText, type Plan } from './guard/plan.ts';
import { allowsUnattended } from './guard/policy.ts';
import { questionFor, type Question } from './guard/question.ts';
import type { CallFacts, Confirmed, Outcome } from './guard/record.ts';
import { isIrreparable, needsConfirmation } from './guard/tier.ts';
import { secretsOf } from './redact.ts';
import { answerSchema } from './schema.ts';
import type { Tool } from './tool.ts';
import { isRecord, mapStrings, omit, type JsonRecord } from './values.ts';

export type { Dependencies } from './call.ts';

/** What a call comes to. */
export type Reply =
  | { readonly kind: 'answer'; readonly text: string; readonly data: JsonRecord }
  /** `code`: it waits for the operator, under this code. */
  | { readonly kind: 'failure'; readonly text: string; readonly code?: string }
  | { readonly kind: 'ask'; readonly question: Question; readonly state: string };

/** A reply with what is recorded of it. */
interface Ended {
  readonly reply: Reply;
  readonly outcome: Pick<Outcome, 'outcome' | 'why'>;
}

interface Planned extends Guarded {
  readonly plan: Plan;
}

/** The arguments, checked, with ids where names may stand one day. */
async function resolve(call: Call): Promise<Call> {
  const issues = issuesOf(call.tool.operation, call.args);
  return issues.length > 0 ? fail({ kind: 'bad_arguments', issues }) : call;
}

/** Ends a change that can't be put on record. */
function unrecorded({ tool, context }: Call, error: unknown): never {
  const { requestId, log } = context;
  log.error({ err: error, tool: tool.name, requestId }, 'not recorded, so the call is not made');
  return fail({ kind: 'not_recorded', requestId });
}

/** What plans are sealed with. */
function sealingKey(call: Call): Uint8Array {
  try {
    return call.deps.keys('plan');
  } catch (error) {
    return unrecorded(call, error);
  }
}

/** What it would do. The present state is read only where somebody wants to know: a harmless change stays one request. */
async function plan(call: Guarded): Promise<Planned> {
  const { tool, args, controls, target, tier, deps, note } = call;
  const read = controls.dryRun || needsConfirmation(tier) ? readFor(call) : undefined;
  const made = await planOf({ tool, args, target, tier, read, redactor: deps.redactor, key: sealingKey(call) });
  note({ plan: made.digest, target: made.target });
  return { ...call, plan: made };
}

/** The plan as an answer; nothing is done. */
function rehearsal({ plan: made, tier }: Planned): Reply {
  const { view, text, omission } = fit({ dry_run: omit({ ...made }, ['digest']) }, { view: (answer) => answer, text: (shown) => planText(shown['dry_run'] as Plan, { whole: true }), keep: 'first' });
  const head = `Nothing was done. Without dry_run this would happen (${tier}${needsConfirmation(tier) ? ', after somebody agreed' : ''}):`;
  return { kind: 'answer', text: [head, fence(text), omission].filter((part) => part !== undefined).join('\n'), data: view };
}

/** Whether somebody agrees, where somebody has to. */
async function confirm({ args, controls, context, deps, target, tier, plan: made }: Planned): Promise<Confirmation> {
  if (!needsConfirmation(tier)) return { kind: 'approved', how: 'not_needed' };
  const mayBeUnattended = allowsUnattended(tier, deps.policy) && !isIrreparable(tier, target);
  return deps.confirmer.confirm({ args, plan: made, question: questionFor(made), planToken: controls.planToken, mayBeUnattended }, context);
}

/** Writes down a change before it is made. When that fails, it isn't made. */
async function recordIntent(call: Planned, confirmed: Confirmed): Promise<void> {
  const { tool, tier, plan: made, context, deps, note } = call;
  const { principal, connection, requestId } = context;
  const intent = { tool: tool.name, principal, connection, requestId, tier, target: made.target, plan: made.digest, confirmed };
  await deps.recorder.intent(intent, context).catch((error: unknown) => unrecorded(call, error));
  note({ confirmed });
}

/** Carries the operation out with what the caller gave, nothing filled in. */
async function perform(call: Call): Promise<JsonRecord> {
  if (call.context.signal.aborted) fail({ kind: 'cancelled' });
  const answer = await ask(call.tool.operation, call.args, call);
  return isRecord(answer) ? answer : {};
}

/** An answer that may be shown: secrets masked, text from the platform cleaned. */
const protectAnswer = ({ tool, deps }: Call, answer: JsonRecord): JsonRecord =>
  mapStrings(deps.redactor.value(answer, answerSchema(tool.operation)), clean) as JsonRecord;

/** The answer in words and as data, both from the same view. What stands in the words as data is fenced. */
function render({ tool }: Call, answer: JsonRecord): Reply {
  if (Object.keys(answer).length === 0) return { kind: 'answer', text: 'The platform accepted it and sent nothing more.', data: {} };
  const { view, text, omission } = fit(tool.render.view(answer), tool.render);
  return { kind: 'answer', text: [fence(text), omission, tool.next].filter((part) => part !== undefined).join('\n'), data: view };
}

/** Carries out a guarded call. */
const finish = async (call: Guarded): Promise<Ended> => ({ reply: render(call, protectAnswer(call, await perform(call))), outcome: { outcome: 'done' } });

/** The call itself, once agreed to. */
async function carryOut(planned: Planned, confirmed: Confirmed): Promise<Ended> {
  await spend(planned);
  await recordIntent(planned, confirmed);
  return finish(planned);
}

async function walk(call: Call): Promise<Ended> {
  const guarded = await guard(await resolve(call));
  if (guarded.tier === 'read') return finish(guarded);
  const planned = await plan(guarded);
  if (call.controls.dryRun) return { reply: rehearsal(planned), outcome: { outcome: 'planned' } };
  const confirmation = await confirm(planned);
  switch (confirmation.kind) {
    case 'approved':
      return carryOut(planned, confirmation.how);
    case 'needs_input':
      return { reply: { kind: 'ask', question: confirmation.question, state: confirmation.state }, outcome: { outcome: 'asked' } };
    case 'pending':
      return fail({ ...confirmation, plan: planned.plan });
    default:
      return fail({ kind: 'not_confirmed', why: confirmation.why, plan: planned.plan });
  }
}

/** A reply to a failure. Faults of this server go to its log, never to the caller. */
function replyTo(failure: Failure, error: unknown, { tool, context, deps }: Call): Reply {
  if (failure.kind === 'internal') context.log.error({ err: error, tool: tool.name, requestId: context.requestId }, 'call failed inside the server');
  const text = failureText(failure, { tool, redactor: deps.redactor });
  return failure.kind === 'pending' ? { kind: 'failure', text, code: failure.code } : { kind: 'failure', text };
}

/** Takes a call apart and walks it through the stages, whatever was given. */
async function end(tool: Tool, given: unknown, context: CallContext, dependencies: Dependencies, tell: Call['note']): Promise<Ended> {
  let begun = false;
  const note: Call['note'] = (facts) => {
    begun ||= facts.confirmed !== undefined;
    tell(facts);
  };
  const { controls, args, issues, secrets } = splitControls(tool, given, dependencies.policy, dependencies.environment);
  const redactor = dependencies.redactor.knowing([...secrets, ...secretsOf(tool.operation, args), ...(context.credential ? [context.credential.value] : [])]);
  const call: Call = { tool, args: args as JsonRecord, controls, context, deps: { ...dependencies, redactor }, note };
  try {
    if (issues.length > 0) fail({ kind: 'bad_arguments', issues });
    return await walk(call);
  } catch (error) {
    const failure = failureOf(error, context.requestId, begun);
    return { reply: replyTo(failure, error, call), outcome: outcomeOf(failure) };
  }
}

/**
 * Carries out one call of a tool: resolve → guard → plan → redact, fence → confirm → record intent → call →
 * redact, fence → render → record outcome. Never throws. Where a person has to be asked first, the reply is the
 * question; the same call comes again with the answer in its context.
 * @param given the arguments as the caller sent them.
 */
export async function run(tool: Tool, given: unknown, context: CallContext, dependencies: Dependencies): Promise<Reply> {
  const began = context.clock.now();
  const { principal, connection, requestId, log, clock } = context;
  let facts: CallFacts = { tool: tool.name, principal, connection, requestId };
  const { reply, outcome } = await end(tool, given, context, dependencies, (more) => {
    facts = { ...facts, ...more };
  });
  await dependencies.recorder
    .outcome({ ...facts, ...outcome, duration: clock.now() - began }, context)
    .catch((error: unknown) => log.error({ err: error, requestId }, 'outcome not recorded'));
  return reply;
}
