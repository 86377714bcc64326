import type { Plan } from '../planned-call.ts';
import type { KeyProvider } from '../../context/index.ts';
import type { GuardStore } from '../storage/guard-store.ts';
import type { CallSituation } from '../policy/match.ts';
import type { TwoPerson } from '../policy/two-person.ts';
import { areSame, canAgree, decidersOf, type Deciders } from './deciders.ts';
import { callStates, sealEnding, type CallState, type Ending } from './call-states.ts';
import { hasOperators, readOperators } from './operators.ts';
import { callSealer, newCode, newestOf, type Pending, type StoredCall } from './pending-calls.ts';
import { createVerdicts, type Named, type Settled } from './verdicts.ts';

/** How long a call waits for the operator and, once approved, to be repeated, in milliseconds. */
export const approvalLifetime = 15 * 60_000;

/** A call that the operator is asked to approve. */
export interface ApprovalRequest {
  /** Keyed hash of principal, tool and exact arguments. */
  readonly call: string;
  readonly principal: string;
  /** The caller's identity, independent of its permission on the platform. */
  readonly identity: string;
  /** The name that the client gives itself. */
  readonly clientName?: string | undefined;
  /** The conversation in which a person asks through a bot, if the bot names one. */
  readonly conversation?: string | undefined;
  readonly plan: Plan;
  readonly typed?: string;
  /** What the call carries out, and where: named operators may decide by that. */
  readonly situations: readonly CallSituation[];
  /** What the policy requires beyond one operator's agreement. */
  readonly twoPerson?: TwoPerson | undefined;
}

/** The result of asking the operator, who answers in a terminal or on the approvals page. */
export type Approval =
  | Settled
  /**
   * `command` is the command that the operator runs. `agreed`: how many operators agreed, if more than one has to.
   */
  | {
      readonly kind: 'pending';
      readonly code: string;
      readonly command: string;
      /** Whether it was posted in a chat, where operators can decide too. */
      readonly isInChat?: true;
      readonly agreed?: { readonly count: number; readonly needed: number };
    }
  /** No operator may decide on it, or too few. */
  | { readonly kind: 'nobody_may_agree' }
  /** The plan changed after it was approved. */
  | { readonly kind: 'changed' }
  /** Another call used it at the same moment. */
  | { readonly kind: 'used' }
  /** Too many calls wait already, of this caller or in total: the operator was not asked. */
  | { readonly kind: 'too_many_of_caller' }
  | { readonly kind: 'too_many_in_all' };

export interface Approvals {
  /** Whether an operator is set up. */
  available(): Promise<boolean>;
  /**
   * Asks the operator, or uses up an earlier decision. A decision counts once among all processes that share the store.
   * @param now milliseconds since 1970.
   */
  ask(request: ApprovalRequest, now: number): Promise<Approval>;
  /**
   * What became of a call that began to wait within the last hour or so. Uses nothing up.
   * @param code as somebody typed it.
   * @param now milliseconds since 1970.
   * @returns undefined if there is none with this code, or it isn't this principal's.
   */
  stateOf(code: string, principal: string, now: number): Promise<CallState | undefined>;
}

/** Observes the calls that wait for the operator. Its functions don't throw. */
export interface ApprovalObserver {
  /** Called when the operator is asked about a call. */
  readonly asked: () => void;
  /** Called with the number of calls found to have expired without a decision. */
  readonly expired: (count: number) => void;
}

export interface ApprovalsConfig {
  readonly store: GuardStore;
  readonly keys: KeyProvider;
  /** Path of the file with the operator's public key. */
  readonly operator: string;
  /** Path of the file with the names of operators. If set, the one operator without a name decides nothing. */
  readonly operators?: string | undefined;
  /** Whether decisions from a chat count. Default: none do. */
  readonly acceptsChat?: boolean | undefined;
  /** The command with which a user starts this program in a shell. */
  readonly program: string;
  /** Options, quoted for a shell, that the operator's command needs to find the same store and log. */
  readonly options?: string;
  /** Identifies the log to which calls are recorded: decisions about them are recorded there too. */
  readonly log: () => string;
  readonly observer?: ApprovalObserver;
}

/** A request as a waiting call with a new code. */
const pendingFrom = (
  { call, principal, identity, clientName, conversation, plan, typed }: ApprovalRequest,
  deciders: Deciders | undefined,
  log: string,
  now: number,
): Pending => ({
  code: newCode(),
  call,
  principal,
  identity,
  clientName,
  conversation,
  plan,
  typed,
  ...(deciders && { deciders }),
  log,
  askedAt: now,
  expiresAt: now + approvalLifetime,
});

/** Whether a waiting call is this request, on which the same operators may decide. */
const isSame = ({ plan, deciders }: Pending, request: ApprovalRequest, now: Deciders | undefined): boolean =>
  plan.digest === request.plan.digest && areSame(deciders, now);

/**
 * Approvals in a store that all processes of a data directory and the operator's command share.
 * @param announce notifies operators of a new waiting call. Only the process that added the call runs it, once.
 */
export function createApprovals(
  {
    store,
    keys,
    operator,
    operators: operatorsFile,
    acceptsChat = false,
    program,
    options,
    log,
    observer,
  }: ApprovalsConfig,
  announce?: (pending: Pending) => void,
): Approvals {
  const waiting = (code: string, agreed?: { readonly count: number; readonly needed: number }): Approval => ({
    kind: 'pending',
    code,
    command: [program, 'approve', code, ...(options === undefined ? [] : [options])].join(' '),
    ...(acceptsChat && { isInChat: true }),
    ...(agreed && { agreed }),
  });

  const verdicts = createVerdicts({ store, keys, operator, acceptsChat });
  const end = ({ pending: { code } }: StoredCall, ending: Ending, now: number): Promise<boolean> =>
    store.waiting.take(code, { ending: sealEnding({ ...ending, code, at: now }, keys), now });

  const settle = async (
    stored: StoredCall,
    request: ApprovalRequest,
    people: Named | undefined,
    now: number,
  ): Promise<Approval | undefined> => {
    const { pending, decision } = stored;
    const stays = isSame(pending, request, people?.deciders);
    if (!decision) {
      if (stays && people && people.deciders.needed > 1)
        return waiting(pending.code, {
          count: (await verdicts.decisionsOn(stored, people)).length,
          needed: people.deciders.needed,
        });
      if (stays) return waiting(pending.code);
      await end(stored, { kind: 'replaced' }, now);
      return undefined;
    }
    const decided = await verdicts.of({ ...stored, decision }, people);
    // Decisions of those who may no longer decide don't count: it has changed for them.
    const settled: Settled | { readonly kind: 'changed' } =
      !stays && (decided.kind === 'approved' || (people && decided.kind === 'invalid')) ? { kind: 'changed' } : decided;
    // From here on, the decision is used up, whatever it is.
    return (await end(stored, settled.kind === 'approved' ? { ...settled, kind: 'used' } : settled, now))
      ? settled
      : { kind: 'used' };
  };

  const namedFor = async ({ identity, situations, twoPerson }: ApprovalRequest): Promise<Named | undefined> => {
    if (operatorsFile === undefined) return undefined;
    const named = await readOperators(operatorsFile);
    return { named, deciders: decidersOf(named, identity, situations, twoPerson) };
  };

  return {
    available: () => hasOperators({ operator, operators: operatorsFile }),
    ask: async (request, clock) => {
      const people = await namedFor(request);
      const now = await store.time(clock);
      const sealer = callSealer(keys);
      const expired = await store.waiting.dropExpired(now);
      if (expired > 0) observer?.expired(expired);
      const stored = newestOf(sealer.open(await store.waiting.ofCall(request.call, now), now), request.call);
      const settled = stored && (await settle(stored, request, people, now));
      if (settled) return settled;
      if (people ? !canAgree(people.deciders) : request.twoPerson) return { kind: 'nobody_may_agree' };
      const pending = pendingFrom(request, people?.deciders, log(), now);
      const added = await store.waiting.add(sealer.seal(pending), now, (found) => {
        const present = newestOf(sealer.open(found, now), request.call);
        return present && !present.decision && isSame(present.pending, request, people?.deciders)
          ? present.pending.code
          : undefined;
      });
      if (added.kind === 'present') return waiting(added.code);
      if (added.kind !== 'added') return added;
      observer?.asked();
      announce?.(pending);
      return waiting(pending.code);
    },
    stateOf: callStates({ store, keys, operators: operatorsFile }, verdicts),
  };
}
