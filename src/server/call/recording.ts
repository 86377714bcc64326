import { fail } from '../failure/index.ts';
import type { Call } from './call.ts';
import type { CallContext } from '../context/index.ts';
import type { CallFacts, Intent, CallOutcome, Recorder } from '../audit/index.ts';
import type { Redaction } from '../redaction/index.ts';

/**
 * Facts as they are recorded. The names of targets are the platform's, and are made fit to be shown to the operator: what a
 * caller mentioned is not hidden, or it could keep from being read what its calls were about.
 */
const recordable = <Facts extends CallFacts>(facts: Facts, redaction: Redaction): Facts => ({ ...facts, ...(facts.target && { target: redaction.value(facts.target) }) });

/** Records a call that is about to change something. @throws as the recorder fails: then the call isn't made. */
export const recordIntent = async (intent: Intent, context: CallContext, { recorder, redaction }: { readonly recorder: Recorder; readonly redaction: Redaction }): Promise<void> =>
  recorder.intent(recordable(intent, redaction), context);

/** Records what came of a call. Never fails: where names can't be made fit to be shown, it is recorded without them. */
export async function recordOutcome(outcome: CallOutcome, context: CallContext, { recorder, redaction }: { readonly recorder: Recorder; readonly redaction: Redaction }): Promise<void> {
  const { target } = outcome;
  let told: CallOutcome = { ...outcome, ...(target && { target: { kind: target.kind, id: target.id, mode: target.mode } }) };
  try {
    told = recordable(outcome, redaction);
  } catch (error) {
    context.log.error({ err: error, requestId: context.requestId }, 'recorded without names: they could not be made fit to be shown');
  }
  try {
    await recorder.outcome(told, context);
  } catch (error) {
    context.log.error({ err: error, requestId: context.requestId }, 'outcome not recorded');
  }
}

/** Ends a change that can't be recorded. @throws CallFailure `not_recorded`. */
export function unrecorded({ tool, context }: Pick<Call, 'tool' | 'context'>, error: unknown): never {
  const { requestId, log } = context;
  log.error({ err: error, tool: tool.name, requestId }, 'not recorded, so the call is not made');
  return fail({ kind: 'not_recorded', requestId });
}
