import { needsConfirmation } from '../risk/risk.ts';
import { holds, type CallSituation } from './match.ts';
import { common, rulesIn, type Policy } from './policy.ts';

/** What `two_person` requires of a call. */
export interface TwoPerson {
  /** How many operators have to agree, none of them the caller. */
  readonly approvals: number;
  /** Names of those who may; undefined if all who may decide there. */
  readonly of?: readonly string[] | undefined;
  /** Where that is set. */
  readonly setBy: string;
}

/**
 * What `two_person` requires of a call; undefined if no such rule holds for any of its parts. In doubt a rule holds. If
 * several hold, whoever agrees must be in the groups of all, and the largest number counts.
 */
export function twoPersonOf(situations: readonly CallSituation[], policy: Policy): TwoPerson | undefined {
  const held = rulesIn(policy)
    .flatMap(({ twoPerson = [] }) => twoPerson)
    .filter(({ conditions }) =>
      situations.some((one) => needsConfirmation(one.risk) && holds(conditions, one, 'action') !== 'no'),
    );
  if (held.length === 0) return undefined;
  const groups = held.flatMap(({ of }) => (of ? [of] : []));
  return {
    approvals: Math.max(...held.map(({ approvals }) => approvals)),
    of: groups.length === 0 ? undefined : common(groups),
    setBy: held.map(({ setBy }) => setBy).join(' and '),
  };
}
