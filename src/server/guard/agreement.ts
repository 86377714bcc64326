import type { AssessedRisk, GuardedCall } from './guarded-call.ts';
import type { CallSituation } from './policy/match.ts';
import { isOperatorOnly } from './policy/policy.ts';
import { twoPersonOf, type TwoPerson } from './policy/two-person.ts';
import { situationsOf } from './situations.ts';

/** What the policy requires of who agrees to a call. */
interface Agreement {
  /** Whether only an operator may agree. */
  readonly operatorOnly: boolean;
  readonly situations: readonly CallSituation[];
  /** What it requires beyond one operator's agreement. */
  readonly twoPerson: TwoPerson | undefined;
}

/** What the policy requires of who agrees to a call. Every part of it counts, also one that is less grave than others. */
export async function agreementOf(
  call: Pick<GuardedCall, 'tool' | 'deps' | 'reader'> & Pick<AssessedRisk, 'operations' | 'risk'>,
): Promise<Agreement> {
  const {
    risk,
    operations,
    deps: { policy },
  } = call;
  const risks = [risk, ...operations.flatMap((one) => [one.risk, ...one.parts.map((part) => part.risk)])];
  const situations = await situationsOf(call);
  return {
    operatorOnly: risks.some((one) => isOperatorOnly(one, policy)),
    situations,
    twoPerson: twoPersonOf(situations, policy),
  };
}

/** Who has to agree, as far as the policy settles it, as the end of a sentence. */
export const whoAgrees = ({ operatorOnly, twoPerson }: Omit<Agreement, 'situations'>): string => {
  const operators = twoPerson?.approvals ?? (operatorOnly ? 1 : 0);
  return operators > 1 ? `${operators} operators` : operators === 1 ? 'an operator' : 'somebody';
};
