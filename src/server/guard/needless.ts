import { fail } from '../failure/failure.ts';
import type { Needless } from '../tool/preview/preview.ts';
import { answerSchema } from '../tool/schema.ts';
import type { Redactor } from '../redaction/index.ts';
import type { Assessed, GuardedCall } from './guarded-call.ts';

/** Why a change need not be made, where its tool can tell; undefined where it has to be made. @throws ApiError as the platform fails. */
export async function needlessness({ tool, acts: [first, ...others], reader }: GuardedCall & Assessed, redactor: Redactor): Promise<Needless | undefined> {
  if (!tool.need || !first || others.length > 0) return undefined;
  return tool.need(first.input, { target: first.target, reader: reader.under({ view: (operation, answer) => redactor.value(answer, answerSchema(operation)) }) });
}

/**
 * Lets pass what the platform isn't known to lack: nobody is asked for what can't be done.
 * @throws CallFailure `not_possible`.
 */
export function keepOffered({ acts, context }: GuardedCall & Assessed): void {
  const lacking = acts.find(({ operation }) => context.lacks(operation));
  if (!lacking) return;
  fail({ kind: 'not_possible', what: `this platform does not offer ${lacking.operation.name}, as an earlier call showed, so nobody was asked to agree`, next: 'Do without it here, and tell the user.' });
}
