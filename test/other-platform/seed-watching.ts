import type { Platform } from './platform.ts';
import type { Seeded } from './seed-organization.ts';

/** What watches and tells: webhooks, alert rules with their receivers, and the record of who did what. */
export function seedWatching(platform: Platform, seeded: Seeded): void {
  const { store, on, words } = platform;
  const dates = { created_at: '2025-05-01T09:00:00.000Z', updated_at: '2025-05-01T09:00:00.000Z' };
  const organization = { organization_id: seeded.organization };
  const hook = {
    id: platform.newId(),
    ...dates,
    ...organization,
    kind: 'STANDARD',
    target_url: 'https://hooks.example.com/deployments',
    events: [...words.events],
    enabled: true,
    description: 'to the chat',
    target_secret: 'hook-secret',
    project_names_filter: ['sh*'],
    environment_types_filter: ['PRODUCTION'],
  };
  store.webhooks.push(hook);
  store.webhookEvents.push({
    id: platform.newId(),
    webhook_id: hook.id,
    created_at: dates.created_at,
    kind: 'STANDARD',
    matched_event: words.events[0],
    target_url_used: hook.target_url,
    request: {
      event_type: words.events[0],
      payload: {},
      ...(on('freeWebhookRecords')
        ? { sent_by: { host: 'deliveries-0', attempt: 1 }, authorization: 'Bearer inner-token' }
        : {}),
    },
    target_response_status_code: 200,
    target_response_body: on('freeWebhookRecords') ? null : 'ok',
  });
  const receiver = {
    id: platform.newId(),
    ...dates,
    ...organization,
    name: 'on call',
    description: 'whoever is on call',
    type: 'EMAIL',
    send_resolved: true,
    owner: null,
    severity: null,
    to: 'oncall@example.com',
    from: 'alerts@example.com',
    smarthost: 'smtp.example.com:587',
    auth_username: null,
    require_tls: true,
    auth_password: 'mail-password',
  };
  store.receivers.push(receiver);
  const production = store.services.find(
    ({ environment_id: environment, kind }) => environment === seeded.environments.production && kind === 'application',
  );
  const rule = (name: string, target: { target_type: string; target_id: string | undefined }, state: string) => ({
    id: platform.newId(),
    ...dates,
    ...organization,
    source: 'MANAGED',
    name,
    description: '',
    tag: 'memory',
    state,
    target,
    cluster_id: seeded.clusters.main,
    severity: 'HIGH',
    enabled: true,
    condition: {
      kind: 'CUSTOM',
      promql: 'sum(rate(errors_total[5m])) > 5',
      operator: 'NONE',
      threshold: 5,
      function: 'NONE',
    },
    for_duration: 'PT5M',
    alert_receiver_ids: [receiver.id],
    presentation: { summary: name, runbook_url: null },
    is_up_to_date: true,
    starts_at: state === 'TRIGGERED' ? dates.created_at : null,
  });
  store.alertRules.push(
    rule('nodes are full', { target_type: words.clusterTarget, target_id: seeded.clusters.main }, 'OK'),
    rule('errors at the storefront', { target_type: 'APPLICATION', target_id: production?.id }, 'TRIGGERED'),
    {
      ...rule('left behind', { target_type: words.clusterTarget, target_id: seeded.clusters.main }, 'NOTIFIED'),
      source: 'GHOST',
      starts_at: '2026-01-11T02:00:00.000Z',
    },
  );
  for (const [index, word] of ['CREATE', 'UPDATE', 'DEPLOY_QUEUED', 'DEPLOYED'].entries()) {
    store.auditEvents.unshift({
      id: platform.newId(),
      ...organization,
      timestamp: platform.date(platform.now() - (4 - index) * 3_600_000),
      event_type: word,
      target_type: 'APPLICATION',
      target_id: production?.id,
      target_name: 'storefront',
      sub_target_type: index === 1 ? 'CONFIG' : null,
      change: '{"cpu":500}',
      original_change: null,
      origin: on('words') && index === 3 ? 'SKILL' : 'CONSOLE',
      triggered_by: 'ada@example.com',
      user_agent: null,
      project_id: seeded.projects.shop,
      project_name: 'shop',
      environment_id: seeded.environments.production,
      environment_name: 'production',
    });
  }
}
