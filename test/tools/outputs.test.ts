import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { tools } from '../../tools/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Args = Record<string, unknown>;

const token = 'token-of-the-tests';

/**
 * A call of each tool on a platform whose time stands still and whose chance is seeded: what it answers never changes.
 */
const calls: Record<string, Args> = {
  get_organization: {},
  list_projects: {},
  create_project: { name: 'returns' },
  create_environment: { project_id: 'shop', name: 'preview', mode: 'STAGING', cluster_id: 'main' },
  create_application: {
    environment_id: 'shop/staging',
    name: 'reviews',
    git_repository: { url: 'https://git.acme.example/shop/reviews.git', branch: 'main' },
  },
  create_database: {
    environment_id: 'shop/staging',
    name: 'reviews-db',
    type: 'POSTGRESQL',
    version: '16',
    mode: 'CONTAINER',
  },
  deploy_database: { database_id: 'shop/staging/orders-db' },
  deploy_application: { application_id: 'shop/staging/checkout-api' },
  get_application_status: { application_id: 'shop/production/checkout-api' },
  create_environment_variable: { application_id: 'shop/staging/checkout-api', key: 'CACHE_TTL', value: '60' },
  list_environment_variables: { application_id: 'shop/production/checkout-api' },
  create_secret: { application_id: 'shop/staging/checkout-api', key: 'MAIL_TOKEN', value: 'correct-horse-9' },
  get_application_logs: { application_id: 'shop/production/checkout-api', tail: 5 },
  update_environment_variable: { environment_id: 'shop/staging', environment_variable_id: 'LOG_LEVEL', value: 'warn' },
  override_environment_variable: {
    container_id: 'shop/production/search',
    environment_variable_id: 'LOG_LEVEL',
    value: 'warn',
  },
  update_container: { container_id: 'shop/staging/search', memory: 1024 },
  restart_services: { environment_id: 'shop/staging', container_ids: ['search'] },
  stop_environment: { environment_id: 'shop/production' },
  update_helm: { helm_id: 'shop/staging/session-cache', timeout_sec: 900 },
  get_helm: { helm_id: 'shop/staging/session-cache' },
  plan_terraform: { terraform_id: 'shop/staging/assets-bucket' },
  redeploy_terraform: { terraform_id: 'shop/staging/assets-bucket' },
  lock_cluster: { cluster_id: 'main', reason: 'Incident 7' },
  upgrade_cluster: { cluster_id: 'main' },
  list_members: {},
  invite_member: { email: 'nia@acme.example', role: 'Developer' },
  update_alert_rule: { alert_rule_id: 'checkout-errors', severity: 'MEDIUM' },
  create_helm_repository: {
    name: 'vendor',
    kind: 'HTTPS',
    skip_tls_verification: false,
    url: 'https://charts.acme.example',
    config: { username: 'ci', password: 'hunter2-hunter2' },
  },
  update_billing_info: { city: 'Lille' },
  list_job_deployments: { job_id: 'shop/staging/nightly-report', page_size: 2 },
  get_labels_group: { labels_group_id: '@labels_group_id' },
  create_webhook: {
    target_url: 'https://chat.acme.example/hooks',
    events: ['DEPLOYMENT_FAILED'],
    target_secret: 'shared-hook-secret',
  },
  list_webhook_events: { webhook_id: '@webhook_id' },
  list_environments: { project_id: 'shop' },
  get_environment: { environment_id: 'shop/staging' },
  list_services: { environment_id: 'shop/production' },
  get_environment_status: { environment_id: 'data/development' },
  list_clusters: {},
  cancel_deployment: { environment_id: 'shop/production' },
  unlock_cluster: { cluster_id: 'batch' },
  list_alert_rules: {},
  list_events: { environment: 'shop/staging', kind: 'variable' },
  clone_environment: { environment_id: 'shop/staging', name: 'qa', mode: 'DEVELOPMENT' },
  list_database_backups: { database_id: 'shop/staging/orders-db' },
  create_database_backup: {
    database_id: 'shop/staging/orders-db',
    name: 'before-the-sale',
    message: 'Prices change tomorrow.',
  },
  restore_database: { database_id: 'shop/staging/orders-db' },
  find_resource: { name: 'shop' },
  get_organization_overview: {},
  get_environment_overview: { environment: 'data/development' },
  get_service: { service: 'shop/production/search' },
  list_deployments: { environment: 'shop/production' },
  diagnose_deployment: { service: 'data/development/importer' },
  search_logs: { service: 'data/development/importer', level: 'warn', context: 1, limit: 3 },
  compare_environments: { first: 'shop/staging', second: 'shop/production' },
  wait_for_deployment: { service: 'shop/production/search', deployment_id: '@any', seconds: 1 },
  deploy_service: { environment: 'shop/production' },
  rollback_application: { application: 'shop/production/checkout-api' },
  update_application: {
    application_id: 'shop/staging/checkout-api',
    memory: 1024,
    ports: [{ internal_port: 8080, protocol: 'GRPC' }],
  },
  create_container: {
    environment_id: 'shop/staging',
    registry_id: '@registry_id',
    name: 'web',
    image_name: 'acme/web',
    tag: '1.27',
  },
  update_database: { database_id: 'shop/staging/orders-db', version: '17' },
  create_job: {
    environment_id: 'shop/staging',
    name: 'invoices',
    source: { image: { image_name: 'acme/invoices', tag: '1.0' } },
    schedule: { cronjob: { scheduled_at: '0 4 * * *', timezone: 'Europe/Paris' } },
  },
  update_job: { job_id: 'shop/staging/nightly-report', max_duration_seconds: 3600 },
  set_environment_variables: {
    application: 'shop/staging/checkout-api',
    env_text: 'CACHE_TTL=60\nMAIL_PASSWORD=correct-horse-9\n',
  },
  stop_services: { modes: ['STAGING', 'DEVELOPMENT'] },
  start_services: { environment: 'shop/staging' },
  delete_service: { service: 'shop/production/orders-db' },
  delete_environment: { environment: 'shop/staging' },
  create_custom_domain: { service: 'shop/staging/storefront', domain: 'shop.acme.example' },
  delete_custom_domain: { service: 'shop/staging/checkout-api', domain: 'checkout.live.acme.example' },
  delete_environment_variable: { environment: 'shop/staging', key: 'LOG_LEVEL' },
  get_api_budget: {},
  list_webhooks: {},
  update_project: { project_id: 'data', name: 'warehouse' },
  delete_project: { project_id: 'shop' },
  update_environment: { environment_id: 'data/development', mode: 'STAGING' },
  list_roles: {},
  update_member_role: { user_id: 'dev@acme.example', role_id: 'Developer' },
  remove_member: { user_id: 'Cleo Marchetti' },
  list_invitations: {},
  revoke_invitation: { invitation_id: 'erin@acme.example' },
  resend_invitation: { invitation: 'felix@acme.example' },
  list_api_tokens: { page_size: 1 },
  create_api_token: { name: 'ci', permission: 'deploy' },
  revoke_api_token: { api_token_id: 'laptop of Cleo' },
  update_webhook: { webhook_id: 'hooks.acme.example', target_url: 'https://elsewhere.example/in', enabled: true },
  test_webhook: { webhook_id: 'hooks.acme.example' },
  delete_webhook: { webhook_id: 'hooks.acme.example' },
  create_alert_rule: {
    service: 'shop/staging/checkout-api',
    name: 'checkout-is-slow',
    condition: { promql: 'up == 0' },
    alert_receiver_ids: ['on-call'],
  },
  silence_alert_rule: { alert_rule_id: 'disk-filling', until: '2999-01-01T00:00:00Z' },
  unsilence_alert_rule: { alert_rule_id: 'report-late' },
  delete_alert_rule: { alert_rule_id: 'disk-filling' },
  list_alert_receivers: {},
  create_alert_receiver: { name: 'shop-chat', webhook_url: 'https://chat.example/services/never-shown' },
  update_alert_receiver: { alert_receiver_id: 'team-mail', smarthost: 'mail.acme.example:465', send_resolved: false },
  test_alert_receiver: { alert_receiver_id: 'team-mail' },
  delete_alert_receiver: { alert_receiver_id: 'on-call' },
  list_helm_repositories: {},
  update_helm_repository: {
    helm_repository_id: 'private-charts',
    url: 'oci://elsewhere.acme.example/charts',
    config: { username: 'writer' },
  },
  delete_helm_repository: { helm_repository_id: 'charts' },
  list_helm_charts: { helm_repository_id: 'charts' },
  list_container_registries: {},
  create_container_registry: {
    name: 'mirror',
    kind: 'GENERIC_CR',
    url: 'https://mirror.acme.example',
    config: { username: 'puller', password: 'correct-horse-9' },
  },
  update_container_registry: { registry_id: 'acme', url: 'https://images.acme.example' },
  delete_container_registry: { registry_id: 'acme' },
  list_git_tokens: {},
  create_git_token: { name: 'reader', type: 'GITLAB', token: 'correct-horse-9' },
  update_git_token: { git_token_id: 'source-reader', token: 'correct-horse-9' },
  delete_git_token: { git_token_id: 'trial-token' },
  list_labels_groups: {},
  create_labels_group: { name: 'owners', labels: [{ key: 'owner', value: 'data', propagate_to_cloud_provider: true }] },
  update_labels_group: { labels_group_id: 'cost', labels: [{ key: 'team', value: 'checkout' }] },
  delete_labels_group: { labels_group_id: 'cost' },
  list_annotations_groups: {},
  create_annotations_group: { name: 'mesh', annotations: [{ key: 'mesh/inject', value: 'true' }], scopes: ['PODS'] },
  update_annotations_group: { annotations_group_id: 'metrics', scopes: ['PODS'] },
  delete_annotations_group: { annotations_group_id: 'metrics' },
  get_deployment_rule: { environment_id: 'shop/staging' },
  update_deployment_rule: {
    environment: 'shop/production',
    auto_stop: true,
    stop_time: '19:00',
    timezone: 'Europe/Paris',
  },
  list_deployment_windows: {},
  create_deployment_window: {
    project_id: 'shop',
    name: 'friday-evening',
    begins: 'FRIDAY 16:00',
    ends: 'SATURDAY 00:00',
    time_zone: 'Europe/Paris',
    reason: 'Nobody is there to mend it.',
    production_only: true,
  },
  delete_deployment_window: { deployment_window: 'year-end-freeze' },
  set_environment_end: { environment_id: 'shop/staging', ends_at: '2999-12-01T18:00:00Z', reason: 'For the demo.' },
  unset_environment_end: { environment_id: 'shop/staging' },
  run_job: { job_id: 'shop/staging/nightly-report', arguments: ['--only', 'invoices'] },
  cancel_job_run: { job_id: 'shop/staging/nightly-report' },
  create_helm: {
    environment_id: 'shop/staging',
    name: 'cache',
    source: { helm_repository: { repository: 'charts', chart_name: 'redis', chart_version: '1.2.3' } },
    values_override: { set: [['replicas', '2']] },
  },
  create_terraform: {
    environment_id: 'shop/staging',
    name: 'network',
    git_repository: { url: 'https://git.acme.example/acme/infrastructure.git', branch: 'main' },
    tf_vars: [{ key: 'db_password', value: 'correct-horse-9', secret: true }],
  },
  update_terraform: {
    terraform: 'shop/staging/assets-bucket',
    git_repository: { branch: 'next' },
    tf_vars: [{ key: 'db_password', value: 'correct-horse-9', secret: true }],
  },
  get_cluster: { cluster: 'main' },
  delete_database_backup: {
    database_id: 'shop/staging/orders-db',
    backup_id: seedId('backup/shop/staging/orders-db/before-migration'),
  },
};

let platform: TestPlatform;
let connectors: Connectors;
let client: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform({
    token,
    rateLimit: undefined,
    timeScale: undefined,
    control: true,
    steppedTime: Date.parse('2026-11-20T12:00:00Z'),
    randomSeed: 'outputs',
  });
  connectors = connectorsTo(platform.url, token);
  client = await connectors.modern(userAnswering(agree));
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

/** Names of seeded ids replaced by the ids. */
const seeded = (args: Args): Args =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(/^@(\w+)$/, (_, id: string) => platform.seed[id] ?? id) : value,
    ]),
  );

// The budget, and when something comes next, depend on the callers' clock, which goes on.
const steady = (text: string): string =>
  text
    .replaceAll(/\n.*requests to the platform.* left until .*$/gm, '')
    .replaceAll(/ \((?:in )?\d+(?:d|h|m|s)(?: ago)?\)/g, '')
    .replaceAll(
      /(?<=a run was due at |Next run: |is due at |next at |overdue: nightly-report since )\S+?(?=[,;.]?(?:\s|$))/gm,
      '…',
    )
    .replaceAll(/^(remaining|reset_at|seconds_to_reset): .*$/gm, '$1: …')
    .replaceAll(/^(?:Next stop:|Next start:|Next from|In force since) .*\n/gm, '');

test('there is a call of each tool', () => {
  expect(Object.keys(calls)).toEqual(tools.map(({ name }) => name));
});

test.each(tools)('$name answers, or plans, this', async ({ name, operation }) => {
  const args = { ...seeded(calls[name]!), ...(operation.effect !== 'read' && { dry_run: true }) };
  expect(steady(textOf(await client.call(name, args)))).toMatchSnapshot();
});

test.each([
  'create_application',
  'create_secret',
  'deploy_application',
  'set_environment_variables',
  'create_custom_domain',
  'clone_environment',
  'update_container',
  'update_application',
  'create_job',
  'invite_member',
  'create_webhook',
])('%s, carried out, answers this', async (name) => {
  expect(steady(textOf(await client.call(name, seeded(calls[name]!))))).toMatchSnapshot();
});

test.each([{ name: 'chekout-api' }, { state: 'BROKEN' }])(
  'finding nothing says what may have been meant: %j',
  async (args) => {
    expect(textOf(await client.call('find_resource', args))).toMatchSnapshot();
  },
);
