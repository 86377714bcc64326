import { fail } from '../failure/index.ts';
import { oneByOneOf } from '../../contract/index.ts';
import { answerSchema, type NoOp, type PlannedOperation } from '../tool/index.ts';
import type { Redactor } from '../redaction/index.ts';
import type { AssessedRisk, GuardedCall } from './guarded-call.ts';

/**
 * Why a call would change nothing. Undefined if it would, if its tool has no check, or if it plans several operations.
 * @throws ApiError if the platform fails.
 */
export async function noOpOf({ tool, operations: [first, ...others], reader }: GuardedCall & AssessedRisk, redactor: Redactor): Promise<NoOp | undefined> {
  if (!tool.noOpCheck || !first || others.length > 0) return undefined;
  return tool.noOpCheck(first.input, { target: first.target, reader: reader.under({ view: (operation, answer) => redactor.value(answer, answerSchema(operation)) }) });
}

/**
 * Checks that the platform isn't known to lack one of the operations, so that nobody is asked to confirm what can't be
 * done.
 * @throws CallFailure `not_possible`.
 */
export function assertAllOffered({ operations, context }: GuardedCall & AssessedRisk): void {
  const isLacking = ({ operation, input }: PlannedOperation): boolean =>
    context.lacks(operation) && (oneByOneOf(operation, input)?.some((one) => context.lacks(one.operation)) ?? true);
  const lacking = operations.find(isLacking);
  if (!lacking) return;
  fail({ kind: 'not_possible', what: `this platform does not offer ${lacking.operation.name}, as an earlier call showed, so nobody was asked to agree`, next: 'Do without it here, and tell the user.' });
}
