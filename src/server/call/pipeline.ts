import { issuesOf, issuesOfAct, sizeIssues } from '../tool/arguments.ts';
import { ask, type Call, type Dependencies } from './call.ts';
import { fail } from '../failure/failure.ts';
import type { CallContext } from '../context/context.ts';
import { failureText } from '../output/errors.ts';
import { fit } from '../output/fit.ts';
import type { Confirmation } from '../guard/confirmation.ts';
import { splitControls } from '../guard/controls.ts';
import { admit, guard, keepArgumentsInside, spend, type Guarded, type Lowered } from '../guard/guard.ts';
import { keepUnlocked } from '../guard/lock.ts';
import { isLookedInto, keepOffered, needlessness } from '../guard/needless.ts';
import { inPlace } from '../guard/pinned-place.ts';
import { planOf, planText, type Plan } from '../guard/plan.ts';
import { allowsUnattended, isOperatorOnly } from '../guard/policy.ts';
import { questionFor } from '../guard/question.ts';
import type { CallFacts, Confirmed } from '../audit/record.ts';
import { withFoundNames } from '../guard/target-path.ts';
import { isIrreparable, needsConfirmation } from '../guard/tier.ts';
import { keepTogether } from '../guard/together.ts';
import { lookAround, once } from './look.ts';
import { recordIntent, recordOutcome } from './recording.ts';
import { fence, protectLog } from '../redaction/index.ts';
import { answered, needless, type Ended, type Reply } from '../output/reply.ts';
import { resolve } from './resolve-arguments.ts';
import { argumentSchema, givenSchema, takenSchema } from '../tool/schema.ts';
import { subjectOf } from './subject.ts';
import type { Tool } from '../tool/tool.ts';
import { isRecord, omit, type JsonRecord } from '../json/values.ts';
import { withheldText } from './withheld.ts';
import { failureOf, outcomeOf, type Failure } from '../failure/failure.ts';

export type { Dependencies } from './call.ts';
export type { Reply } from '../output/reply.ts';

interface Planned extends Guarded {
  readonly plan: Plan;
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

/** What the arguments come to: the requests that would be made. Secrets that they hold are hidden for the rest of the call. */
async function lower(call: Call): Promise<Lowered> {
  const { tool, args, redactor } = call;
  const acts = tool.acts ? await tool.acts(args, lookAround(call, { shown: false }).sight) : [];
  const issues = acts.flatMap(issuesOfAct);
  if (issues.length > 0) fail({ kind: 'bad_arguments', issues });
  for (const { operation, input, kept } of acts) redactor.mention(input, argumentSchema(operation), kept && args);
  return { ...call, acts };
}

/** What it would do. The present state is read only where somebody wants to know. */
async function plan(call: Guarded): Promise<Planned> {
  const { tool, args, acts, target, tier, redactor, addresses, look, note } = call;
  const read = isLookedInto(call) ? look : undefined;
  if (read) await keepUnlocked(call);
  const made = await planOf({ tool, args, acts, target: read ? target : withFoundNames(target, addresses), tier, read, redactor, key: sealingKey(call) });
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
async function confirm({ args, controls, context, deps, acts, tier, plan: made }: Planned): Promise<Confirmation> {
  if (!needsConfirmation(tier)) return { kind: 'approved', how: 'not_needed' };
  const mayBeUnattended = allowsUnattended(tier, deps.policy) && !acts.some((one) => isIrreparable(one.tier, one.target));
  // Every part of it counts: what is left to the operator isn't agreed to otherwise beside something graver.
  const tiers = [tier, ...acts.flatMap((one) => [one.tier, ...one.parts.map((part) => part.tier)])];
  const operatorOnly = tiers.some((one) => isOperatorOnly(one, deps.policy));
  return deps.confirmer.confirm({ args, plan: made, question: questionFor(made), planToken: controls.planToken, mayBeUnattended, operatorOnly }, context);
}

/** Writes down a change before it is made. When that fails, it isn't made. */
async function record(call: Planned, confirmed: Confirmed): Promise<void> {
  const { tool, tier, plan: made, context, deps, note } = call;
  const { principal, connection, requestId } = context;
  const intent = { tool: tool.name, principal, connection, requestId, tier, target: made.target, subject: subjectOf(call), plan: made.digest, confirmed };
  await recordIntent(intent, context, deps).catch((error: unknown) => unrecorded(call, error));
  note({ confirmed });
}

const deedText = ({ operation, target, about }: Guarded['acts'][number]): string =>
  `${operation.name}${about === undefined ? '' : ` ${about}`}${target.id === undefined ? '' : ` on ${target.kind} ${target.id}`}`;

/** Carries the acts out one by one, each with its whole input, nothing filled in. */
async function perform(call: Guarded): Promise<JsonRecord[]> {
  const { acts, context, deps } = call;
  const answers: JsonRecord[] = [];
  for (const { operation, input } of acts) {
    if (context.signal.aborted && answers.length === 0) fail({ kind: 'cancelled' });
    try {
      const answer = await ask(operation, input, call);
      answers.push(isRecord(answer) ? answer : {});
      if (operation.effect !== 'read') deps.changed?.(context);
    } catch (error) {
      const [failed, ...others] = acts.slice(answers.length);
      if (answers.length === 0 && others.length === 0) throw error;
      fail({ kind: 'partly', done: acts.slice(0, answers.length).map(deedText), failed: deedText(failed!), of: acts.length, error: failureOf(error, context.requestId, true) });
    }
  }
  return answers;
}

/** An answer that may be shown. Where it is that of the call's only act, what the caller itself gave is shown as it was asked for. */
const protectAnswer = ({ tool, args, acts, redactor }: Guarded, answer: JsonRecord, answers: readonly JsonRecord[]): JsonRecord =>
  redactor.value(answer, givenSchema(tool), acts.length === 1 && answer === answers[0] ? args : undefined) as JsonRecord;

/** How a change is recorded that needed not be made. */
const soAlready: Ended['outcome'] = { outcome: 'done', why: 'so_already' };

/** Carries out a guarded call and tells what came of it. */
async function finish(call: Guarded): Promise<Ended> {
  const { tool, args, acts, context } = call;
  const answers = await perform(call);
  const changed = acts.filter(({ operation }) => operation.effect !== 'read');
  const { sight, missing } = lookAround(call, { shown: true, anew: changed.length > 0, done: acts.map(({ operation }) => operation.name) });
  const told = async (): Promise<JsonRecord> => (tool.answerOf ? tool.answerOf(args, sight, answers) : (answers[0] ?? {}));
  const answer = await told().catch((error: unknown) =>
    changed.length === 0 ? Promise.reject(error as Error) : fail({ kind: 'afterwards', done: changed.map(deedText), error: failureOf(error, context.requestId, false) }),
  );
  const isNeedless = tool.operation.effect !== 'read' && acts.length === 0;
  return { reply: answered(call, protectAnswer(call, answer, answers), missing(), { isNeedless }), outcome: isNeedless ? soAlready : { outcome: 'done' } };
}

/** The call itself, once agreed to. */
async function carryOut(planned: Planned, confirmed: Confirmed): Promise<Ended> {
  await spend(planned);
  await record(planned, confirmed);
  return finish(planned);
}

async function walk(call: Call): Promise<Ended> {
  const guarded = await guard(await lower(call));
  // Only now: a call that isn't let pass leaves nothing behind.
  call.redactor.remember();
  // What is so already needs no plan and nobody's agreement.
  if (call.tool.operation.effect === 'read' || guarded.acts.length === 0) return finish(guarded);
  if (isLookedInto(guarded)) keepOffered(guarded);
  const unneeded = await needlessness(guarded);
  if (unneeded) return { reply: needless(call, unneeded), outcome: soAlready };
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
function replyTo(failure: Failure, error: unknown, { tool, context, deps, redactor }: Call): Reply {
  if (failure.kind === 'internal') context.log.error({ err: error, tool: tool.name, requestId: context.requestId }, 'call failed inside the server');
  const text = failureText(failure, { tool, redactor, hidden: deps.registry?.hidden ?? [] });
  return { kind: 'failure', text, why: outcomeOf(failure).why, ...(failure.kind === 'pending' && { code: failure.code }) };
}

/** A reply that tells nothing but that there is none. */
function withheld(error: unknown, { context: { log, requestId }, begun }: { context: CallContext; begun: boolean }): Reply {
  log.error({ err: error, requestId }, 'answer withheld');
  return { kind: 'failure', text: withheldText(requestId, begun), why: 'withheld' };
}

/** What a call comes to that failed. Where that can't be told, what it came to is recorded all the same. */
function ended(error: unknown, call: Call, begun: boolean): Ended {
  const failure = failureOf(error, call.context.requestId, begun);
  const outcome = outcomeOf(failure);
  try {
    return { reply: replyTo(failure, error, call), outcome };
  } catch (inWords) {
    return { reply: withheld(inWords, { context: call.context, begun }), outcome };
  }
}

/** Takes a call apart and walks it through the stages, whatever was given. */
async function end(tool: Tool, given: unknown, context: CallContext, deps: Dependencies, note: Call['note'], hasBegun: () => boolean): Promise<Ended> {
  const tooMany = sizeIssues(given);
  const { controls, args, issues, unseen } = splitControls(tool, tooMany.length > 0 ? {} : given, deps.policy, deps.environment);
  const redactor = deps.redaction.forCall({ principal: context.principal, credential: context.credential?.value, unseen });
  redactor.mention(args, takenSchema(tool));
  const told: CallContext = { ...context, log: protectLog(context.log, redactor) };
  const look = once((operation, input) => ask(operation, input, { tool, context: told, deps }));
  const call: Call = { tool, args: args as JsonRecord, controls, context: told, deps, redactor, addresses: {}, look, note };
  try {
    if (tooMany.length + issues.length > 0) fail({ kind: 'bad_arguments', issues: [...tooMany, ...issues] });
    const placed = await inPlace(call);
    const wrong = issuesOf(tool, placed.args);
    if (wrong.length > 0) fail({ kind: 'bad_arguments', issues: wrong });
    admit(placed);
    const resolved = await resolve(placed);
    note({ subject: subjectOf(resolved) });
    await keepArgumentsInside(resolved);
    await keepTogether(resolved);
    return await walk(resolved);
  } catch (error) {
    return ended(error, call, hasBegun());
  }
}

/**
 * Carries out one call of a tool: resolve → lower → guard → plan → redact, fence → confirm → record intent → call →
 * redact, fence → render → record outcome. Never throws: whatever fails on the way, the caller is told no more of it than
 * may be shown, and what came of the call is recorded. Where a person has to be asked first, the reply is the question; the
 * same call comes again with the answer in its context.
 * @param given the arguments as the caller sent them.
 */
export async function run(tool: Tool, given: unknown, context: CallContext, dependencies: Dependencies): Promise<Reply> {
  const began = context.clock.now();
  const { principal, connection, requestId, clock } = context;
  let facts: CallFacts = { tool: tool.name, principal, connection, requestId };
  const note = (more: Partial<CallFacts>): void => {
    facts = { ...facts, ...more };
  };
  const hasBegun = (): boolean => facts.confirmed !== undefined;
  const { reply, outcome } = await end(tool, given, context, dependencies, note, hasBegun).catch((error: unknown): Ended => ({
    reply: withheld(error, { context, begun: hasBegun() }),
    outcome: { outcome: hasBegun() ? 'unknown' : 'failed', why: 'withheld' },
  }));
  await recordOutcome({ ...facts, ...outcome, duration: clock.now() - began }, context, dependencies);
  return reply;
}
