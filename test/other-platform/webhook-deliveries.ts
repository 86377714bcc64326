import type { Platform } from './platform.ts';
import type { Members } from './schema.ts';
import type { Deployment, Phase } from './store.ts';

const isLoopback = (url: string) => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);

const fits = (pattern: string, name: string) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 'i').test(name);

function wanted(hook: Members, event: string, environment: Members, project: Members): boolean {
  const names = (hook.project_names_filter ?? []) as string[];
  const modes = (hook.environment_types_filter ?? []) as string[];
  if (hook.enabled === false || !(hook.events as string[]).includes(event)) return false;
  if (names.length > 0 && !names.some((pattern) => fits(pattern, String(project.name)))) return false;
  return modes.length === 0 || modes.includes(String(environment.mode));
}

/** Posts one event to a receiver on this machine; to others it is only recorded as sent. */
async function post(
  url: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<{ status: number; text: string | null }> {
  if (!isLoopback(url)) return { status: 200, text: 'ok' };
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(2000),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 503, text: null };
  }
}

/** Tells the webhooks that a deployment was started or has ended, and keeps a record of each delivery. */
export function announce(platform: Platform, deployment: Deployment, phase: Phase): void {
  const { events } = platform.words;
  const event = {
    queued: events[0],
    succeeded: events[1],
    failed: events[2],
    canceled: events[3],
    running: undefined,
    canceling: undefined,
  }[phase];
  const environment = platform.store.environments.find(({ id }) => id === deployment.environment_id);
  const project = platform.store.projects.find(({ id }) => id === environment?.project_id);
  if (event === undefined || environment === undefined || project === undefined) return;
  const application = deployment.services.find(({ service }) => service.kind === 'application');
  const payload = {
    environment_id: environment.id,
    ...(application === undefined ? {} : { application_id: application.service.id }),
  };
  for (const hook of platform.store.webhooks.filter(
    (row) => row.organization_id === project.organization_id && wanted(row, event, environment, project),
  )) {
    const body = { event_type: event, payload };
    const secret = hook.target_secret;
    const headers: Record<string, string> =
      platform.on('webhookMembers') && typeof secret === 'string' ? { 'X-Fjord-Signature': secret } : {};
    const record = {
      id: platform.newId(),
      webhook_id: hook.id,
      created_at: platform.date(),
      kind: hook.kind ?? 'STANDARD',
      matched_event: event,
      target_url_used: hook.target_url,
      request: platform.on('freeWebhookRecords')
        ? { ...body, sent_by: { host: 'deliveries-0', attempt: 1 }, headers }
        : body,
      target_response_status_code: 200,
      target_response_body: platform.on('freeWebhookRecords') ? null : 'ok',
    };
    platform.store.webhookEvents.unshift(record);
    void post(String(hook.target_url), body, headers).then(({ status, text }) =>
      Object.assign(record, {
        target_response_status_code: status,
        target_response_body: platform.on('freeWebhookRecords') ? null : (text ?? ''),
      }),
    );
  }
}
