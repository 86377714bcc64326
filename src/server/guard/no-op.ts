import { oneByOneOf, type AnyOperation } from '../../contract/index.ts';
import { fail, isDenied } from '../failure/index.ts';
import type { JsonRecord } from '../json/index.ts';
import { answerSchema, type NoOp, type PlannedOperation } from '../tool/index.ts';
import type { Redactor } from '../redaction/index.ts';
import { assertReadAllowed } from './guard.ts';
import type { AssessedRisk, GuardedCall } from './guarded-call.ts';

/**
 * Why a call would change nothing. Undefined if it would, if its tool has no check, or if it plans several operations.
 * The platform's data is included only if the policy lets the caller read everything that the check read.
 * @throws ApiError if the platform fails.
 */
export async function noOpOf(call: GuardedCall & AssessedRisk, redactor: Redactor): Promise<NoOp | undefined> {
  const {
    tool,
    operations: [first, ...others],
    reader,
  } = call;
  if (!tool.noOpCheck || !first || others.length > 0) return undefined;
  let isHidden = false;
  const noteDenial = (operation: AnyOperation, input: JsonRecord): Promise<void> =>
    assertReadAllowed(call, operation, input).catch((error: unknown) => {
      if (!isDenied(error)) throw error;
      isHidden = true;
    });
  const view = async (operation: AnyOperation, answer: unknown): Promise<unknown> =>
    redactor.valueInPieces(answer, answerSchema(operation));
  const found = await tool.noOpCheck(first.input, {
    target: first.target,
    reader: reader.under({ assertAllowed: noteDenial, view }),
  });
  return found && isHidden ? { ...found, seen: undefined } : found;
}

/**
 * Checks that the platform isn't known to lack one of the operations, so that users aren't asked to confirm what can't
 * be done.
 * @throws CallFailure `not_possible`.
 */
export function assertAllOffered({ operations, context }: GuardedCall & AssessedRisk): void {
  const isLacking = ({ operation, input }: PlannedOperation): boolean =>
    context.lacks(operation) && (oneByOneOf(operation, input)?.some((one) => context.lacks(one.operation)) ?? true);
  const lacking = operations.find(isLacking);
  if (!lacking) return;
  fail({
    kind: 'not_possible',
    what: `this platform does not offer ${lacking.operation.name}, as an earlier call showed, so nobody was asked to agree`,
    next: 'Do without it here, and tell the user.',
  });
}
