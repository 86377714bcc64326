import * as z from 'zod';
import { emailReceiver, isFiring, operations } from '../../src/contract/index.ts';
import {
  defineTool,
  notKnown,
  omit,
  organizationOf,
  partialUpdate,
  pruneRecord,
  reading,
  readUses,
  record,
  rowsIn,
  show,
  table,
  textOf,
  type JsonRecord,
  type PlanLine,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { joined, movedSecretLines, sameName } from '../shared/plan-parts.ts';

const toolset = 'administration';
const first = ['name', 'type', 'problem', 'to', 'webhook_url_set', 'auth_password_set', 'send_resolved', 'id'];

export const listAlertReceivers = defineTool(operations.list_alert_receivers, {
  toolset,
  title: 'Who gets alerts: chats, e-mail',
  description:
    'List alert receivers, who gets alerts, alarms (chats, e-mail addresses), why one gets nothing. Never secrets.',
  render: table('alert receiver', [
    'name',
    'type',
    'problem',
    'to',
    'from',
    'smarthost',
    'auth_username',
    'require_tls',
    'webhook_url_set',
    'auth_password_set',
    'send_resolved',
    'severity',
    'owner',
    'description',
    'id',
  ]),
});

const { type, description, send_resolved, require_tls } = operations.create_alert_receiver.body.shape;

/** Types whose receivers show no text to people: mail, and the data alone. */
const noChats = [emailReceiver, 'STANDARD'];

/** The word for chats among the receivers that the platform has; the usual one if there are none. */
async function chatWord(organization: unknown, { attempt }: Pick<ToolContext, 'attempt'>): Promise<string> {
  const rows = rowsIn(await attempt(operations.list_alert_receivers, { organization_id: String(organization) }));
  return rows.flatMap((row) => textOf(row, 'type') ?? []).find((word) => !noChats.includes(word)) ?? 'SLACK';
}

export const createAlertReceiver = defineTool(operations.create_alert_receiver, {
  toolset,
  title: 'Send alerts to a chat channel or an e-mail address',
  description:
    'Create an alert receiver: send alerts (alarms) to a team chat by webhook_url, or an e-mail address by to, ' +
    'from, smarthost (host:port), auth_password.',
  input: {
    type: type.optional(),
    description: description.optional(),
    send_resolved: send_resolved.optional(),
    require_tls: require_tls.default(true),
  },
  fields: { webhook_url: 'Secret address of a chat.', to: 'E-mail address.' },
  hidden: [
    'type',
    'description',
    'send_resolved',
    'owner',
    'severity',
    'from',
    'smarthost',
    'auth_username',
    'auth_password',
    'require_tls',
  ],
  rules: (args) =>
    (args['webhook_url'] === undefined) === (args['to'] === undefined)
      ? ['give "webhook_url" for a chat, or "to", "from", "smarthost" and "auth_password" for e-mail']
      : [],
  reads: readUses('the word for chats is the usual one', operations.list_alert_receivers),
  expand: async (args, context) => {
    const isEmail = args['to'] !== undefined;
    return [
      {
        operation: operations.create_alert_receiver,
        input: {
          description: '',
          send_resolved: true,
          type: isEmail ? emailReceiver : await chatWord(args['organization_id'], context),
          ...(isEmail ? { require_tls: true, ...args } : omit(args, ['require_tls'])),
        },
      },
    ];
  },
  preview: sameName(operations.list_alert_receivers, 'a receiver'),
  plan: () => ['Nothing is sent to it until an alert rule has it.', 'A tool of this toolset deletes it again.'],
  render: record({ first }),
});

const update = partialUpdate(operations.update_alert_receiver, {
  // Sent as null, a secret stays as it is stored.
  asRequest: (found) => ({ ...found, webhook_url: null, auth_password: null }),
});

const secrets = ['webhook_url', 'auth_password'];

const presentReads = readUses('the plan does not show the receiver as it is now', operations.get_alert_receiver);

const presentReceiver = (
  { alert_receiver_id: id }: JsonRecord,
  { attempt }: Pick<ToolContext, 'attempt'>,
): Promise<JsonRecord | undefined> => attempt(operations.get_alert_receiver, { alert_receiver_id: String(id) });

/** What becomes of stored secrets. */
const keptSecrets: Preview = reading(presentReads, async (args, { reader }) => {
  const present = await presentReceiver(args, reader);
  const isEmail = present?.['type'] === emailReceiver;
  const isKept = (args[isEmail ? 'auth_password' : 'webhook_url'] ?? undefined) === undefined;
  return movedSecretLines('smarthost', args, present, isEmail && isKept && present?.['auth_password_set'] !== false);
});

export const updateAlertReceiver = defineTool(operations.update_alert_receiver, {
  toolset,
  title: 'Change where alerts go',
  description:
    'Change an alert receiver (chat, mail address): also to, from, smarthost, auth_password, send_resolved, description.',
  ...update,
  input: { ...update.input, type: undefined },
  expand: (args, context) =>
    update.expand(
      omit(
        args,
        secrets.filter((name) => args[name] === null),
      ),
      context,
    ),
  preview: joined(update.preview, keptSecrets),
  plan: ({ webhook_url: url }) => (url ? ['Alerts of the rules that have it go to the new address from then on.'] : []),
  fields: { webhook_url: 'Secret address of a chat.' },
  hidden: [
    'description',
    'send_resolved',
    'owner',
    'severity',
    'to',
    'from',
    'smarthost',
    'auth_username',
    'auth_password',
    'require_tls',
  ],
});

export const testAlertReceiver = defineTool(operations.test_alert_receiver, {
  toolset,
  title: 'Try out whether alerts arrive',
  description: 'Send a test message to an alert receiver (chat, e-mail); whether it was accepted.',
  // People read the text: it is not the model's. Some platforms want one.
  input: { message: undefined },
  expand: async (args) => [
    {
      operation: operations.test_alert_receiver,
      input: { ...args, message: 'This is a test of this alert receiver. Nothing is wrong.' },
    },
  ],
  output: z.object({ receiver: z.string(), delivered: z.boolean(), reason: z.string(), outcome: z.string() }).partial(),
  answer: (_, { resolved }, [answer = {}]) =>
    Promise.resolve(
      pruneRecord({
        receiver: resolved['alert_receiver_id']?.name,
        ...answer,
        outcome:
          answer['delivered'] === undefined ? 'The platform reports no error, and not whether it arrived.' : undefined,
      }),
    ),
  render: record({ first: ['receiver', 'delivered', 'reason', 'outcome'] }),
});

/** An alert rule that loses a receiver. Agreement doesn't cover its state. */
function losingLine(rule: JsonRecord): PlanLine {
  const others = (rule['alert_receiver_ids'] as readonly unknown[]).length - 1;
  const name = show(rule['name']);
  if (others > 0) return `The alert rule ${name} has it, and ${others} other${others === 1 ? '' : 's'}.`;
  const agreed = `The alert rule ${name} has no other receiver`;
  return {
    text: isFiring(rule['state'])
      ? `${agreed}, and fires now (${show(rule['state'])}): nobody is told of it any more, nor when it ends.`
      : `${agreed}: nobody is told when it fires.`,
    agreed,
  };
}

/** The alert rules that lose a receiver. */
const losingRules: Preview = reading(
  readUses(
    'the plan does not show which alert rules have it',
    operations.get_organization,
    operations.list_alert_rules,
  ),
  async ({ alert_receiver_id: id }, { reader }) => {
    const organization = await organizationOf(reader);
    const list = organization && (await reader.attempt(operations.list_alert_rules, { organization_id: organization }));
    if (!list) return [notKnown('which alert rules have it, and so of what nobody is told any more')];
    const rules = rowsIn(list).filter(
      ({ alert_receiver_ids: ids }) => Array.isArray(ids) && (ids as readonly unknown[]).includes(id),
    );
    return rules.length === 0 ? ['No alert rule that is shown here has it.'] : rules.map(losingLine);
  },
);

const goesAway: Preview = reading(presentReads, async (args, { reader }) => {
  const present = await presentReceiver(args, reader);
  return [
    present ? `The receiver ${show(present['name'])} (${show(present['type'])}).` : notKnown('which receiver it is'),
    'Its address and password can not be read: whoever sets it up again has to have them.',
  ];
});

export const deleteAlertReceiver = defineTool(operations.delete_alert_receiver, {
  toolset,
  title: 'Remove a receiver of alerts',
  description: 'Delete an alert receiver for good; dry_run: true tells which rules have it.',
  preview: joined(goesAway, losingRules),
  render: record(),
});
