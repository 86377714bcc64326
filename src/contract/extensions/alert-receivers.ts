import { operation } from '../operation.ts';
import {
  AlertReceiver,
  AlertReceiverRequest,
  NewAlertReceiverRequest,
  NewReceiverTestRequest,
  ReceiverTest,
  ReceiverTestRequest,
} from '../resources/alert-receiver.ts';
import { read, undocumented } from './common.ts';

const receiver = '/alert-receivers/{alertReceiverId}';

/** Who is told of alerts, and where they are sent, needs an administrator. */
const change = { ...undocumented, permission: 'admin', target: 'alert_receiver' } as const;

/** Operations outside the API document: where alerts are sent. */
export const alertReceiverExtensions = {
  get_alert_receiver: operation({
    ...read,
    name: 'get_alert_receiver',
    path: receiver,
    response: AlertReceiver,
    summary: 'Read a receiver of alerts, without its secrets.',
  }),
  create_alert_receiver: operation({
    ...change,
    name: 'create_alert_receiver',
    method: 'POST',
    path: '/alert-receivers',
    body: NewAlertReceiverRequest,
    response: AlertReceiver,
    effect: 'sensitive',
    target: 'organization',
    creates: { kind: 'alert_receiver', in: 'organization' },
    roles: { organization_id: { pointsAt: 'organization' } },
    summary: 'Create a receiver of alerts: a chat or an e-mail address.',
  }),
  update_alert_receiver: operation({
    ...change,
    name: 'update_alert_receiver',
    method: 'PUT',
    path: receiver,
    body: AlertReceiverRequest,
    response: AlertReceiver,
    keepsSecrets: true,
    effect: 'sensitive',
    summary: 'Replace a receiver of alerts. Secrets that are not given stay.',
  }),
  test_alert_receiver: operation({
    ...change,
    name: 'test_alert_receiver',
    method: 'POST',
    path: `${receiver}/validate`,
    body: ReceiverTestRequest,
    response: ReceiverTest,
    effect: 'write',
    summary: 'Send a test message to a receiver of alerts.',
  }),
  test_new_alert_receiver: operation({
    ...change,
    name: 'test_new_alert_receiver',
    method: 'POST',
    path: '/alert-receivers/validate',
    body: NewReceiverTestRequest,
    response: ReceiverTest,
    effect: 'write',
    target: 'organization',
    roles: { 'alert_receiver.organization_id': { pointsAt: 'organization' } },
    summary: 'Send a test message to a receiver of alerts that is not created.',
  }),
  delete_alert_receiver: operation({
    ...change,
    name: 'delete_alert_receiver',
    method: 'DELETE',
    path: receiver,
    effect: 'sensitive',
    summary: 'Delete a receiver of alerts. Rules that have it lose it.',
  }),
} as const;
