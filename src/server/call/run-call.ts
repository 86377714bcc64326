import { countRequests, createReader, wholeRows, type CallContext } from '../context/index.ts';
import type { CallFacts } from '../audit/index.ts';
import { failureCode, failureOf, outcomeOf, type Failure } from '../failure/index.ts';
import { keepsPlaces, splitControls } from '../guard/index.ts';
import { isRecord } from '../json/index.ts';
import { failureText, type EndedCall, type Reply } from '../output/index.ts';
import { protectLog } from '../redaction/index.ts';
import { sizeIssues, toolArgumentSchema, withOwnNames, type Tool } from '../tool/index.ts';
import { send, type Call, type CallDependencies } from './call.ts';
import { recordOutcome } from './recording.ts';
import { OutdatedNames } from './stages/names.ts';
import { stages } from './stages/stages.ts';
import { withheldCode, withheldText } from './withheld-answer.ts';

export type { CallDependencies } from './call.ts';
export type { Reply } from '../output/index.ts';

/** A reply to a failure. Faults of this server go to its log, never to the caller. */
function replyTo(failure: Failure, error: unknown, call: Call): Reply {
  const { tool, context, deps, redactor, responseIssues } = call;
  if (failure.kind === 'internal')
    context.log.error({ err: error, tool: tool.name, requestId: context.requestId }, 'call failed inside the server');
  if (failure.kind === 'store_unavailable')
    context.log.error(
      { err: error, tool: tool.name, requestId: context.requestId },
      'call refused, because the shared database is unavailable',
    );
  const text = [
    failureText(failure, {
      tool,
      redactor,
      hidden: deps.registry?.hidden ?? [],
      approveCommand: deps.approveCommand,
      tellsOnly: keepsPlaces(call) ? call.args : undefined,
    }),
    ...responseIssues,
  ].join('\n');
  return {
    kind: 'failure',
    text,
    failure: failureCode(failure),
    why: outcomeOf(failure).why,
    ...(failure.kind === 'pending' && { code: failure.code }),
  };
}

/** A reply that says only that there is no answer. */
function withheldReply(
  error: unknown,
  { context: { log, requestId }, begun }: { context: CallContext; begun: boolean },
): Reply {
  log.error({ err: error, requestId }, 'answer withheld');
  return { kind: 'failure', text: withheldText(requestId, begun), failure: withheldCode(begun), why: 'withheld' };
}

/** The end of a failed call. If the failure can't be rendered as text, the outcome is recorded nevertheless. */
function endedByFailure(error: unknown, call: Call, begun: boolean): EndedCall {
  const failure = failureOf(error, call.context.requestId, begun);
  const outcome = outcomeOf(failure);
  try {
    return { reply: replyTo(failure, error, call), outcome };
  } catch (inWords) {
    return { reply: withheldReply(inWords, { context: call.context, begun }), outcome };
  }
}

/** A call as the first stage gets it. @param given the arguments as the caller sent them. */
export function newCall(
  tool: Tool,
  given: unknown,
  context: CallContext,
  deps: CallDependencies,
  { note, onStage, withNewLists = false }: Pick<Call, 'note' | 'onStage'> & Partial<Pick<Call, 'withNewLists'>>,
): Call {
  const tooLarge = sizeIssues(given);
  const {
    controls,
    args: split,
    issues,
    valueFromEnv,
  } = splitControls(tool, tooLarge.length > 0 ? {} : given, deps.policy, deps.environment);
  const { args, kinds, issues: disputed } = withOwnNames(tool, isRecord(split) ? split : {});
  const redactor = deps.redaction.forCall({
    principal: context.principal,
    credential: context.credential?.value,
    valueFromEnv,
  });
  redactor.mention(args, toolArgumentSchema(tool));
  const safe: CallContext = { ...context, log: protectLog(context.log, redactor) };
  const reader = createReader(
    (operation, input, onResponseIssue) => send({ operation, input }, { tool, context: safe, deps }, onResponseIssue),
    wholeRows,
  );
  const responseIssues = new Set<string>();
  const onResponseIssue: Call['onResponseIssue'] = ({ name }, { reason }) =>
    void responseIssues.add(`${name}: ${reason}, and passed over.`);
  return {
    tool,
    args,
    kinds,
    controls,
    issues: [...tooLarge, ...(isRecord(split) ? [] : ['the arguments must be an object']), ...issues, ...disputed],
    context: safe,
    deps,
    redactor,
    resolved: {},
    reader,
    onResponseIssue,
    responseIssues,
    note,
    onStage,
    withNewLists,
  };
}

/**
 * Executes one call of a tool: runs the stages and records the outcome. Never throws. Whatever fails, the caller sees
 * only what may be shown. If the user has to be asked first, the reply is the question, and the same call comes again
 * with the answer in its context.
 * @param given the arguments as the caller sent them.
 */
export async function runCall(
  tool: Tool,
  given: unknown,
  received: CallContext,
  dependencies: CallDependencies,
): Promise<Reply> {
  const began = received.clock.now();
  const observed = dependencies.observer?.begin(tool.name, received.trace);
  const counted = { ...received, requests: countRequests() };
  const context = observed?.trace ? { ...counted, trace: observed.trace } : counted;
  const { principal, conversation, connection, clientName, requestId, clock } = context;
  let facts: CallFacts = { tool: tool.name, principal, conversation, connection, clientName, requestId };
  const note = (more: Partial<CallFacts>): void => {
    facts = { ...facts, ...more };
  };
  const hasBegun = (): boolean => facts.confirmed !== undefined;

  const carryOut = async (withNewLists = false): Promise<EndedCall> => {
    const call = newCall(tool, given, context, dependencies, { note, onStage: observed?.stage, withNewLists });
    return stages
      .run(call)
      .catch((error: unknown) =>
        error instanceof OutdatedNames && !withNewLists ? carryOut(true) : endedByFailure(error, call, hasBegun()),
      );
  };
  const { reply, outcome } = await carryOut().catch((error: unknown): EndedCall => ({
    reply: withheldReply(error, { context, begun: hasBegun() }),
    outcome: { outcome: hasBegun() ? 'unknown' : 'failed', why: 'withheld' },
  }));
  observed?.end({ tier: facts.tier, confirmed: facts.confirmed, ...outcome });
  await recordOutcome({ ...facts, ...outcome, duration: clock.now() - began }, context, dependencies);
  return reply;
}
