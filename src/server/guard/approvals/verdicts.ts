import type { KeyProvider } from '../../context/index.ts';
import type { GuardStore } from '../storage/guard-store.ts';
import type { Deciders } from './deciders.ts';
import { type DecisionNote, notedRefusal, verifiedDecision, type VerifiedDecision } from './operator-decisions.ts';
import { isSigned } from './operator-secret.ts';
import type { NamedOperator } from './operators.ts';
import { signedText, type StoredCall } from './pending-calls.ts';

/** The named operators, and those of them who may decide on a call. */
export interface Named {
  readonly named: readonly NamedOperator[];
  readonly deciders: Deciders;
}

/** What a decision comes to, as far as its signatures tell. `by`: the operators, if they have names. */
export type Settled =
  | { readonly kind: 'approved'; readonly how: DecisionNote['how']; readonly by?: readonly string[] }
  | {
      readonly kind: 'refused';
      readonly how?: DecisionNote['how'];
      readonly by?: string;
      readonly reason?: string | undefined;
    }
  /** It was not signed by an operator. */
  | { readonly kind: 'invalid' };

type DecidedCall = StoredCall & Required<Pick<StoredCall, 'decision'>>;

interface VerdictsConfig {
  readonly store: Pick<GuardStore, 'waiting'>;
  readonly keys: KeyProvider;
  /** Path of the file with the public key of the operator without a name. */
  readonly operator: string;
  readonly acceptsChat: boolean;
}

/** Reads stored decisions, and checks who signed them. */
export interface Verdicts {
  /** The verified decisions of those who may decide. */
  readonly decisionsOn: (stored: StoredCall, people: Named) => Promise<VerifiedDecision[]>;
  /** What the decision about a call comes to. @param people undefined where operators have no names. */
  readonly of: (stored: DecidedCall, people: Named | undefined) => Promise<Settled>;
}

export function createVerdicts({ store, keys, operator, acceptsChat }: VerdictsConfig): Verdicts {
  const decisionsOn: Verdicts['decisionsOn'] = async ({ pending, seal }, { named, deciders }) =>
    ((await store.waiting.decisionsOn([pending.code])).get(pending.code) ?? [])
      .flatMap((one) => verifiedDecision(seal, one, named, { keys, acceptsChat }) ?? [])
      .filter((one) => deciders.operators.includes(one.operator));

  const ofOneOperator = async ({ pending: { code }, seal, decision }: DecidedCall): Promise<Settled> => {
    if (!(await isSigned(operator, signedText(seal, decision.verdict), decision.signature))) return { kind: 'invalid' };
    if (decision.verdict === 'refused') {
      const decisions = (await store.waiting.decisionsOn([code])).get(code) ?? [];
      return { kind: 'refused', ...(await notedRefusal(seal, decisions, { operator, keys })) };
    }
    return { kind: 'approved', how: decision.verdict === 'approved_on_page' ? 'page' : 'terminal' };
  };

  const ofNamed = async (stored: DecidedCall, people: Named): Promise<Settled> => {
    const made = await decisionsOn(stored, people);
    const refusal = made.find(({ verdict }) => verdict === 'refused');
    if (refusal) return { kind: 'refused', how: refusal.note.how, by: refusal.operator, reason: refusal.note.reason };
    if (made.length < people.deciders.needed) return { kind: 'invalid' };
    const last = made.find(({ signature }) => signature === stored.decision.signature) ?? made[0]!;
    return { kind: 'approved', how: last.note.how, by: made.map((one) => one.operator) };
  };

  return { decisionsOn, of: (stored, people) => (people ? ofNamed(stored, people) : ofOneOperator(stored)) };
}
