import * as z from 'zod';
import { parseJson } from '../../../../contract/index.ts';
import { isEqual, isTimely } from '../../../context/index.ts';
import { longestReason } from '../reason.ts';
import { clean } from '../../../redaction/index.ts';
import { planText } from '../../plan-text.ts';
import type { Pending } from '../pending-calls.ts';
import { createSignedSender, signatureOf, type SignedSenderConfig } from '../signed-sender.ts';
import { noticeData } from '../waiting-webhook.ts';
import { createEndings, tellingTime } from './endings.ts';
import {
  type ChatChannel,
  type ChatRequest,
  plainAnswer,
  readAs,
  type ReadRequest,
  type UnreadRequest,
  unproven,
  untimely,
} from './channel.ts';

const decisionSchema = () =>
  z.object({
    type: z.literal('approval.decision'),
    data: z.strictObject({
      code: z.string().max(20),
      plan: z.string().max(200),
      user: z.string().min(1).max(200),
      verdict: z.enum(['approve', 'refuse']),
      typed: z.string().max(1000).optional(),
      reason: z.string().trim().min(1).max(longestReason).optional(),
      channel: z.string().max(200).optional(),
      message: z.string().max(200).optional(),
    }),
  });

/** Ids of requests: visible characters, of which every database takes each. */
const idForm = /^[\x21-\x7e]{1,200}$/;

/** Reads a decision that is signed as Standard Webhooks describe. */
function readSigned({ headers, body, now }: ChatRequest, key: Uint8Array): ReadRequest | UnreadRequest {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers.get(name) ?? '',
  ) as [string, string, string];
  const expected = signatureOf(id, timestamp, body, key);
  // Several signatures stand there while a secret is replaced.
  if (!idForm.test(id) || !signatures.split(' ').some((one) => isEqual(expected, one)))
    return unproven(
      'The id or signature is missing, or the signature is not one of this request with the secret of the channel.',
    );
  if (!isTimely(timestamp, now)) return untimely;
  const read = readAs(parseJson(body), decisionSchema());
  return 'unread' in read ? read : { id, decision: read.data, answer: plainAnswer };
}

const requestOf = (pending: Pending, page: string | undefined): object => {
  const { plan, clientName, typed, deciders, askedAt } = pending;
  return {
    type: 'approval.requested',
    timestamp: new Date(askedAt).toISOString(),
    data: {
      ...noticeData(pending, page),
      ...(clientName !== undefined && { client: clean(clientName) }),
      asked_at: new Date(askedAt).toISOString(),
      plan: plan.digest,
      text: clean(planText(plan, { whole: true })),
      ...(typed !== undefined && { type_to_approve: clean(typed) }),
      ...(deciders && { operators: deciders.operators, approvals: deciders.needed }),
    },
  };
};

/**
 * The channel of a signed webhook: one that a team connects with whatever it talks in.
 * @param page address of the approvals page, if this process serves it.
 */
export function signedWebhook({
  page,
  ...config
}: Omit<SignedSenderConfig, 'name'> & { readonly page: () => string | undefined }): ChatChannel {
  const sender = createSignedSender({ ...config, name: 'approvals chat' });
  const endings = createEndings(({ code, askedAt, expiresAt }) =>
    sender.send({
      id: `expired_${code}_${askedAt}`,
      code,
      body: () => ({ type: 'approval.expired', timestamp: new Date(expiresAt).toISOString(), data: { code } }),
      expiresAt: expiresAt + tellingTime,
    }),
  );
  return {
    post: (pending) => {
      sender.send({
        id: `requested_${pending.code}_${pending.askedAt}`,
        code: pending.code,
        body: () => requestOf(pending, page()),
        expiresAt: pending.expiresAt,
      });
      endings.expect(pending);
    },
    edit: ({ code, expiresAt }, { result, by, how, reason }) => {
      if (result !== 'counted') endings.settle(code);
      sender.send({
        id: `decided_${code}_${by}`,
        code,
        body: () => ({
          type: 'approval.decided',
          timestamp: new Date().toISOString(),
          data: { code, result, by, how, ...(reason !== undefined && { reason }) },
        }),
        expiresAt,
      });
    },
    read: (request) => readSigned(request, config.key),
    close: () => {
      endings.close();
      return sender.close();
    },
  };
}
