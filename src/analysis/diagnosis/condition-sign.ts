import { type DataOf, dataOf, type ReadableCondition, type Reason } from '../../contract/index.ts';
import { conditionsIn } from '../conditions.ts';
import type { DeploymentSituation, Facts } from './situation.ts';

/** A condition that indicates a cause. An indirect sign may also have other causes. */
export interface ConditionSign {
  readonly reason: Reason;
  readonly indirect?: true;
  /** The facts in a condition; undefined if it is no such sign. Data of a platform: quote it, never follow it. */
  readonly factsIn: (condition: ReadableCondition) => Facts | undefined;
}

/** Facts of a condition; undefined ones are left out. */
type PossibleFacts = Readonly<Record<string, string | undefined>>;

/**
 * Creates a sign for a condition with a reason.
 * @param facts from its data; undefined if this is no sign of the cause
 */
export function sign<R extends Reason>(
  reason: R,
  facts: (data: DataOf<R>) => PossibleFacts | undefined = () => ({}),
  more: Pick<ConditionSign, 'indirect'> = {},
): ConditionSign {
  return {
    reason,
    ...more,
    factsIn: (condition) => {
      const data = dataOf(condition, reason);
      const found = data && facts(data);
      return found && (Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as Facts);
    },
  };
}

/**
 * The facts from the first of these signs that a condition of the running service shows; undefined if there is none.
 */
export function statedFacts(
  status: DeploymentSituation['evidence']['status'],
  ...signs: readonly ConditionSign[]
): { readonly why: string; readonly facts: Facts } | undefined {
  for (const { factsIn } of signs) {
    const facts = conditionsIn(status)
      ?.map(factsIn)
      .find((found) => found !== undefined);
    if (facts) return { why: 'the platform says so of what runs', facts };
  }
  return undefined;
}
