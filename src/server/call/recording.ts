import { fail } from '../failure/index.ts';
import type { Call } from './call.ts';
import type { CallContext } from '../context/index.ts';
import type { CallFacts, Intent, CallOutcome, Recorder } from '../audit/index.ts';
import type { Redaction } from '../redaction/index.ts';

/**
 * Facts in the form in which they are recorded: names of targets are cleaned, and known secrets in them masked. Values
 * that the caller sent are not masked; otherwise, a caller could hide the subject of its calls from the operator.
 */
const recordable = <Facts extends CallFacts>(facts: Facts, redaction: Redaction): Facts => ({
  ...facts,
  ...(facts.target && { target: redaction.value(facts.target) }),
});

/** Records a call before it changes something. @throws what the recorder throws; then the change must not be sent. */
export const recordIntent = async (
  intent: Intent,
  context: CallContext,
  { recorder, redaction }: { readonly recorder: Recorder; readonly redaction: Redaction },
): Promise<void> => recorder.intent(recordable(intent, redaction), context);

/** Records the outcome of a call. Never fails: if a name can't be cleaned, the outcome is recorded without names. */
export async function recordOutcome(
  outcome: CallOutcome,
  context: CallContext,
  { recorder, redaction }: { readonly recorder: Recorder; readonly redaction: Redaction },
): Promise<void> {
  const { target } = outcome;
  let record: CallOutcome = {
    ...outcome,
    ...(target && { target: { kind: target.kind, id: target.id, mode: target.mode } }),
  };
  try {
    record = recordable(outcome, redaction);
  } catch (error) {
    context.log.error(
      { err: error, requestId: context.requestId },
      'recorded without names, because they could not be sanitized',
    );
  }
  try {
    await recorder.outcome(record, context);
  } catch (error) {
    context.log.error({ err: error, requestId: context.requestId }, 'outcome not recorded');
  }
}

/** Ends a call whose change can't be recorded. @throws CallFailure `not_recorded`. */
export function unrecorded({ tool, context }: Pick<Call, 'tool' | 'context'>, error: unknown): never {
  const { requestId, log } = context;
  log.error({ err: error, tool: tool.name, requestId }, 'call refused, because it could not be recorded');
  return fail({ kind: 'not_recorded', requestId });
}
