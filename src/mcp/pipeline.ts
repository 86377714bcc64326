import { issuesOf, issuesOfAct } from './arguments.ts';
import { ask, fail, type Call, type Dependencies } from './call.ts';
import type { CallContext } from './context.ts';
import { failureOf, failureText, outcomeOf, type Failure } from './errors.ts';
import { clean, fence } from './fence.ts';
import { fit } from './fit.ts';
import type { Confirmation } from './guard/confirmation.ts';
import { splitControls } from './guard/controls.ts';
import { admit, guard, keepArgumentsInside, spend, type Guarded, type Lowered } from './guard/guard.ts';
import { keepUnlocked } from './guard/lock.ts';
import { isLookedInto, keepOffered, needlessness } from './guard/needless.ts';
import { inPlace } from './guard/pinned-place.ts';
import { planOf, planText, type Plan } from './guard/plan.ts';
import { allowsUnattended } from './guard/policy.ts';
import { questionFor } from './guard/question.ts';
import type { CallFacts, Confirmed } from './guard/record.ts';
import { isIrreparable, needsConfirmation } from './guard/tier.ts';
import { keepTogether } from './guard/together.ts';
import { lookAround, once } from './look.ts';
import { secretsAmong, secretsOf } from './redact.ts';
import { answered, needless, type Ended, type Reply } from './reply.ts';
import { resolve } from './resolve.ts';
import { givenSchema } from './schema.ts';
import { subjectOf } from './subject.ts';
import type { Tool } from './tool.ts';
import { isRecord, mapStrings, omit, type JsonRecord } from './values.ts';

export type { Dependencies } from './call.ts';
export type { Reply } from './reply.ts';

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

/** What the arguments come to: the requests that would be made. What they hold of secrets is masked from here on. */
async function lower(call: Call): Promise<Lowered> {
  const { tool, args, deps } = call;
  const acts = tool.acts ? await tool.acts(args, lookAround(call, { shown: false }).sight) : [];
  const issues = acts.flatMap(issuesOfAct);
  if (issues.length > 0) fail({ kind: 'bad_arguments', issues });
  const redactor = deps.redactor.knowing(acts.flatMap(({ operation, input }) => secretsOf(operation, input)));
  return { ...call, acts, deps: { ...deps, redactor } };
}

/** What it would do. The present state is read only where somebody wants to know. */
async function plan(call: Guarded): Promise<Planned> {
  const { tool, args, acts, target, tier, deps, look, note } = call;
  const read = isLookedInto(call) ? look : undefined;
  if (read) await keepUnlocked(call);
  const made = await planOf({ tool, args, acts, target, tier, read, redactor: deps.redactor, key: sealingKey(call) });
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
  return deps.confirmer.confirm({ args, plan: made, question: questionFor(made), planToken: controls.planToken, mayBeUnattended }, context);
}

/** Writes down a change before it is made. When that fails, it isn't made. */
async function recordIntent(call: Planned, confirmed: Confirmed): Promise<void> {
  const { tool, tier, plan: made, context, deps, note } = call;
  const { principal, connection, requestId } = context;
  const intent = { tool: tool.name, principal, connection, requestId, tier, target: made.target, subject: subjectOf(call), plan: made.digest, confirmed };
  await deps.recorder.intent(intent, context).catch((error: unknown) => unrecorded(call, error));
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

/** An answer that may be shown: secrets masked, text from the platform cleaned. */
const protectAnswer = ({ tool, deps }: Call, answer: JsonRecord): JsonRecord => mapStrings(deps.redactor.value(answer, givenSchema(tool)), clean) as JsonRecord;

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
  return { reply: answered(call, protectAnswer(call, answer), missing(), { isNeedless }), outcome: isNeedless ? soAlready : { outcome: 'done' } };
}

/** The call itself, once agreed to. */
async function carryOut(planned: Planned, confirmed: Confirmed): Promise<Ended> {
  await spend(planned);
  await recordIntent(planned, confirmed);
  return finish(planned);
}

async function walk(call: Call): Promise<Ended> {
  const guarded = await guard(await lower(call));
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
function replyTo(failure: Failure, error: unknown, { tool, context, deps }: Call): Reply {
  if (failure.kind === 'internal') context.log.error({ err: error, tool: tool.name, requestId: context.requestId }, 'call failed inside the server');
  const text = failureText(failure, { tool, redactor: deps.redactor, hidden: deps.registry?.hidden ?? [] });
  return { kind: 'failure', text, why: outcomeOf(failure).why, ...(failure.kind === 'pending' && { code: failure.code }) };
}

/** Takes a call apart and walks it through the stages, whatever was given. */
async function end(tool: Tool, given: unknown, context: CallContext, dependencies: Dependencies, tell: Call['note']): Promise<Ended> {
  let begun = false;
  const note: Call['note'] = (facts) => {
    begun ||= facts.confirmed !== undefined;
    tell(facts);
  };
  const { controls, args, issues, secrets } = splitControls(tool, given, dependencies.policy, dependencies.environment);
  const redactor = dependencies.redactor.knowing([...secrets, ...secretsAmong(tool.input, args), ...(context.credential ? [context.credential.value] : [])]);
  const deps = { ...dependencies, redactor };
  const look = once((operation, input) => ask(operation, input, { tool, context, deps }));
  const call: Call = { tool, args: args as JsonRecord, controls, context, deps, addresses: {}, look, note };
  try {
    if (issues.length > 0) fail({ kind: 'bad_arguments', issues });
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
    const failure = failureOf(error, context.requestId, begun);
    return { reply: replyTo(failure, error, call), outcome: outcomeOf(failure) };
  }
}

/**
 * Carries out one call of a tool: resolve → lower → guard → plan → redact, fence → confirm → record intent → call →
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
