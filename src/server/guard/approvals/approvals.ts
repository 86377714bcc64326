import type { Plan } from '../planned-call.ts';
import type { KeyProvider } from '../../context/index.ts';
import type { GuardStore } from '../storage/guard-store.ts';
import { hasSecret, isSigned } from './operator-secret.ts';
import { callSealer, newCode, newestOf, signedText, type Pending, type StoredCall } from './pending-calls.ts';

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
  readonly plan: Plan;
  readonly typed?: string;
}

/** The result of asking the operator, who answers in a terminal or on the approvals page. */
export type Approval =
  | { readonly kind: 'approved'; readonly onPage?: boolean }
  /** `command` is the command that the operator runs. */
  | { readonly kind: 'pending'; readonly code: string; readonly command: string }
  | { readonly kind: 'refused' }
  /** The plan changed after it was approved. */
  | { readonly kind: 'changed' }
  /** The approval was not signed by the operator. */
  | { readonly kind: 'invalid' }
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
  { call, principal, identity, clientName, plan, typed }: ApprovalRequest,
  log: string,
  now: number,
): Pending => ({
  code: newCode(),
  call,
  principal,
  identity,
  clientName,
  plan,
  typed,
  log,
  askedAt: now,
  expiresAt: now + approvalLifetime,
});

/**
 * Approvals in a store that all processes of a data directory and the operator's command share.
 * @param announce notifies operators of a new waiting call. Only the process that added the call runs it, once.
 */
export function createApprovals(
  { store, keys, operator, program, options, log, observer }: ApprovalsConfig,
  announce?: (pending: Pending) => void,
): Approvals {
  const waiting = (code: string): Approval => ({
    kind: 'pending',
    code,
    command: [program, 'approve', code, ...(options === undefined ? [] : [options])].join(' '),
  });

  const settle = async (
    { pending, seal, decision }: StoredCall,
    request: ApprovalRequest,
  ): Promise<Approval | undefined> => {
    const isSame = pending.plan.digest === request.plan.digest;
    if (!decision) {
      if (isSame) return waiting(pending.code);
      await store.waiting.take(pending.code);
      return undefined;
    }
    const isOperators = await isSigned(operator, signedText(seal, decision.verdict), decision.signature);
    // From here on, the decision is used up, whatever it is.
    if (!(await store.waiting.take(pending.code))) return { kind: 'used' };
    if (!isOperators) return { kind: 'invalid' };
    if (decision.verdict === 'refused') return { kind: 'refused' };
    if (!isSame) return { kind: 'changed' };
    return decision.verdict === 'approved_on_page' ? { kind: 'approved', onPage: true } : { kind: 'approved' };
  };

  return {
    available: () => hasSecret(operator),
    ask: async (request, clock) => {
      const now = await store.time(clock);
      const sealer = callSealer(keys);
      const expired = await store.waiting.dropExpired(now);
      if (expired > 0) observer?.expired(expired);
      const stored = newestOf(sealer.open(await store.waiting.ofCall(request.call, now), now), request.call);
      const settled = stored && (await settle(stored, request));
      if (settled) return settled;
      const pending = pendingFrom(request, log(), now);
      const added = await store.waiting.add(sealer.seal(pending), now, (found) => {
        const present = newestOf(sealer.open(found, now), request.call);
        return present && !present.decision && present.pending.plan.digest === request.plan.digest
          ? present.pending.code
          : undefined;
      });
      if (added.kind === 'present') return waiting(added.code);
      if (added.kind !== 'added') return added;
      observer?.asked();
      announce?.(pending);
      return waiting(pending.code);
    },
  };
}
