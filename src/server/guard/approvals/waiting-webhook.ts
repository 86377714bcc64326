import { type Pending, waitingCallAddress, waitingTarget } from './pending-calls.ts';
import { shortened } from '../../../contract/index.ts';
import { createSignedSender, type SignedSenderConfig } from './signed-sender.ts';
import { clean, createRedaction } from '../../redaction/index.ts';
import { mostCriticalMode } from '../risk/risk.ts';

/**
 * The notification to operators about a waiting call. It has no arguments and no plan: those are shown only after the
 * operator's secret.
 */
interface WaitingNotice {
  readonly type: 'approval.waiting';
  /** When the call was made. Times are in ISO 8601. */
  readonly timestamp: string;
  readonly data: {
    readonly code: string;
    readonly caller: string;
    /** The conversation in which it was asked for, if a bot named one. */
    readonly conversation?: string;
    readonly tool: string;
    readonly kind: string;
    readonly target: string;
    readonly risk: string;
    readonly mode: string;
    readonly expires_at: string;
    /**
     * The address of this call alone on the approvals page, shown after the secret. Absent if this process serves no
     * such page.
     */
    readonly url?: string;
  };
}

/** Maximum length of a text, in characters. */
const maxLength = 300;

/** A name on one line, without invisible characters and secrets. */
export const noticeName = (name: string): string =>
  // Masked before it is cut: part of a secret may not look like one.
  shortened(clean(createRedaction().text(name)).replaceAll(/\s+/g, ' ').trim(), maxLength);

const iso = (at: number): string => new Date(at).toISOString();

/**
 * The notice of a waiting call. Names that look like secrets are masked.
 * @param page address of the approvals page, if it is served.
 */
export const waitingNotice = (pending: Pending, page?: string): WaitingNotice => ({
  type: 'approval.waiting',
  timestamp: iso(pending.askedAt),
  data: noticeData(pending, page),
});

/** What a notice says of a waiting call. */
export function noticeData(pending: Pending, page?: string): WaitingNotice['data'] {
  const {
    code,
    principal,
    conversation,
    plan: { tool, tier, target },
    expiresAt,
  } = pending;
  return {
    code,
    caller: noticeName(principal),
    ...(conversation !== undefined && { conversation: noticeName(conversation) }),
    tool,
    kind: target.kind,
    target: noticeName(waitingTarget(pending)),
    risk: tier,
    mode: mostCriticalMode(target),
    expires_at: iso(expiresAt),
    ...(page !== undefined && { url: waitingCallAddress(page, code) }),
  };
}

/** Notifies operators of waiting calls over HTTP. */
export interface WaitingWebhook {
  /** Returns at once and never throws: a call doesn't depend on whether the notice arrives. */
  readonly announce: (pending: Pending) => void;
  /** Drops notices that wait for a retry, and gives those being sent a moment. */
  readonly close: () => Promise<void>;
}

export interface WaitingWebhookConfig extends Omit<SignedSenderConfig, 'name'> {
  /** Address of the approvals page, if this process serves it. */
  readonly page?: (() => string | undefined) | undefined;
}

/** Creates the webhook of a process. */
export function createWaitingWebhook({ page, ...config }: WaitingWebhookConfig): WaitingWebhook {
  const sender = createSignedSender({ ...config, name: 'approvals webhook' });
  return {
    announce: (pending) =>
      sender.send({
        id: `approval_${pending.code}_${pending.askedAt}`,
        code: pending.code,
        body: () => waitingNotice(pending, page?.()),
        expiresAt: pending.expiresAt,
      }),
    close: sender.close,
  };
}
