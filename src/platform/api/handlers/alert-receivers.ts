import type { Selectable } from 'kysely';
import type * as z from 'zod';
import { emailReceiver, type AlertReceiverRequest, type NewAlertReceiverRequest } from '../../../contract/index.ts';
import { invalid, isoNow } from '../../common/index.ts';
import type { ReceiverTestResult } from '../../engine/index.ts';
import type { AlertReceiverTable, Vault } from '../../store/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { findById } from './find.ts';
import { pageOf } from './page.ts';
import { ownedBy, withoutNulls } from './rows.ts';

type Row = Selectable<AlertReceiverTable>;
type Request = Omit<z.output<typeof NewAlertReceiverRequest>, 'organization_id' | 'webhook_url' | 'auth_password'> &
  Pick<z.output<typeof AlertReceiverRequest>, 'webhook_url' | 'auth_password'>;

/** The types of chats: messages in the form of Slack, or the data alone. */
const chats: readonly string[] = ['SLACK', 'STANDARD'];

const mailOf = ({ to, from, smarthost, auth_username, require_tls }: Request): string =>
  JSON.stringify({ to, from, smarthost, auth_username: auth_username ?? null, require_tls });

/** A receiver in responses: whether it has an address and a password, but not their values. */
const receiverAnswer = (row: Row, { engine }: Pick<RequestContext, 'engine'>) => {
  const { hasAddress, problem } = engine.receiverState(row);
  const { mail, sealed_webhook_url: _, sealed_auth_password: password, ...shown } = row;
  return {
    ...withoutNulls(shown),
    send_resolved: row.send_resolved === 1,
    ...(mail !== null && withoutNulls(JSON.parse(mail) as object)),
    ...(row.type === emailReceiver ? { auth_password_set: password !== null } : { webhook_url_set: hasAddress }),
    problem,
  };
};

/**
 * The columns that a request sets. A secret that isn't given stays as it is stored, unless the type changes.
 * @throws ApiProblem 400 for an unknown type, or a secret that another type needs
 */
function columnsOf(request: Request, vault: Vault, stored?: Row) {
  const { type, webhook_url: url, auth_password: password } = request;
  const isEmail = type === emailReceiver;
  if (!isEmail && !chats.includes(type))
    throw invalid('type', `must be one of ${[emailReceiver, ...chats].join(', ')}`);
  if (stored && (stored.type === emailReceiver) !== isEmail && (isEmail ? password : url) == null)
    throw invalid(isEmail ? 'auth_password' : 'webhook_url', `is required for a receiver that becomes ${type}`);
  const sealed = (given: string | null | undefined, kept: string | null = null): string | null =>
    given == null ? kept : vault.seal(given);
  return {
    name: request.name,
    description: request.description,
    type,
    send_resolved: request.send_resolved ? (1 as const) : (0 as const),
    owner: request.owner ?? null,
    severity: request.severity ?? null,
    mail: isEmail ? mailOf(request) : null,
    sealed_webhook_url: isEmail ? null : sealed(url, stored?.sealed_webhook_url),
    sealed_auth_password: isEmail ? sealed(password, stored?.sealed_auth_password) : null,
  };
}

export const alertReceiverHandlers = {
  list_alert_receivers: async (input, context) =>
    pageOf(await ownedBy(context, 'alert_receiver', input.organization_id), input, (rows) =>
      rows.map((row) => receiverAnswer(row, context)),
    ),
  get_alert_receiver: async ({ alert_receiver_id }, context) =>
    receiverAnswer(await findById(context.db, 'alert_receiver', alert_receiver_id), context),
  create_alert_receiver: async ({ organization_id, ...request }, context) => {
    const { db, clock, random, vault } = context;
    const organization = await findById(db, 'organization', organization_id);
    const now = isoNow(clock);
    const row = await db
      .insertInto('alert_receiver')
      .values({
        id: random.uuid(),
        created_at: now,
        updated_at: now,
        organization_id: organization.id,
        ...columnsOf(request, vault),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return receiverAnswer(row, context);
  },
  update_alert_receiver: async ({ alert_receiver_id, ...request }, context) => {
    const { db, clock, vault, engine } = context;
    const stored = await findById(db, 'alert_receiver', alert_receiver_id);
    engine.requireOwnReceiver(stored);
    const row = await db
      .updateTable('alert_receiver')
      .set({ ...columnsOf(request, vault, stored), updated_at: isoNow(clock) })
      .where('id', '=', stored.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return receiverAnswer(row, context);
  },
  test_alert_receiver: {
    prepare: async ({ alert_receiver_id, message }, { db, engine }) =>
      engine.sendReceiverTest(await findById(db, 'alert_receiver', alert_receiver_id), message),
    handle: (_, __, result: ReceiverTestResult) => Promise.resolve(result),
  },
  test_new_alert_receiver: {
    prepare: async ({ alert_receiver: { organization_id, ...request }, message }, { db, vault, clock, engine }) => {
      const organization = await findById(db, 'organization', organization_id);
      const now = isoNow(clock);
      // It isn't stored. Its id is that of no receiver which the operator configures.
      const row = { id: '', created_at: now, updated_at: now, organization_id: organization.id };
      return engine.sendReceiverTest({ ...row, ...columnsOf(request, vault) }, message);
    },
    handle: (_, __, result: ReceiverTestResult) => Promise.resolve(result),
  },
  delete_alert_receiver: async ({ alert_receiver_id }, { db, engine }) => {
    const stored = await findById(db, 'alert_receiver', alert_receiver_id);
    engine.requireOwnReceiver(stored);
    await engine.deleteAlertReceiver(db, stored);
  },
} satisfies Partial<
  OperationHandlers<
    `${'get' | 'create' | 'update' | 'test' | 'test_new' | 'delete'}_alert_receiver` | 'list_alert_receivers'
  >
>;
