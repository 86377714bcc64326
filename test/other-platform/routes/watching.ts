import { z } from 'zod';
import { NOTHING, one, route, rows, type Platform, type Route } from '../platform.ts';
import { either, Failure, filled, flag, id, list, partial, strict, text, type Members, type Shape } from '../schema.ts';
import { find, remove, type Row } from '../store.ts';
import { collection, withoutOwner } from './collection.ts';

/** Webhooks and alerts: who is told of what. */
export function watchingRoutes(platform: Platform): Route[] {
  return [...webhookRoutes(platform), ...alertRoutes(platform), ...receiverRoutes(platform)];
}

function webhookRoutes(platform: Platform): Route[] {
  const { store, on, words } = platform;
  const kind = either('STANDARD', 'CHAT');
  const body: Shape = {
    kind: on('webhookMembers') ? kind : kind.optional(),
    target_url: z.url(),
    events: list(either(...words.events)),
    enabled: flag.optional(),
    description: text.optional(),
    target_secret: text.optional(),
    project_names_filter: list(text).optional(),
    environment_types_filter: list(either(...words.modes)).optional(),
  };
  const show = (row: Row): Members => {
    const { target_secret: secret, ...others } = withoutOwner(row);
    return on('unreadableSecrets')
      ? { ...others, target_secret_set: typeof secret === 'string' }
      : { ...others, target_secret: secret };
  };
  return [
    ...collection(platform, {
      path: '/organization/{organizationId}/webhook',
      idName: 'webhookId',
      what: 'webhook',
      list: store.webhooks,
      create: body,
      show,
      added: { kind: 'STANDARD', enabled: true },
      // Where the secret can't be read, a replacement without one leaves the webhook without one.
      kept: (row) => (on('unreadableSecrets') ? {} : { target_secret: row.target_secret }),
    }),
    rows('/organization/{organizationId}/webhook/{webhookId}/event', ({ path }) =>
      store.webhookEvents
        .filter((row) => row.webhook_id === find(store.webhooks, path.webhookId, 'webhook').id)
        .map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'webhook_id'))),
    ),
  ];
}

const isGhost = (row: Row) => row.source === 'GHOST';

function alertRoutes(platform: Platform): Route[] {
  const { store, on, words } = platform;
  const condition = strict({
    kind: either('CUSTOM', 'BUILT'),
    promql: filled,
    operator: text.optional(),
    threshold: z.number().optional(),
    function: text.optional(),
  });
  const body: Shape = {
    name: filled,
    description: text,
    tag: text,
    condition,
    for_duration: text.regex(/^P/, 'an ISO 8601 duration'),
    severity: either('LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
    enabled: flag,
    alert_receiver_ids: z.array(id).min(1),
    presentation: strict({ summary: text.nullable().optional(), runbook_url: text.nullable().optional() }),
  };
  const target = strict({
    target_type: either(
      words.clusterTarget,
      'ENVIRONMENT',
      'APPLICATION',
      'CONTAINER',
      'JOB',
      'CRONJOB',
      'HELM',
      'TERRAFORM',
    ),
    target_id: id,
  });
  const known = (path: Record<string, string>) => {
    const row = find(store.alertRules, path.alertRuleId, 'alert rule');
    if (isGhost(row)) throw new Failure(404, 'The rule is left behind in the monitoring system only');
    return row;
  };
  const show = (row: Row): unknown => {
    if (!on('ghostAlertRules') || !isGhost(row)) return row;
    const { source, name, state, target: aim, starts_at: since } = row;
    return { source, name, state, target: aim, starts_at: since };
  };
  const checkReceivers = (ids: unknown) => {
    for (const receiver of ids as string[]) find(store.receivers, receiver, 'alert receiver');
  };
  return [
    rows('/organization/{organizationId}/alert-rules', ({ path }) =>
      store.alertRules.filter((row) => row.organization_id === path.organizationId).map(show),
    ),
    one('/alert-rules/{alertRuleId}', ({ path }) => known(path)),
    route(
      'POST',
      '/alert-rules',
      ({ body: asked }) => {
        find(store.organizations, asked.organization_id, 'organization');
        checkReceivers(asked.alert_receiver_ids);
        const row: Row = {
          id: platform.newId(),
          created_at: platform.date(),
          updated_at: platform.date(),
          source: 'MANAGED',
          state: 'OK',
          is_up_to_date: true,
          starts_at: null,
          ...asked,
        };
        store.alertRules.push(row);
        return row;
      },
      { body: { ...body, organization_id: id, cluster_id: id, target }, code: 201 },
    ),
    route(
      'PUT',
      '/alert-rules/{alertRuleId}',
      ({ path, body: asked }) => {
        checkReceivers(asked.alert_receiver_ids);
        return Object.assign(known(path), asked, { updated_at: platform.date() });
      },
      { body },
    ),
    route('DELETE', '/alert-rules/{alertRuleId}', ({ path }) => {
      remove(store.alertRules, known(path).id, 'alert rule');
      return NOTHING;
    }),
  ];
}

const needs =
  (secret: boolean) =>
  (asked: Members): boolean =>
    asked.type === 'EMAIL'
      ? ['to', 'from', 'smarthost', 'require_tls', ...(secret ? ['auth_password'] : [])].every(
          (name) => asked[name] !== undefined,
        )
      : !secret || asked.webhook_url !== undefined;

const receiverAnswer = (row: Row) =>
  Object.fromEntries(
    Object.entries(withoutOwner(row)).filter(([name]) => name !== 'auth_password' && name !== 'webhook_url'),
  );

function receiverRoutes(platform: Platform): Route[] {
  const { store } = platform;
  const common: Shape = {
    name: filled,
    description: text,
    type: either('EMAIL', 'CHAT'),
    send_resolved: flag,
    owner: text.nullable().optional(),
    severity: text.nullable().optional(),
    to: text.optional(),
    from: text.optional(),
    smarthost: text.optional(),
    auth_username: text.nullable().optional(),
    require_tls: flag.optional(),
  };
  const created: Shape = { ...common, webhook_url: text.optional(), auth_password: text.optional() };
  const known = (path: Record<string, string>) => find(store.receivers, path.alertReceiverId, 'alert receiver');
  return [
    rows('/organization/{organizationId}/alert-receivers', ({ path }) =>
      store.receivers.filter((row) => row.organization_id === path.organizationId).map(receiverAnswer),
    ),
    route(
      'POST',
      '/alert-receivers',
      ({ body }) => {
        const row: Row = { id: platform.newId(), created_at: platform.date(), updated_at: platform.date(), ...body };
        store.receivers.push(row);
        return receiverAnswer(row);
      },
      {
        body: strict({ ...created, organization_id: id }).refine(needs(true), 'members of its type are missing'),
        code: 201,
      },
    ),
    one('/alert-receivers/{alertReceiverId}', ({ path }) => receiverAnswer(known(path))),
    route(
      'PUT',
      '/alert-receivers/{alertReceiverId}',
      ({ path, body }) => {
        const row = known(path);
        const kept = Object.fromEntries(
          ['auth_password', 'webhook_url'].map((name) => [name, body[name] ?? row[name]]),
        );
        return receiverAnswer(Object.assign(row, body, kept, { updated_at: platform.date() }));
      },
      {
        body: strict({
          ...common,
          webhook_url: text.nullable().optional(),
          auth_password: text.nullable().optional(),
        }).refine(needs(false), 'members of its type are missing'),
      },
    ),
    route('DELETE', '/alert-receivers/{alertReceiverId}', ({ path }) => {
      remove(store.receivers, known(path).id, 'alert receiver');
      return NOTHING;
    }),
    route(
      'POST',
      '/alert-receivers/{alertReceiverId}/validate',
      ({ path }) => {
        known(path);
        return NOTHING;
      },
      { body: { message: text.optional() } },
    ),
    route('POST', '/alert-receivers/validate', () => NOTHING, {
      body: { alert_receiver: strict(partial(created)), message: text.optional() },
    }),
  ];
}
