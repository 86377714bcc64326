import type { ApprovalsConfig } from './approvals.ts';
import { isCaller } from './deciders.ts';
import { operatorWithoutName, signedDecision, verifiedDecision } from './operator-decisions.ts';
import { keyForHash, operatorKeyFor, tryInVain, type OperatorKey } from './operator-secret.ts';
import {
  hasOperators,
  mayText,
  placesText,
  readingRules,
  readOperators,
  seesTarget,
  type NamedOperator,
} from './operators.ts';
import type { Rules } from '../policy/rules.ts';
import type { SecretLock } from '../storage/limits.ts';
import type { Verdict } from '../storage/tables.ts';
import type { AddedDecision, WaitingPage } from '../storage/waiting-records.ts';
import {
  callSealer,
  callWithCode,
  isCode,
  normalCode,
  signedText,
  type Pending,
  type StoredCall,
} from './pending-calls.ts';
import { operatorPrincipal, type Decision, type RecordDecision } from '../../audit/index.ts';
import type { Target } from '../../context/index.ts';

/** The channel through which an operator decides, with the function that records their decisions. */
interface ApprovalChannel {
  readonly how: Decision['how'];
  readonly record: RecordDecision;
  /** Called with each decision of a named operator that counts. Doesn't throw. */
  readonly decided?: ((pending: Pending, outcome: DecisionOutcome) => void) | undefined;
}

/** What a decision of a named operator made of a call. */
export interface DecisionOutcome {
  /** `counted`: this operator agreed, and more have to. */
  readonly result: 'approved' | 'refused' | 'counted';
  readonly by: string;
  readonly how: Decision['how'];
  readonly reason?: string | undefined;
  /** The message of the chat in which they decided. */
  readonly message?: string | undefined;
}

/** Who decides, and how. */
export interface Decider {
  /** Signs with the key of the operator's secret, or of the chat. */
  readonly sign: (text: string) => string;
  /** The operator's name; undefined for the one operator without a name. */
  readonly operator?: string | undefined;
  /** Why the operator refuses, for the caller. */
  readonly reason?: string | undefined;
  /** The chat's channel and message in which the operator decides. */
  readonly channel?: string | undefined;
  readonly message?: string | undefined;
}

/** What came of a decision. */
export type Decided =
  | { readonly kind: 'decided' }
  /** It counts, and this many more operators have to agree. */
  | { readonly kind: 'counted'; readonly left: number }
  /** The call expired, was decided before, or never was. */
  | { readonly kind: 'gone' }
  /** This operator agreed to it before. */
  | { readonly kind: 'decided_before' }
  /** This operator may not decide on it. `why` is a sentence with what they may. */
  | { readonly kind: 'not_theirs'; readonly why: string };

/** A waiting call, with the operators who agreed so far if several have to. */
export interface WaitingCall extends Pending {
  readonly agreed?: readonly string[];
}

const decisionOn = (
  { code, principal, conversation, plan }: Pending,
  verdict: Decision['verdict'],
  how: Decision['how'],
  { operator, reason, channel, message }: Decider,
): Decision => ({
  verdict,
  how,
  ...(operator !== undefined && { operator }),
  ...(reason !== undefined && { reason }),
  ...(channel !== undefined && { channel }),
  ...(message !== undefined && { message }),
  code,
  caller: principal,
  ...(conversation !== undefined && { conversation }),
  tool: plan.tool,
  tier: plan.tier,
  target: plan.target,
  plan: plan.digest,
});

/**
 * Records a decision, then makes it: every decision must be on record.
 * @param log identifies the log to which this process records.
 * @param decide makes the decision; its result says if it came too late.
 * @throws Error if the record can't be written, or belongs in another log.
 */
async function decideOnRecord(
  pending: Pending,
  verdict: Verdict,
  by: Decider,
  { how, record }: ApprovalChannel,
  log: string,
  decide: () => Promise<AddedDecision>,
): Promise<AddedDecision> {
  if (pending.log !== undefined && pending.log !== log) {
    throw new Error(
      `Nothing was decided: the server that asked for ${pending.code} records its calls elsewhere than this program. Give this one the same INFRA_AUDIT_FILE or INFRA_AUDIT_COMMAND, then decide again.`,
    );
  }
  const recordVerdict = (recorded: Decision['verdict']): Promise<void> =>
    record(decisionOn(pending, recorded, how, by));
  await recordVerdict(verdict === 'refused' ? 'refused' : 'approved').catch((error: unknown) => {
    throw new Error(
      `Nothing was decided: the decision could not be recorded (${(error as Error).message}). Mend that, then decide again.`,
      { cause: error },
    );
  });
  const result = await decide();
  if (result === 'gone' || result === 'decided_before') await recordVerdict('not_made');
  return result;
}

/** The result of trying a secret. */
export type UnlockedQueue =
  | ({ readonly kind: 'unlocked'; readonly operator?: string } & OperatorKey)
  | { readonly kind: 'wrong_secret'; readonly left: number }
  | SecretLock;

/**
 * Says that a secret is wrong, and how many more tries there are. They are counted apart for terminals and for each
 * network address.
 * @param hasName whether the operator's name was given too.
 */
export const wrongSecretText = (left: number, where: 'in a terminal' | 'from your address', hasName = false): string =>
  `That is not ${hasName ? 'a name with its secret' : 'the secret'}. ${left} more ${left === 1 ? 'try' : 'tries'} ${where} before a pause.`;

/** What a named operator may decide. */
export interface OperatorRights {
  /** Continues a sentence: `every call`. */
  readonly text: string;
  /** Whether there are calls that they may not decide on. */
  readonly isLimited: boolean;
  /** The places outside of which they see nothing, as text; undefined where they see everything. */
  readonly places: string | undefined;
  /** The rules under which they read. */
  readonly reads: Rules;
  /** Whether they see something at a target. @param caller who asked for it: they see what they asked for themselves. */
  readonly sees: (target: Target | undefined, caller: string) => boolean;
}

/** The operators' side of approvals. Times are milliseconds since 1970. */
export interface ApprovalQueue {
  /** Whether operators have names, which they give with their secrets. */
  readonly hasNames: boolean;
  /** Whether anybody can decide: there is a secret, or an operators file. */
  isSetUp(): Promise<boolean>;
  /** The calls that wait for a decision, or a page of them. */
  waiting(now: number, page?: WaitingPage): Promise<WaitingCall[]>;
  /** The number of calls that wait for a decision. */
  count(now: number): Promise<number>;
  /** A waiting call, by its code. */
  find(code: string, now: number): Promise<WaitingCall | undefined>;
  /**
   * Tries an operator's secret.
   * @param source where it was typed: a network address or `terminalSource`. Too many wrong secrets lock their source.
   * @param name the operator's, where they have names.
   */
  unlock(secret: string, source: string, now: number, name?: string): Promise<UnlockedQueue>;
  /** What a named operator may decide; undefined if there is no such operator. */
  rightsOf(name: string): Promise<OperatorRights | undefined>;
  /**
   * Records a decision, then makes it.
   * @param by who decides; a key from `unlock`.
   * @throws Error if it can't be recorded: then nothing is decided.
   */
  decide(code: string, verdict: Verdict, by: Decider, now: number): Promise<Decided>;
}

/** What is not known of an operator who may not decide on a call. */
const unknownOperator =
  'The operators file has no operator of that name with this secret any more. Sign in again, or ask whoever maintains that file.';

const needsNames =
  'Calls of this server are decided by operators with names. Give this program the same INFRA_APPROVALS_OPERATORS as the server.';

/** Why a named operator may not decide on a call; undefined if they may. */
function notTheirs({ identity, principal, deciders }: Pending, operator: NamedOperator): string | undefined {
  if (!deciders) return 'It began to wait when operators had no names. It has to be asked for again.';
  if (deciders.operators.includes(operator.name)) return undefined;
  if (deciders.isTwoPerson && isCaller(operator, identity ?? principal))
    return 'You asked for it yourself, and the policy wants somebody else to agree (two_person).';
  return `You may decide ${mayText(operator)}${deciders.isTwoPerson ? ', and only as far as two_person in the policy names you' : ''}. This call can be decided by: ${deciders.operators.join(', ')}.`;
}

/**
 * The approval queue of a store.
 * @param channel where operators decide, and the function that records their decisions.
 */
export function createApprovalQueue(
  { store, keys, operator, operators, acceptsChat = false, log }: ApprovalsConfig,
  channel: ApprovalChannel,
): ApprovalQueue {
  const { waiting, secretTries } = store;
  const sealer = () => callSealer(keys);
  const named = async (): Promise<readonly NamedOperator[]> =>
    operators === undefined ? [] : readOperators(operators);
  const operatorCalled = async (name: string): Promise<NamedOperator | undefined> =>
    (await named()).find((one) => one.name === name);

  const withCode = async (typed: string, clock: number): Promise<StoredCall | undefined> => {
    const code = normalCode(typed);
    if (!isCode(code)) return undefined;
    const now = await store.time(clock);
    return callWithCode(sealer().open(await waiting.withCode(code, now), now), code);
  };

  /** Adds who agreed, for calls that more than one operator has to agree to. */
  const withAgreed = async (calls: readonly Pending[]): Promise<WaitingCall[]> => {
    const several = calls.filter(({ deciders }) => deciders !== undefined && deciders.needed > 1);
    const decisions = await waiting.decisionsOn(several.map(({ code }) => code));
    return calls.map((one) =>
      several.includes(one) ? { ...one, agreed: (decisions.get(one.code) ?? []).map((each) => each.operator) } : one,
    );
  };

  const decideNamed = async (
    { pending, seal }: StoredCall,
    verdict: Verdict,
    by: Decider & { readonly operator: string },
  ): Promise<Decided> => {
    const all = await named();
    const who = all.find(({ name }) => name === by.operator);
    if (!who) return { kind: 'not_theirs', why: unknownOperator };
    const why = notTheirs(pending, who);
    if (why !== undefined) return { kind: 'not_theirs', why };
    const { reason, channel: place, message } = by;
    const note = { how: channel.how, reason, channel: place, message };
    const decision = signedDecision(seal, { operator: who.name, verdict, note }, by.sign, keys);
    // A session may be older than the operator's present secret.
    if (!verifiedDecision(seal, decision, all, { keys, acceptsChat }))
      return { kind: 'not_theirs', why: unknownOperator };
    const { needed } = pending.deciders!;
    const result = await decideOnRecord(pending, verdict, by, channel, log(), () =>
      waiting.addDecision(pending.code, decision, needed),
    );
    if (result === 'decided' || result === 'counted')
      channel.decided?.(pending, {
        result: result === 'counted' ? result : verdict === 'refused' ? 'refused' : 'approved',
        by: who.name,
        how: channel.how,
        reason,
        message,
      });
    if (result !== 'counted') return { kind: result };
    const count = (await waiting.decisionsOn([pending.code])).get(pending.code)?.length ?? 0;
    return { kind: 'counted', left: Math.max(0, needed - count) };
  };

  return {
    hasNames: operators !== undefined,
    isSetUp: () => hasOperators({ operator, operators }),
    waiting: async (clock, page) => {
      const now = await store.time(clock);
      return withAgreed(
        sealer()
          .open(await waiting.undecided(now, page), now)
          .map(({ pending }) => pending),
      );
    },
    count: async (clock) => waiting.countUndecided(await store.time(clock)),
    find: async (code, clock) => {
      const stored = await withCode(code, clock);
      return stored && !stored.decision ? (await withAgreed([stored.pending]))[0] : undefined;
    },
    unlock: async (secret, source, clock, name = '') => {
      const attempt = await secretTries.begin(source, clock);
      if (attempt.kind === 'locked') return attempt;
      const people = await named();
      const who = people.find((one) => one.name === name.trim());
      const key = await (operators === undefined
        ? operatorKeyFor(operator, secret)
        : who?.secret === undefined
          ? tryInVain(people.find((one) => one.secret !== undefined)?.secret, secret)
          : keyForHash(who.secret, secret));
      if (!key) return { kind: 'wrong_secret', left: await secretTries.left(source) };
      await secretTries.forget(attempt.id);
      return { kind: 'unlocked', ...key, ...(who && { operator: who.name }) };
    },
    rightsOf: async (name) => {
      const who = await operatorCalled(name);
      return (
        who && {
          text: mayText(who),
          isLimited: who.may !== undefined,
          places: placesText(who),
          reads: readingRules(who),
          sees: (target, caller) =>
            isCaller(who, caller) || caller === operatorPrincipal(who.name) || seesTarget(who, target),
        }
      );
    },
    decide: async (code, verdict, by, clock) => {
      const stored = await withCode(code, clock);
      if (stored === undefined || stored.decision) return { kind: 'gone' };
      const { operator: name } = by;
      if (name !== undefined) return decideNamed(stored, verdict, { ...by, operator: name });
      if (operators !== undefined || stored.pending.deciders) return { kind: 'not_theirs', why: needsNames };
      const { pending, seal } = stored;
      const note = { how: channel.how, reason: by.reason };
      // Its decision has no place for a reason, which is signed beside it.
      const noted =
        verdict === 'refused' && by.reason !== undefined
          ? signedDecision(seal, { operator: operatorWithoutName, verdict, note }, by.sign, keys)
          : undefined;
      const result = await decideOnRecord(pending, verdict, by, channel, log(), async () =>
        (await waiting.decide(pending.code, verdict, by.sign(signedText(seal, verdict)), noted)) ? 'decided' : 'gone',
      );
      return { kind: result === 'decided' ? 'decided' : 'gone' };
    },
  };
}
