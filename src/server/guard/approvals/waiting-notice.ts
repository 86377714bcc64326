import { shortened } from '../../../contract/index.ts';
import { clean, createRedaction } from '../../redaction/index.ts';
import { mostCriticalMode } from '../risk/risk.ts';
import { waitingCallAddress, waitingTarget, type Pending } from './pending-calls.ts';

/** What operators are told about a call that waits. It has no arguments and no plan: those are shown only after the operator's secret. */
export interface WaitingNotice {
  readonly type: 'approval.waiting';
  /** When the call was made. Times are in ISO 8601. */
  readonly timestamp: string;
  readonly data: {
    readonly code: string;
    readonly caller: string;
    readonly tool: string;
    readonly kind: string;
    readonly target: string;
    readonly risk: string;
    readonly mode: string;
    readonly expires_at: string;
    /** Shows this call alone on the approvals page, after the secret. Absent if this process serves no such page. */
    readonly url?: string;
  };
}

/** Maximum length of a text, in characters. */
const maxLength = 300;

/** A name on one line, without invisible characters. */
const oneLine = (text: string): string => shortened(clean(text).replaceAll(/\s+/g, ' ').trim(), maxLength);

const iso = (at: number): string => new Date(at).toISOString();

/** The notice of a waiting call. Names that look like secrets are masked. @param page address of the approvals page, if it is served. */
export function waitingNotice(pending: Pending, page?: string): WaitingNotice {
  const { code, principal, plan: { tool, tier, target }, askedAt, expiresAt } = pending;
  const { text } = createRedaction();
  // Masked before it is cut: part of a secret may not look like one.
  const name = (value: string): string => oneLine(text(value));
  return {
    type: 'approval.waiting',
    timestamp: iso(askedAt),
    data: {
      code, caller: name(principal), tool, kind: target.kind, target: name(waitingTarget(pending)), risk: tier, mode: mostCriticalMode(target),
      expires_at: iso(expiresAt),
      ...(page !== undefined && { url: waitingCallAddress(page, code) }),
    },
  };
}
