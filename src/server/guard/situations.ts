import type { PlannedOperation } from '../tool/index.ts';
import type { AssessedRisk, GuardedCall } from './guarded-call.ts';
import { actionsToCheck } from './policy/policy.ts';
import type { CallSituation } from './policy/match.ts';
import type { OperationPart } from './risk/operation-parts.ts';

/** One operation of a call, or a part of one, as the input of rules. */
export async function situationOf(
  { tool, deps, reader }: Pick<GuardedCall, 'tool' | 'deps' | 'reader'>,
  planned: PlannedOperation,
  at: Pick<OperationPart, 'target' | 'risk' | 'isAssumed'>,
): Promise<CallSituation> {
  const actions = new Map(
    await Promise.all(
      actionsToCheck(planned.operation, deps.policy).map(
        async (action) => [action.tool, await action.isDone!(planned, reader)] as const,
      ),
    ),
  );
  return { tool, operation: planned.operation, actions, ...at };
}

/** Everything that a call carries out, as the input of rules: its operations, each after its parts. */
export const situationsOf = (
  call: Pick<GuardedCall, 'tool' | 'deps' | 'reader'> & Pick<AssessedRisk, 'operations'>,
): Promise<CallSituation[]> =>
  Promise.all(
    call.operations.flatMap(({ operation, input, target, risk, parts }) => [
      ...parts.map((part) =>
        situationOf(call, part, { target: part.target, risk: part.risk, isAssumed: part.isAssumed }),
      ),
      situationOf(call, { operation, input }, { target, risk }),
    ]),
  );
