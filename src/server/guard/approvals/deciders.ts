import type { CallSituation } from '../policy/match.ts';
import type { TwoPerson } from '../policy/two-person.ts';
import { mayDecide, type NamedOperator } from './operators.ts';

/** Who may decide on a waiting call, when operators have names. */
export interface Deciders {
  /** Names, in the order of the operators file. */
  readonly operators: readonly string[];
  /** How many of them have to agree. One is enough to refuse. */
  readonly needed: number;
  /** Whether the policy keeps those out who asked for it themselves. */
  readonly isTwoPerson: boolean;
}

/**
 * Whether an operator is the caller with this identity: one of theirs, or that of a bot which names them as the person
 * for whom it asks, by their name or their id in the chat. In doubt they are, so that nobody approves a call of their
 * own because a line is missing in the operators file.
 */
export function isCaller({ name, callers, chat }: NamedOperator, identity: string): boolean {
  const person = identity.slice(identity.lastIndexOf('/') + 1).toLowerCase();
  return callers.includes(identity) || [name, ...chat].some((one) => one.toLowerCase() === person);
}

/**
 * Who may decide on a call.
 * @param identity the caller's.
 * @param situations what the call carries out, and where.
 * @param twoPerson what the policy requires beyond one operator's agreement.
 */
export function decidersOf(
  operators: readonly NamedOperator[],
  identity: string,
  situations: readonly CallSituation[],
  twoPerson: TwoPerson | undefined,
): Deciders {
  const who = operators.filter(
    (one) =>
      mayDecide(one, situations) &&
      (twoPerson === undefined || (!isCaller(one, identity) && (twoPerson.of?.includes(one.name) ?? true))),
  );
  return {
    operators: who.map(({ name }) => name),
    needed: twoPerson?.approvals ?? 1,
    isTwoPerson: twoPerson !== undefined,
  };
}

/** Whether enough operators may decide for the call to be agreed to at all. */
export const canAgree = ({ operators, needed }: Deciders): boolean => operators.length >= needed;

/** Whether the same operators may decide, and as many have to agree. */
export const areSame = (one: Deciders | undefined, other: Deciders | undefined): boolean =>
  one?.needed === other?.needed && one?.operators.join(' ') === other?.operators.join(' ');
