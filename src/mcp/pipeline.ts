import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { issuesOf } from './arguments.ts';
import type { CallContext } from './context.ts';
import { CallFailure, failureOf, failureText, type Failure } from './errors.ts';
import { clean, fence } from './fence.ts';
import { fit } from './fit.ts';
import type { Confirmation, Confirmer } from './guard/confirmation.ts';
import { planOf, protectPlan, type Plan } from './guard/plan.ts';
import { denialOf, denialOfCall, needsPlace, needsProjectName, type Denial, type Policy } from './guard/policy.ts';
import { questionFor, type Question } from './guard/question.ts';
import type { Confirmed, Outcome, Recorder } from './guard/record.ts';
import { targetOf, withProjectName, type Read, type Target } from './guard/target.ts';
import { needsConfirmation, tierOf, type Tier } from './guard/tier.ts';
import { secretsOf, type Redactor } from './redact.ts';
import { answerSchema } from './schema.ts';
import type { Tool } from './tool.ts';
import { isRecord, mapStrings, type JsonRecord } from './values.ts';

/** What the pipeline works with. One set serves all calls of a server. */
export interface Dependencies {
  /** The platform's client, connected when first needed. */
  readonly connect: () => Promise<{ readonly client: Client }>;
  readonly policy: Policy;
  readonly confirmer: Confirmer;
  readonly recorder: Recorder;
  readonly redactor: Redactor;
}

/** What a call comes to. */
export type Reply =
  | { readonly kind: 'answer'; readonly text: string; readonly data: JsonRecord }
  | { readonly kind: 'failure'; readonly text: string }
  | { readonly kind: 'ask'; readonly question: Question; readonly state: string };

/** One call on its way through the stages. */
interface Call {
  readonly tool: Tool;
  readonly args: JsonRecord;
  readonly context: CallContext;
  readonly deps: Dependencies;
}

interface Guarded extends Call {
  readonly target: Target;
  readonly tier: Tier;
}

interface Planned extends Guarded {
  readonly plan: Plan;
}

const fail = (failure: Failure): never => {
  throw new CallFailure(failure);
};

async function connected({ tool, context, deps }: Call): Promise<Client> {
  try {
    return (await deps.connect()).client;
  } catch (error) {
    context.log.error({ err: error, tool: tool.name, requestId: context.requestId }, 'no platform to call');
    return fail({ kind: 'not_connected', requestId: context.requestId });
  }
}

async function ask(operation: AnyOperation, input: JsonRecord, call: Call): Promise<unknown> {
  const client = await connected(call);
  const { credential, credentialRefused, signal, deadline, requestId, log } = call.context;
  try {
    return await client.call(operation, input, { credential, signal, deadline, requestId, log });
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unauthorized') credentialRefused?.();
    throw error;
  }
}

/** The arguments, checked, with ids where names may stand one day. */
async function resolve(call: Call): Promise<Call> {
  const issues = issuesOf(call.tool.operation, call.args);
  return issues.length > 0 ? fail({ kind: 'bad_arguments', issues }) : call;
}

const nothing: Target = { kind: 'organization', mode: 'none' };

/** What it acts on, as far as somebody has to know. */
async function locate(call: Call): Promise<Target> {
  const { tool, args, deps } = call;
  if (tool.operation.effect === 'read' && !needsPlace(tool, deps.policy)) return nothing;
  const read: Read = (operation, input) => ask(operation, input, call);
  const target = await targetOf(tool.operation, args, read);
  return needsProjectName(deps.policy) ? withProjectName(target, read) : target;
}

const allowed = (denial: Denial | undefined): void => {
  if (denial) fail({ kind: 'denied', denial });
};

/** Whether the policy lets it pass, and how grave it is. What can never pass is not looked at any further. */
async function guard(call: Call): Promise<Guarded> {
  const { tool, context, deps } = call;
  allowed(denialOf(tool, deps.policy));
  const target = await locate(call);
  const tier = tierOf(tool.operation, target);
  allowed(denialOfCall({ tool, tier, target }, deps.policy, context.clock.now()));
  return { ...call, target, tier };
}

/** What it would do. */
const plan = async (call: Guarded): Promise<Planned> => ({ ...call, plan: planOf(call.tool, call.args, call.target, call.tier) });

/** The plan as it may be shown. */
const protectPlanned = (call: Planned): Planned => ({ ...call, plan: protectPlan(call.plan, call.tool, call.deps.redactor) });

/** Whether a person agrees, where one has to. */
async function confirm({ tool, args, context, deps, tier, plan: shown }: Planned): Promise<Confirmation> {
  if (!needsConfirmation(tier)) return { kind: 'approved', how: 'not_needed' };
  return deps.confirmer.confirm({ tool: tool.name, args, question: questionFor(shown) }, context);
}

/** Writes down a change before it is made. When that fails, it isn't made. */
async function recordIntent({ tool, tier, target, context, deps }: Guarded, confirmed: Confirmed): Promise<void> {
  if (tier === 'read') return;
  const { principal, requestId } = context;
  await deps.recorder.intent({ tool: tool.name, tier, target, principal, requestId, confirmed }, context);
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

async function carryOut(call: Call): Promise<Reply> {
  const planned = protectPlanned(await plan(await guard(await resolve(call))));
  const confirmation = await confirm(planned);
  if (confirmation.kind === 'needs_input') return { kind: 'ask', question: confirmation.question, state: confirmation.state };
  if (confirmation.kind === 'pending') return fail({ kind: 'pending', code: confirmation.code, plan: planned.plan });
  if (confirmation.kind === 'refused') return fail({ kind: 'not_confirmed', why: confirmation.why, plan: planned.plan });
  await recordIntent(planned, confirmation.how);
  return render(call, protectAnswer(call, await perform(planned)));
}

const outcomes: Record<Reply['kind'], Outcome['outcome']> = { answer: 'done', ask: 'asked', failure: 'failed' };

/** A reply to what was thrown. Faults of this server go to its log, never to the caller. */
function replyTo(error: unknown, { tool, context, deps }: Call): Reply {
  const failure = failureOf(error, context.requestId);
  if (failure.kind === 'internal') context.log.error({ err: error, tool: tool.name, requestId: context.requestId }, 'call failed inside the server');
  return { kind: 'failure', text: failureText(failure, { tool, redactor: deps.redactor }) };
}

/**
 * Carries out one call of a tool: resolve → guard → plan → redact, fence → confirm → record intent → call →
 * redact, fence → render → record outcome. Never throws. Where a person has to be asked first, the reply is the
 * question; the same call comes again with the answer in its context.
 * @param given the arguments as the caller sent them.
 */
export async function run(tool: Tool, given: unknown, context: CallContext, dependencies: Dependencies): Promise<Reply> {
  const began = context.clock.now();
  const redactor = dependencies.redactor.knowing(secretsOf(tool.operation, given));
  const call: Call = { tool, args: given as JsonRecord, context, deps: { ...dependencies, redactor } };
  const reply = await carryOut(call).catch((error: unknown) => replyTo(error, call));
  const duration = context.clock.now() - began;
  const { principal, requestId } = context;
  await dependencies.recorder
    .outcome({ tool: tool.name, principal, requestId, outcome: outcomes[reply.kind], duration }, context)
    .catch((error: unknown) => context.log.error({ err: error, requestId }, 'outcome not recorded'));
  return reply;
}
