import type { Plan } from '../plan.ts';
import type { KeyProvider } from '../../context/index.ts';
import { storedTime } from '../storage/stored-time.ts';
import { inOneTransaction, type GuardStore } from '../storage/store.ts';
import { hasSecret, isSigned } from './operator-secret.ts';
import { newCode, pendingIn, signedText, type StoredCall, type PendingCalls } from './pending-calls.ts';

/** How long a call waits for the operator and, once approved, to be repeated, in milliseconds. */
export const approvalLifetime = 15 * 60_000;

/** Maximum number of calls that wait for the operator at once: of each caller, and in all. */
export const maximumWaiting = { each: 20, inAll: 1000 } as const;

/** A call that the operator is asked to approve. */
export interface ApprovalRequest {
  /** Keyed hash of principal, tool and exact arguments. */
  readonly call: string;
  readonly principal: string;
  /** Who the caller is, independent of its permission on the platform. */
  readonly identity: string;
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
  /** Too many calls of this caller, or in all, wait already: the operator was not asked. */
  | { readonly kind: 'too_many_of_caller' }
  | { readonly kind: 'too_many_in_all' };

export interface Approvals {
  /** Whether an operator is set up. */
  available(): Promise<boolean>;
  /**
   * Asks the operator, or uses up a decision that was made. A decision counts once among all processes that share the
   * store.
   * @param now milliseconds since 1970.
   */
  ask(request: ApprovalRequest, now: number): Promise<Approval>;
}

export interface ApprovalsConfig {
  readonly store: GuardStore;
  readonly keys: KeyProvider;
  /** Path of the file with the operator's public key. */
  readonly operator: string;
  /** Options, quoted for a shell, that the operator's command needs to find the same store and log. */
  readonly options?: string;
  /** Identifies the log to which calls are recorded: decisions about them are recorded there too. */
  readonly log: () => string;
}

/** Adds a call to those that wait, unless too many do. It never replaces one, because somebody may be about to decide that one. */
function addRequest(calls: PendingCalls, { call, principal, identity, plan, typed }: ApprovalRequest, log: string, now: number): { readonly code: string } | { readonly full: Approval } {
  if (calls.countOf(identity, now) >= maximumWaiting.each) return { full: { kind: 'too_many_of_caller' } };
  if (calls.countUndecided(now) >= maximumWaiting.inAll) return { full: { kind: 'too_many_in_all' } };
  const code = newCode();
  calls.add({ code, call, principal, identity, plan, typed, log, askedAt: now, expiresAt: now + approvalLifetime });
  return { code };
}

/** Approvals in a store that all processes of a data directory and the operator's command share. */
export function createApprovals({ store, keys, operator, options, log }: ApprovalsConfig): Approvals {
  const waiting = (code: string): Approval => ({ kind: 'pending', code, command: ['infra-mcp approve', code, ...(options === undefined ? [] : [options])].join(' ') });

  const settle = async (calls: PendingCalls, { pending, seal, decision }: StoredCall, request: ApprovalRequest): Promise<Approval | undefined> => {
    const isSame = pending.plan.digest === request.plan.digest;
    if (!decision) {
      if (isSame) return waiting(pending.code);
      calls.take(pending.code);
      return undefined;
    }
    const isOperators = await isSigned(operator, signedText(seal, decision.verdict), decision.signature);
    // From here on, the decision is used up, whatever it is.
    if (!calls.take(pending.code)) return { kind: 'used' };
    if (!isOperators) return { kind: 'invalid' };
    if (decision.verdict === 'refused') return { kind: 'refused' };
    if (!isSame) return { kind: 'changed' };
    return decision.verdict === 'approved_on_page' ? { kind: 'approved', onPage: true } : { kind: 'approved' };
  };

  return {
    available: () => hasSecret(operator),
    ask: async (request, clock) => {
      const database = await store.open();
      const now = inOneTransaction(database, () => storedTime(database, clock));
      const calls = pendingIn(database, keys('approval'));
      calls.dropExpired(now);
      const stored = calls.forCall(request.call, now);
      const settled = stored && (await settle(calls, stored, request));
      if (settled) return settled;
      const added = inOneTransaction(database, () => addRequest(calls, request, log(), now));
      return 'code' in added ? waiting(added.code) : added.full;
    },
  };
}
