import * as z from 'zod';
import { HttpUrl, identity, Name, reference, resourceOf, secret } from '../primitives.ts';

/** The type of a receiver that gets e-mail. Every other type is a chat, and has an address to post to. */
export const emailReceiver = 'EMAIL';

/** A word for a type of receiver. Platforms have different words for their chats. */
const ReceiverType = z.string().regex(/^[A-Z][A-Z\d_]*$/, 'must be a type in capitals, such as EMAIL');

/** The members of requests that aren't secret. */
const shape = {
  name: Name,
  description: z.string(),
  type: ReceiverType,
  send_resolved: z.boolean().describe('Whether it is also told when an alert ends.'),
  owner: z.string().nullish().describe('Whose it is.'),
  severity: z.string().nullish().describe('Shown beside it.'),
  to: z.string().min(1).optional().describe('Address of an EMAIL receiver.'),
  from: z.string().min(1).optional().describe('Sender of its mail.'),
  smarthost: z
    .string()
    .regex(/^[^\s:/@]+:\d{1,5}$/, 'must be host:port')
    .optional()
    .describe('host:port of the mail server.'),
  auth_username: z.string().nullish().describe('User at the mail server.'),
  require_tls: z.boolean().optional().describe('Whether mail is only sent over TLS.'),
};

const chatAddress = () => secret(HttpUrl).describe('Address to post to.');
const mailPassword = () => secret(z.string().min(1)).describe('Password at the mail server.');

/** The members that a request about e-mail has to give, in addition to those of every receiver. */
const mailMembers = ['to', 'from', 'smarthost', 'require_tls'] as const;

const missingIn = (request: Readonly<Record<string, unknown>>, members: readonly string[]): readonly string[] =>
  members.filter((name) => request[name] === undefined || request[name] === null);

/** Issues with members that the type of a receiver needs. */
const needs =
  (secretMember: (isEmail: boolean) => readonly string[]) =>
  (request: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    const isEmail = request['type'] === emailReceiver;
    for (const name of missingIn(request, [...(isEmail ? mailMembers : []), ...secretMember(isEmail)]))
      context.addIssue({
        code: 'custom',
        message: `is required for ${isEmail ? 'a receiver of type EMAIL' : 'a receiver that is a chat'}`,
        path: [name],
      });
  };

/** A replacement of a receiver. A secret that is null or left out stays as it is stored. */
export const AlertReceiverRequest = z
  .object({ ...shape, webhook_url: chatAddress().nullish(), auth_password: mailPassword().nullish() })
  .superRefine(needs(() => []));

/** A request for a new receiver. It names its organization itself. */
export const NewAlertReceiverRequest = z
  .object({
    ...shape,
    organization_id: reference('organization'),
    webhook_url: chatAddress().optional(),
    auth_password: mailPassword().optional(),
  })
  .superRefine(needs((isEmail) => [isEmail ? 'auth_password' : 'webhook_url']));

/** The message of a test. */
export const ReceiverTestRequest = z.object({
  message: z.string().min(1).max(1000).optional().describe('Text of the test message.'),
});

/** A receiver that isn't created yet, and the message of its test. */
export const NewReceiverTestRequest = ReceiverTestRequest.extend({ alert_receiver: NewAlertReceiverRequest });

/** The outcome of a test message. Some platforms answer without it. */
export const ReceiverTest = z.object({
  delivered: z.boolean().optional().describe('Whether the receiver accepted the message.'),
  reason: z.string().optional().describe('Why it was not delivered.'),
});

/** A receiver of alerts, without its secrets. Not in the API document. */
export const AlertReceiver = resourceOf(
  'alert_receiver',
  z.object({
    ...identity,
    name: z.string(),
    description: z.string().optional(),
    type: z.string(),
    send_resolved: z.boolean().optional(),
    owner: z.string().optional(),
    severity: z.string().optional(),
    to: z.string().optional(),
    from: z.string().optional(),
    smarthost: z.string().optional(),
    auth_username: z.string().optional(),
    require_tls: z.boolean().optional(),
    webhook_url_set: z.boolean().optional().describe('Whether an address is stored. It is never shown.'),
    auth_password_set: z.boolean().optional().describe('Whether a password is stored. It is never shown.'),
    problem: z.string().optional().describe('Why nobody is told through it.'),
  }),
);
