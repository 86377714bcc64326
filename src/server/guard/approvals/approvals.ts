import type { Plan } from '../plan.ts';
import type { KeyProvider } from '../../context/keys.ts';
import { storedTime } from '../storage/stored-time.ts';
import { inOneTransaction, type GuardStore } from '../storage/store.ts';
import { hasSecret, isSigned } from './operator-secret.ts';
import { newCode, pendingIn, signedText, type StoredCall, type PendingCalls } from './pending-calls.ts';

/** How long a call waits for the operator and, once approved, to be repeated, in milliseconds. */
export const approvalLifetime = 15 * 60_000;

/** Most calls that wait for the operator at once: of one caller, and of all together. */
export const maximumWaiting = { each: 20, inAll: 1000 } as const;

/** A call for which the operator is to be asked. */
export interface ApprovalRequest {
  /** Stands for principal, tool and exact arguments. */
  readonly call: string;
  readonly principal: string;
  /** Who that is, whatever right on the platform it brought along. */
  readonly identity: string;
  readonly plan: Plan;
  readonly typed?: string;
}

/** What came of asking the operator, who answers in a terminal of their own. */
export type Approval =
  | { readonly kind: 'approved'; readonly onPage?: boolean }
  /** `command` is what the operator types. */
  | { readonly kind: 'pending'; readonly code: string; readonly command: string }
  | { readonly kind: 'refused' }
  /** What the call acts on is no longer what was approved. */
  | { readonly kind: 'changed' }
  /** The approval was not given by the operator. */
  | { readonly kind: 'invalid' }
  /** Another call used it at the same moment. */
  | { readonly kind: 'used' }
  /** As many calls of this caller, or of all together, wait as may: it was not asked for. */
  | { readonly kind: 'too_many_of_caller' }
  | { readonly kind: 'too_many_in_all' };

export interface Approvals {
  /** Whether there is an operator to ask. */
  available(): Promise<boolean>;
  /**
   * Asks, or uses the approval that was given: it counts once, whoever else shares the store.
   * @param now milliseconds since 1970.
   */
  ask(request: ApprovalRequest, now: number): Promise<Approval>;
}

export interface ApprovalsConfig {
  readonly store: GuardStore;
  readonly keys: KeyProvider;
  /** File of the operator's public key. */
  readonly operator: string;
  /** What the operator's command has to be told, so that it finds the same store and log: further words, ready for a shell. */
  readonly options?: string;
  /** Stands for where calls are recorded: what is decided about them is recorded there too. */
  readonly log: () => string;
}

/** Puts a call among those that wait, unless too many do. None of them has to leave for it: somebody may be about to decide it. */
function askAgain(calls: PendingCalls, { call, principal, identity, plan, typed }: ApprovalRequest, log: string, now: number): { readonly code: string } | { readonly full: Approval } {
  if (calls.countOf(identity, now) >= maximumWaiting.each) return { full: { kind: 'too_many_of_caller' } };
  if (calls.countUndecided(now) >= maximumWaiting.inAll) return { full: { kind: 'too_many_in_all' } };
  const code = newCode();
  calls.add({ code, call, principal, identity, plan, typed, log, askedAt: now, expiresAt: now + approvalLifetime });
  return { code };
}

/** Approvals kept where all processes of a data directory, and the operator's command, find them. */
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
    // From here on the decision is used up, whatever it says.
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
      const kept = calls.forCall(request.call, now);
      const settled = kept && (await settle(calls, kept, request));
      if (settled) return settled;
      const asked = inOneTransaction(database, () => askAgain(calls, request, log(), now));
      return 'code' in asked ? waiting(asked.code) : asked.full;
    },
  };
}
