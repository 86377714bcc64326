import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedId } from '../../src/platform/seed/index.ts';
import { tools } from '../../tools/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { hurriedClock } from '../support/hurried-clock.ts';
import { agree, leavesOf, textOf, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

type Args = Record<string, unknown>;

/** One tool on the seeded platform: a call that is right and what it answers, and one that is refused and why. */
interface Case {
  readonly tool: string;
  readonly right?: Args;
  readonly answers: Record<string, unknown>;
  /** What it answers when it is so already. */
  readonly again?: Record<string, unknown>;
  readonly wrong: Args;
  readonly says: string;
}

let platform: TestPlatform;
let connectors: Connectors;
const clients = {} as Record<'modern' | 'legacy', TestClient>;

beforeAll(async () => {
  platform = await startTestPlatform({ rateLimit: 10_000 });
  connectors = connectorsTo(platform.url, platform.token, { clock: hurriedClock() });
  clients.modern = await connectors.modern(userAnswering(agree));
  clients.legacy = await connectors.legacy(userAnswering(agree));
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

const nowhere = '00000000-0000-4000-8000-000000000000';
const any = expect.anything();
/** A list with at least one such row. */
const rows = (withRow: Record<string, unknown>) => ({ withRow });

/** Names of seeded ids, which stand for themselves until the platform runs, replaced by the ids. */
const seeded = (value: unknown): unknown => {
  if (typeof value === 'string')
    return value.replace(/^@(\w+)$/, (_, name: string) =>
      name === 'organization_id' ? platform.organizationId : platform.seed[name]!,
    );
  if (Array.isArray(value)) return value.map(seeded);
  if (typeof value !== 'object' || value === null || 'asymmetricMatch' in value) return value;
  if ('withRow' in value) return expect.arrayContaining([expect.objectContaining(seeded(value.withRow) as object)]);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, seeded(member)]));
};

const organization = { organization_id: '@organization_id' };
const alertRule = {
  alert_rule_id: '@alert_rule_id',
  name: 'CPU high',
  description: 'CPU over 90 %',
  tag: 'cpu',
  condition: { promql: 'rate(cpu[5m]) > 0.9' },
  for_duration: 'PT5M',
  severity: 'HIGH',
  enabled: true,
  alert_receiver_ids: ['@alert_receiver_id'],
  presentation: { summary: 'CPU' },
};
const container = {
  container_id: '@container_id',
  name: 'worker',
  registry_id: '@registry_id',
  image_name: 'library/worker',
  tag: '2.0.0',
  healthchecks: {},
  cpu: 250,
};
const helm = {
  helm_id: '@helm_id',
  name: 'metrics',
  auto_deploy: false,
  arguments: ['--wait'],
  values_override: { set: [['replicas', '2']] },
  source: { helm_repository: { repository: '@helm_repository_id', chart_name: 'metrics', chart_version: '1.2.3' } },
};
const billing = {
  first_name: 'Ada',
  last_name: 'King',
  email: 'ada@example.com',
  address: '1 Main St',
  city: 'Paris',
  zip: '75001',
  country_code: 'FR',
};

const cases: Case[] = [
  {
    tool: 'get_organization',
    right: {},
    answers: { id: '@organization_id', name: any },
    wrong: { id: 'x' },
    says: '"id" is not known',
  },
  {
    tool: 'list_projects',
    right: organization,
    answers: { results: rows({ id: '@project_id' }) },
    wrong: { ...organization, page_size: 500 },
    says: '"page_size"',
  },
  {
    tool: 'create_project',
    right: { ...organization, name: 'storefront', description: 'What customers see' },
    answers: { id: any, name: 'storefront' },
    wrong: { ...organization, name: 'SHOP' },
    says: 'has that name already',
  },
  {
    tool: 'create_environment',
    right: { project_id: '@project_id', name: 'preview', mode: 'STAGING', cluster_id: '@cluster_id' },
    answers: { name: 'preview', mode: 'STAGING' },
    wrong: { project_id: '@project_id', name: 'x', mode: 'TEST', cluster_id: '@cluster_id' },
    says: '"mode"',
  },
  {
    tool: 'create_application',
    right: {
      environment_id: '@environment_id',
      name: 'checkout',
      git_repository: { url: 'https://git.example/shop/checkout.git', branch: 'main' },
      ports: [{ internal_port: 8080, external_port: 443, protocol: 'HTTP', publicly_accessible: true }],
    },
    answers: { id: any, name: 'checkout' },
    wrong: { environment_id: '@environment_id', name: 'x', git_repository: { branch: 'main' } },
    says: '"git_repository.url" is required',
  },
  {
    tool: 'create_database',
    right: { environment_id: '@environment_id', name: 'orders', type: 'POSTGRESQL', version: '16', mode: 'CONTAINER' },
    answers: { id: any, name: 'orders', type: 'POSTGRESQL' },
    wrong: { environment_id: nowhere, name: 'orders', type: 'POSTGRESQL', version: '16', mode: 'CONTAINER' },
    says: 'no such id',
  },
  {
    tool: 'deploy_database',
    right: { database_id: '@database_id' },
    answers: { status: 'QUEUED', database_id: '@database_id' },
    wrong: { database_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'deploy_application',
    right: { application_id: '@application_id' },
    answers: { status: 'QUEUED', application_id: '@application_id' },
    wrong: { application_id: '@application_id', git_commit_id: 'newest' },
    says: '"commit": must be a commit hash',
  },
  {
    tool: 'get_application_status',
    right: { application_id: '@application_id' },
    answers: { id: '@application_id', state: any },
    wrong: { application_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'create_environment_variable',
    right: { application_id: '@application_id', key: 'LOG_LEVEL', value: 'debug' },
    answers: { id: any, key: 'LOG_LEVEL', value: 'debug' },
    wrong: { application_id: '@application_id', key: '1BAD', value: 'x' },
    says: '"key": must begin with a letter',
  },
  {
    tool: 'list_environment_variables',
    right: { application_id: '@application_id' },
    answers: { results: rows({ id: '@environment_variable_id', scope: 'ENVIRONMENT' }) },
    wrong: {},
    says: 'exactly one of "service", "environment" and "project" must be given',
  },
  {
    tool: 'create_secret',
    right: { application_id: '@application_id', key: 'API_KEY', value: 'correct-horse-battery' },
    answers: { id: any, key: 'API_KEY' },
    wrong: { application_id: nowhere, key: 'API_KEY', value: 'correct-horse-battery' },
    says: 'no such id',
  },
  {
    tool: 'get_application_logs',
    right: { application_id: '@application_id', tail: 5 },
    answers: { results: any },
    wrong: { application_id: '@application_id', tail: 0 },
    says: '"tail"',
  },
  {
    tool: 'update_environment_variable',
    right: {
      environment_id: '@environment_id',
      environment_variable_id: '@environment_variable_id',
      key: 'LOG_LEVEL',
      value: 'warn',
    },
    answers: { id: '@environment_variable_id', key: 'LOG_LEVEL', changes: ['value: info → warn'] },
    wrong: { environment_id: '@environment_id', environment_variable_id: nowhere, key: 'LOG_LEVEL', value: 'x' },
    says: 'no such id',
  },
  {
    tool: 'override_environment_variable',
    right: { container_id: '@container_id', environment_variable_id: '@environment_variable_id', value: 'error' },
    answers: { id: any, value: 'error', variable_type: 'OVERRIDE' },
    wrong: {
      container_id: '@container_id',
      environment_variable_id: '@environment_variable_id',
      value: 'x',
      key: 'OTHER',
    },
    says: '"key" is not known',
  },
  {
    tool: 'update_container',
    right: container,
    answers: { id: '@container_id', changes: expect.arrayContaining(['tag: 2.4.1 → 2.0.0', 'cpu: 500 → 250']) },
    wrong: { ...container, cpu: 999_999 },
    says: 'cpu',
  },
  {
    tool: 'list_database_backups',
    right: { database_id: 'shop/staging/orders-db' },
    answers: { results: rows({ name: any, status: { state: 'DEPLOYED' } }) },
    wrong: { database_id: 'shop/staging/orders-db', page: 0 },
    says: '"page"',
  },
  {
    tool: 'create_database_backup',
    right: { database_id: 'shop/staging/orders-db', name: 'by-hand', message: 'By a test.' },
    answers: { id: any, name: 'by-hand', status: { state: 'EXECUTING' } },
    wrong: { database_id: 'shop/staging/orders-db', message: 'By a test.' },
    says: '"name"',
  },
  {
    tool: 'restore_database',
    right: { database_id: 'shop/staging/orders-db' },
    answers: { state: 'DEPLOYMENT_QUEUED' },
    wrong: { database_id: 'shop/staging/orders-db', backup_id: 'newest' },
    says: 'There is no backup',
  },
  {
    tool: 'restart_services',
    right: { environment_id: '@environment_id', container_ids: ['@container_id'] },
    answers: { id: '@container_id', state: any },
    wrong: { environment_id: '@environment_id' },
    says: 'needs at least one service',
  },
  {
    tool: 'stop_environment',
    right: { environment_id: '@environment_id' },
    answers: { id: '@environment_id', state: any },
    wrong: { environment_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'update_helm',
    right: helm,
    answers: { id: '@helm_id', name: 'metrics' },
    wrong: { ...helm, source: {} },
    says: 'exactly one of git_repository and helm_repository',
  },
  {
    tool: 'get_helm',
    right: { helm_id: '@helm_id' },
    answers: { id: '@helm_id', name: any },
    wrong: { helm_id: 'nobodys-cache' },
    says: 'There is no helm',
  },
  {
    tool: 'plan_terraform',
    right: { terraform_id: '@terraform_id' },
    answers: { id: any, status: 'SUCCESS', digest: any },
    wrong: { terraform_id: '@helm_id' },
    says: 'no such id',
  },
  {
    tool: 'redeploy_terraform',
    right: { terraform_id: '@terraform_id' },
    answers: { id: '@terraform_id', state: any },
    wrong: { terraform_id: '@helm_id' },
    says: 'no such id',
  },
  {
    tool: 'upgrade_cluster',
    right: { cluster_id: '@cluster_id' },
    answers: { cluster_id: '@cluster_id', status: any },
    wrong: { cluster_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'list_members',
    right: organization,
    answers: { results: rows({ email: any, role_id: any }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'list_roles',
    right: organization,
    answers: {
      results: rows({ name: 'Viewer', may: 'sees everything in every project, production too; changes nothing' }),
    },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'update_member_role',
    right: { ...organization, user_id: 'bo@acme.example', role_id: 'Developer' },
    answers: { member: 'Bo Lindqvist', role: 'Developer' },
    again: {},
    wrong: { ...organization, user_id: 'nobody@acme.example', role_id: 'Developer' },
    says: 'nobody@acme.example',
  },
  {
    tool: 'remove_member',
    right: { ...organization, user_id: 'dev@acme.example' },
    answers: { removed: 'Dev Raman' },
    wrong: { ...organization, user_id: 'Ada Okafor' },
    says: 'last owner',
  },
  {
    tool: 'list_invitations',
    right: organization,
    answers: { results: rows({ email: any, invitation_status: any }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'resend_invitation',
    right: { invitation: 'felix@acme.example' },
    answers: { email: 'felix@acme.example', invitation_status: 'PENDING' },
    wrong: { invitation: nowhere },
    says: nowhere,
  },
  {
    tool: 'revoke_invitation',
    right: { ...organization, invitation_id: 'erin@acme.example' },
    answers: { revoked: 'erin@acme.example' },
    wrong: { ...organization, invitation_id: 'nobody@acme.example' },
    says: 'nobody@acme.example',
  },
  {
    tool: 'list_api_tokens',
    right: organization,
    answers: { results: rows({ name: 'laptop of Cleo', member_name: 'Cleo Marchetti' }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'create_api_token',
    right: { ...organization, name: 'ci', permission: 'deploy' },
    answers: { name: 'ci', permission: 'deploy', handed_over: 'with the test' },
    wrong: { ...organization, name: 'ci', permission: 'owner' },
    says: '"permission"',
  },
  {
    tool: 'revoke_api_token',
    right: { ...organization, api_token_id: 'laptop of Cleo' },
    answers: { revoked: 'laptop of Cleo' },
    wrong: { ...organization, api_token_id: nowhere },
    says: nowhere,
  },
  {
    tool: 'invite_member',
    right: { ...organization, email: 'bob@example.com', role_id: '@role_id' },
    answers: { email: 'bob@example.com', invitation_status: 'PENDING' },
    wrong: { ...organization, email: 'bob' },
    says: '"email": must be a valid email',
  },
  {
    tool: 'update_alert_rule',
    right: alertRule,
    answers: {
      id: '@alert_rule_id',
      changes: expect.arrayContaining([expect.stringMatching(/^name: .* → CPU high$/)]),
    },
    wrong: { ...alertRule, alert_receiver_ids: [] },
    says: '"alert_receivers"',
  },
  {
    tool: 'create_helm_repository',
    right: {
      ...organization,
      name: 'vendor-charts',
      kind: 'HTTPS',
      skip_tls_verification: false,
      url: 'https://charts.example',
      config: { username: 'ci', password: 'hunter2-hunter2' },
    },
    answers: { id: any, name: 'vendor-charts', config: { username: 'ci' } },
    wrong: { ...organization, name: 'x', kind: 'HTTPS', skip_tls_verification: false, url: 'oci://x', config: {} },
    says: '"url": must start with https://',
  },
  {
    tool: 'update_billing_info',
    right: { ...organization, ...billing },
    answers: { changes: expect.arrayContaining(['city: Lyon → Paris']) },
    again: { city: 'Paris' },
    wrong: { ...organization, ...billing, country_code: 'France' },
    says: '"country_code"',
  },
  {
    tool: 'list_job_deployments',
    right: { job_id: '@job_id', page_size: 5 },
    answers: { results: rows({ status: any }) },
    wrong: { job_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'get_labels_group',
    right: { ...organization, labels_group_id: '@labels_group_id' },
    answers: { id: '@labels_group_id', labels: any },
    wrong: { ...organization, labels_group_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'create_webhook',
    right: {
      ...organization,
      target_url: 'https://hooks.example/deploys',
      events: ['DEPLOYMENT_FAILED'],
      target_secret: 'shared-hook-secret',
    },
    answers: { id: any, target_url: 'https://hooks.example/deploys', target_secret_set: true },
    wrong: { ...organization, target_url: 'ftp://x', events: ['DEPLOYMENT_FAILED'] },
    says: '"target_url"',
  },
  {
    tool: 'list_webhook_events',
    right: { ...organization, webhook_id: '@webhook_id' },
    answers: { results: any },
    wrong: { ...organization, webhook_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'list_webhooks',
    right: organization,
    answers: { results: rows({ id: '@webhook_id', target_secret_set: true }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'update_webhook',
    right: { ...organization, webhook_id: '@webhook_id', environment_types_filter: ['PRODUCTION'] },
    answers: { id: '@webhook_id' },
    again: {},
    wrong: { ...organization, webhook_id: '@webhook_id', target_url: 'ftp://x' },
    says: '"target_url"',
  },
  {
    tool: 'test_webhook',
    right: { ...organization, webhook_id: '@webhook_id' },
    answers: { matched_event: 'TEST', target_response_status_code: any },
    wrong: { ...organization, webhook_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'list_environments',
    right: { project_id: '@project_id' },
    answers: { results: rows({ id: '@environment_id', mode: 'STAGING' }) },
    wrong: { project_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'get_environment',
    right: { environment_id: '@environment_id' },
    answers: { id: '@environment_id', mode: 'STAGING' },
    wrong: { environment_id: '' },
    says: '"environment"',
  },
  {
    tool: 'list_services',
    right: { environment_id: '@environment_id' },
    answers: { results: rows({ id: '@container_id', kind: 'container', image_name: any }) },
    wrong: { environment_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'get_environment_status',
    right: { environment_id: '@environment_id' },
    answers: { environment: { id: '@environment_id' }, containers: rows({ id: '@container_id' }) },
    wrong: { environmentId: '@environment_id' },
    says: 'did you mean "environment"',
  },
  {
    tool: 'list_clusters',
    right: organization,
    answers: { results: rows({ id: '@cluster_id', status: any }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  // Everything ends at once here, so there is never anything to cancel.
  { tool: 'cancel_deployment', answers: {}, wrong: { environment_id: nowhere }, says: 'no such id' },
  {
    tool: 'list_alert_rules',
    right: {},
    answers: { results: rows({ id: '@alert_rule_id', state: any }) },
    wrong: { page: 0 },
    says: '"page"',
  },
  {
    tool: 'list_events',
    right: { kind: 'nothing of this kind' },
    answers: { results: any, looked_through: any, kept_since: any },
    wrong: { kind: '' },
    says: '"kind"',
  },
  {
    tool: 'clone_environment',
    right: { environment_id: 'data/development', name: 'qa' },
    answers: { name: 'qa', mode: 'DEVELOPMENT', not_made: any },
    wrong: { environment_id: 'data/development', name: 'qa', mode: 'TEST' },
    says: '"mode"',
  },
  {
    tool: 'find_resource',
    right: { name: 'checkout' },
    answers: { results: rows({ path: 'shop/staging/checkout-api', kind: 'application' }), total: any },
    wrong: { kind: 'server' },
    says: '"kind"',
  },
  {
    tool: 'get_organization_overview',
    right: {},
    answers: { total: any, counts: any, results: rows({ environment: 'data/development', condition: any }) },
    wrong: { project: 'nowhere' },
    says: 'There is no project',
  },
  {
    tool: 'get_environment_overview',
    right: { environment: 'shop/staging' },
    answers: { environment: 'shop/staging', counts: any, results: rows({ name: 'checkout-api', condition: any }) },
    wrong: { environment: 'shop/nowhere' },
    says: 'There is no environment',
  },
  {
    tool: 'get_service',
    right: { service: 'shop/production/search' },
    answers: { id: any, kind: 'container', status: { state: any }, configuration: { image_name: any } },
    wrong: { service: 'checkout-api' },
    says: 'can be each of these',
  },
  {
    tool: 'list_deployments',
    right: { service: 'shop/staging/checkout-api', page_size: 3 },
    answers: { results: rows({ id: any, state: any }) },
    wrong: { service: 'shop/production/search', environment: 'shop/staging' },
    says: 'exactly one of',
  },
  {
    tool: 'diagnose_deployment',
    right: { service: 'data/development/importer' },
    answers: { subject: 'data/development/importer', outcome: any, cause: { code: any } },
    wrong: {},
    says: 'exactly one of',
  },
  {
    tool: 'search_logs',
    right: { service: 'shop/staging/checkout-api', pattern: '.', limit: 3 },
    answers: { matched: any, results: any },
    wrong: { service: 'shop/staging/checkout-api', pattern: '(?=x)' },
    says: 'Lookahead',
  },
  {
    tool: 'compare_environments',
    right: { first: 'shop/staging', second: 'shop/production' },
    answers: { pairs: any, results: rows({ kind: 'missing service' }) },
    wrong: { first: 'shop/staging' },
    says: '"second" is required',
  },
  {
    tool: 'wait_for_deployment',
    right: { service: 'shop/production/search', seconds: 5 },
    answers: { subject: 'shop/production/search', outcome: 'succeeded' },
    wrong: { service: 'shop/staging/search', seconds: 500 },
    says: '"seconds"',
  },
  {
    tool: 'deploy_service',
    right: { service: 'shop/staging/nightly-report' },
    answers: { outcome: 'accepted', action: 'DEPLOY' },
    wrong: { service: nowhere },
    says: 'There is no service',
  },
  {
    tool: 'rollback_application',
    right: { application: 'shop/staging/checkout-api' },
    answers: { outcome: 'accepted' },
    wrong: { application: 'shop/staging/storefront' },
    says: 'no good deployment',
  },
  {
    tool: 'update_application',
    right: { application_id: '@application_id', memory: 768, git_repository: { branch: 'next' } },
    answers: { id: '@application_id', changes: ['git_repository.branch: main → next', 'memory: 512 → 768'] },
    wrong: { application_id: '@application_id', memory: 999_999 },
    says: 'memory',
  },
  {
    tool: 'create_container',
    right: {
      environment_id: '@environment_id',
      registry_id: '@registry_id',
      name: 'web',
      image_name: 'library/nginx',
      tag: '1.27',
      ports: [{ internal_port: 80 }],
    },
    answers: { id: any, name: 'web', tag: '1.27' },
    wrong: { environment_id: '@environment_id', registry_id: '@registry_id', name: 'web', image_name: 'library/nginx' },
    says: '"tag" is required',
  },
  {
    tool: 'update_database',
    right: { database_id: '@database_id', storage: 40, accessibility: 'PUBLIC' },
    answers: { id: '@database_id', changes: ['storage: 20 → 40', 'accessibility: PRIVATE → PUBLIC'] },
    wrong: { database_id: '@database_id', instance_type: 'large' },
    says: 'only MANAGED databases have one',
  },
  {
    tool: 'create_job',
    right: {
      environment_id: '@environment_id',
      name: 'migrate',
      source: { docker: { git_repository: { url: 'https://git.example/shop/migrate.git' } } },
      schedule: { on_start: { arguments: ['up'] } },
    },
    answers: { id: any, name: 'migrate', job_type: 'LIFECYCLE' },
    wrong: {
      environment_id: '@environment_id',
      name: 'report',
      source: { image: { image_name: 'library/report', tag: '1' } },
      schedule: { cronjob: { scheduled_at: '0 0 3 * * *' } },
    },
    says: 'five fields',
  },
  {
    tool: 'update_job',
    right: { job_id: '@job_id', schedule: { cronjob: { scheduled_at: '0 5 * * *' } } },
    answers: { id: '@job_id', changes: ['schedule.cronjob.scheduled_at: 0 3 * * * → 0 5 * * *'] },
    wrong: { job_id: '@job_id', schedule: { cronjob: { timezone: 'Mars/Olympus' } } },
    says: 'there is no time zone',
  },
  {
    tool: 'set_environment_variables',
    right: { application: 'shop/staging/checkout-api', variables: { CACHE_TTL: '60' } },
    answers: { results: rows({ key: 'CACHE_TTL', how: 'created' }) },
    wrong: { service: 'shop/staging/orders-db', variables: { NEVER_SEEN: 'x' } },
    says: 'a database has no variables',
  },
  {
    tool: 'stop_services',
    right: { services: ['shop/production/search', 'shop/production/orders-db'], wait: true },
    answers: { asked: 2, results: rows({ service: 'shop/production/orders-db', what: 'stopped', state: 'STOPPED' }) },
    wrong: {},
    says: '"services", or one of',
  },
  {
    tool: 'start_services',
    right: { services: ['shop/production/orders-db'], wait: true },
    answers: { asked: 1, results: rows({ service: 'shop/production/orders-db', what: 'running' }) },
    wrong: { services: ['shop/staging/orders-db'], modes: ['STAGING'] },
    says: '"services" goes with none of',
  },
  {
    tool: 'delete_service',
    right: { service: 'data/development/migrate-schema' },
    answers: { outcome: 'accepted', action: 'DELETE' },
    wrong: { service: nowhere },
    says: 'There is no service',
  },
  {
    tool: 'update_environment',
    right: { environment_id: 'data/development', mode: 'STAGING' },
    answers: { changes: ['mode: DEVELOPMENT → STAGING'] },
    wrong: { environment_id: 'data/development', mode: 'LIVE' },
    says: '"mode"',
  },
  {
    tool: 'delete_environment',
    right: { environment: 'data/development', wait: true },
    answers: { outcome: 'succeeded', state: 'DELETED' },
    wrong: {},
    says: '"environment" is required',
  },
  {
    tool: 'create_custom_domain',
    right: { service: 'shop/staging/storefront', domain: 'shop.acme.example' },
    answers: { domain: 'shop.acme.example', record: { type: 'CNAME', value: any }, entered: 'no' },
    wrong: { service: 'shop/staging/storefront', domain: 'https://shop.acme.example/' },
    says: '"domain": must be a domain name',
  },
  {
    tool: 'delete_custom_domain',
    right: { service: 'shop/staging/checkout-api', domain: 'checkout.live.acme.example' },
    answers: { deleted: 'checkout.live.acme.example' },
    wrong: { service: 'shop/staging/checkout-api', domain: 'nowhere.example.com' },
    says: 'does not show nowhere.example.com',
  },
  {
    tool: 'delete_environment_variable',
    right: { service: 'shop/staging/nightly-report', key: 'REPORT_FORMAT' },
    answers: { deleted: 'REPORT_FORMAT', of: 'shop/staging/nightly-report' },
    wrong: { service: 'shop/staging/nightly-report', key: 'LOG_LEVEL' },
    says: 'only inherits LOG_LEVEL',
  },
  {
    tool: 'get_api_budget',
    right: {},
    answers: { limit: 10_000, remaining: any },
    wrong: { hours: 2 },
    says: '"hours" is not known',
  },
  {
    tool: 'update_project',
    right: { project_id: 'data', name: 'data', description: 'Changed by a test.' },
    answers: { changes: any },
    wrong: { project_id: 'data', name: 'shop' },
    says: 'shop',
  },
  {
    tool: 'delete_project',
    right: { project_id: 'storefront' },
    answers: { name: 'storefront', deleted: true },
    wrong: { project_id: 'shop' },
    says: 'staging, production',
  },
  {
    tool: 'get_deployment_rule',
    right: { environment_id: '@environment_id' },
    answers: { auto_stop: false, stop_time: '19:00', start_time: '07:00', timezone: 'UTC' },
    wrong: { environment_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'update_deployment_rule',
    right: { environment: '@environment_id', stop_time: '20:15', weekdays: ['FRIDAY'] },
    answers: { auto_stop: false, stop_time: '20:15', weekdays: ['FRIDAY'] },
    wrong: { environment: '@environment_id', stop_time: '8 pm' },
    says: '"stop_time"',
  },
  {
    tool: 'list_deployment_windows',
    right: {},
    answers: { results: rows({ name: 'year-end-freeze', in_force: false, target_name: 'shop/production' }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'create_deployment_window',
    right: {
      environment_id: '@environment_id',
      name: 'fair',
      begins: '2999-05-01 08:00',
      ends: '2999-05-03 24:00',
      time_zone: 'Europe/Berlin',
    },
    answers: { name: 'fair', target_type: 'ENVIRONMENT', in_force: false, until: '2999-05-03T22:00:00.000Z' },
    wrong: {
      environment_id: '@environment_id',
      name: 'fair',
      begins: 'FRIDAY',
      ends: 'MONDAY 08:00',
      time_zone: 'Europe/Berlin',
    },
    says: '"begins"',
  },
  {
    tool: 'delete_deployment_window',
    right: { deployment_window: 'year-end-freeze' },
    answers: { deleted: 'year-end-freeze' },
    wrong: { deployment_window: nowhere },
    says: 'no deployment window with the id',
  },
  {
    tool: 'set_environment_end',
    right: { environment_id: '@environment_id', ends_at: '2999-01-01T00:00:00.000Z', reason: 'A trial.' },
    answers: { ends_at: '2999-01-01T00:00:00.000Z', end_reason: 'A trial.' },
    again: {},
    wrong: { environment_id: '@environment_id', ends_at: 'tomorrow' },
    says: '"ends_at"',
  },
  {
    tool: 'unset_environment_end',
    right: { environment_id: '@environment_id' },
    answers: { id: '@environment_id' },
    wrong: { environment_id: nowhere },
    says: 'no such id',
  },
  // Last, because a locked cluster refuses what comes after.
  {
    tool: 'lock_cluster',
    right: { cluster_id: '@cluster_id', reason: 'incident 42', ttl_in_days: 1 },
    answers: { cluster_id: '@cluster_id', reason: 'incident 42' },
    wrong: { cluster_id: '@cluster_id', ttl_in_days: 30 },
    says: '"ttl_in_days"',
  },
  {
    tool: 'unlock_cluster',
    right: { cluster_id: '@cluster_id' },
    answers: {},
    wrong: { cluster_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'create_alert_rule',
    right: {
      service: '@application_id',
      name: 'New errors',
      condition: { promql: 'up == 0' },
      alert_receiver_ids: ['@alert_receiver_id'],
    },
    answers: { name: 'New errors', target: { target_type: 'APPLICATION', target_id: '@application_id' } },
    wrong: { service: '@application_id', name: 'x', condition: { promql: 'up == 0' }, alert_receiver_ids: [] },
    says: '"alert_receivers"',
  },
  {
    tool: 'silence_alert_rule',
    right: { alert_rule_id: '@alert_rule_id', until: '2999-01-01T00:00:00.000Z', reason: 'Load test.' },
    answers: { id: '@alert_rule_id', silenced_until: '2999-01-01T00:00:00.000Z', silence_reason: 'Load test.' },
    again: {},
    wrong: { alert_rule_id: '@alert_rule_id', until: 'tomorrow' },
    says: '"until"',
  },
  {
    tool: 'unsilence_alert_rule',
    right: { alert_rule_id: '@alert_rule_id' },
    answers: { id: '@alert_rule_id' },
    again: {},
    wrong: { alert_rule_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'delete_alert_rule',
    right: { alert_rule_id: '@alert_rule_id' },
    answers: {},
    wrong: { alert_rule_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'run_job',
    right: { job_id: '@job_id', arguments: ['--only', 'users'] },
    answers: { execution_id: any, job_id: '@job_id', arguments: ['--only', 'users'] },
    wrong: { job_id: '@job_id', arguments: '--only' },
    says: '"arguments"',
  },
  { tool: 'cancel_job_run', right: { job_id: '@job_id' }, answers: {}, wrong: { job_id: nowhere }, says: 'no such id' },
  {
    tool: 'create_helm',
    right: {
      environment_id: '@environment_id',
      name: 'made-chart',
      source: { helm_repository: { repository: '@helm_repository_id', chart_name: 'redis', chart_version: '1.2.3' } },
    },
    answers: { id: any, name: 'made-chart', auto_deploy: false },
    wrong: { environment_id: '@environment_id', name: 'x', source: {} },
    says: '"source"',
  },
  {
    tool: 'create_terraform',
    right: {
      environment_id: '@environment_id',
      name: 'made-infrastructure',
      git_repository: { url: 'https://git.example.com/team/infrastructure.git' },
    },
    answers: { id: any, name: 'made-infrastructure', auto_deploy: false },
    wrong: { environment_id: '@environment_id', name: 'x', git_repository: { url: 'nowhere' } },
    says: '"git_repository.url"',
  },
  {
    tool: 'update_terraform',
    right: { terraform_id: '@terraform_id', git_repository: { branch: 'next' } },
    answers: { id: '@terraform_id', changes: ['terraform_files_source.git_repository.branch: main → next'] },
    wrong: { terraform_id: '@terraform_id', git_repository: { url: 'nowhere' } },
    says: '"git_repository.url"',
  },
  {
    tool: 'get_cluster',
    right: { cluster: '@cluster_id' },
    answers: { id: '@cluster_id', advanced_settings: expect.objectContaining({ 'lock.maximum_days': 5 }) },
    wrong: { cluster: nowhere },
    says: 'no such id',
  },
  {
    tool: 'delete_database_backup',
    right: { database_id: '@database_id', backup_id: seedId('backup/shop/staging/orders-db/before-migration') },
    answers: {},
    wrong: { database_id: '@database_id', backup_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'list_labels_groups',
    right: organization,
    answers: { results: rows({ id: '@labels_group_id' }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'create_labels_group',
    right: { ...organization, name: 'made-labels', labels: [] },
    answers: { id: any, name: 'made-labels' },
    wrong: { ...organization, name: '', labels: [] },
    says: '"name"',
  },
  {
    tool: 'update_labels_group',
    right: { ...organization, labels_group_id: '@labels_group_id', name: 'costs' },
    answers: { id: '@labels_group_id' },
    again: {},
    wrong: { ...organization, labels_group_id: '@labels_group_id', name: '' },
    says: '"name"',
  },
  {
    tool: 'delete_labels_group',
    right: { ...organization, labels_group_id: 'trial-labels' },
    answers: {},
    wrong: { ...organization, labels_group_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'list_annotations_groups',
    right: organization,
    answers: { results: rows({ id: '@annotations_group_id' }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'create_annotations_group',
    right: { ...organization, name: 'made-annotations', annotations: [], scopes: ['PODS'] },
    answers: { id: any, name: 'made-annotations' },
    wrong: { ...organization, name: '', annotations: [], scopes: ['PODS'] },
    says: '"name"',
  },
  {
    tool: 'update_annotations_group',
    right: { ...organization, annotations_group_id: '@annotations_group_id', name: 'scraped' },
    answers: { id: '@annotations_group_id' },
    again: {},
    wrong: { ...organization, annotations_group_id: '@annotations_group_id', name: '' },
    says: '"name"',
  },
  {
    tool: 'delete_annotations_group',
    right: { ...organization, annotations_group_id: 'trial-annotations' },
    answers: {},
    wrong: { ...organization, annotations_group_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'list_alert_receivers',
    right: organization,
    answers: { results: rows({ id: '@alert_receiver_id', type: 'SLACK', webhook_url_set: false }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'create_alert_receiver',
    right: { ...organization, name: 'chat', webhook_url: 'https://chat.example/in' },
    answers: { name: 'chat', type: 'SLACK', webhook_url_set: true, send_resolved: true },
    wrong: { ...organization, name: 'nowhere' },
    says: '"webhook_url"',
  },
  {
    tool: 'update_alert_receiver',
    right: { alert_receiver_id: '@alert_receiver_id', send_resolved: false },
    answers: { id: '@alert_receiver_id' },
    again: {},
    wrong: { alert_receiver_id: '@alert_receiver_id', webhook_url: 'ftp://x' },
    says: '"webhook_url"',
  },
  {
    tool: 'test_alert_receiver',
    right: { alert_receiver_id: '@alert_receiver_id' },
    answers: { delivered: false },
    wrong: { alert_receiver_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'delete_alert_receiver',
    right: { alert_receiver_id: 'team-mail' },
    answers: {},
    wrong: { alert_receiver_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'list_helm_repositories',
    right: organization,
    answers: { results: rows({ id: '@helm_repository_id', associated_services_count: any }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'update_helm_repository',
    right: { ...organization, helm_repository_id: '@helm_repository_id', url: 'https://charts.example/moved' },
    answers: { id: '@helm_repository_id' },
    again: {},
    wrong: { ...organization, helm_repository_id: '@helm_repository_id', url: 'ftp://x' },
    says: '"url"',
  },
  {
    tool: 'delete_helm_repository',
    right: { ...organization, helm_repository_id: 'private-charts' },
    answers: {},
    wrong: { ...organization, helm_repository_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'list_helm_charts',
    right: { ...organization, helm_repository_id: '@helm_repository_id' },
    answers: { results: expect.arrayContaining([{ chart_name: any, versions: expect.arrayContaining([any]) }]) },
    wrong: { ...organization, helm_repository_id: 'private-charts' },
    says: "can't be read",
  },
  {
    tool: 'list_container_registries',
    right: organization,
    answers: { results: rows({ id: '@registry_id', associated_services_count: any }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'create_container_registry',
    right: { ...organization, name: 'made-registry', kind: 'GENERIC_CR', url: 'https://images.example', config: {} },
    answers: { id: any, name: 'made-registry' },
    wrong: { ...organization, name: 'made-too', kind: 'GENERIC_CR', url: 'https://u:p@images.example', config: {} },
    says: '"url"',
  },
  {
    tool: 'update_container_registry',
    right: { ...organization, registry_id: '@registry_id', url: 'https://images.example/moved' },
    answers: { id: '@registry_id' },
    again: {},
    wrong: { ...organization, registry_id: '@registry_id', url: 'ftp://x' },
    says: '"url"',
  },
  {
    tool: 'delete_container_registry',
    right: { ...organization, registry_id: 'acme-ecr' },
    answers: {},
    wrong: { ...organization, registry_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'list_git_tokens',
    right: organization,
    answers: { results: rows({ id: '@git_token_id', associated_services_count: any }) },
    wrong: { organization_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'create_git_token',
    right: { ...organization, name: 'made-token', type: 'GITLAB', token: 'correct-horse-9' },
    answers: { id: any, name: 'made-token' },
    wrong: { ...organization, name: 'made-too', type: 'git host', token: 'correct-horse-9' },
    says: '"type"',
  },
  {
    tool: 'update_git_token',
    right: { ...organization, git_token_id: '@git_token_id', name: 'all-source-reader' },
    answers: { id: '@git_token_id' },
    again: {},
    wrong: { ...organization, git_token_id: '@git_token_id', expired_at: 'tomorrow' },
    says: '"expired_at"',
  },
  {
    tool: 'delete_git_token',
    right: { ...organization, git_token_id: 'trial-token' },
    answers: {},
    wrong: { ...organization, git_token_id: nowhere },
    says: 'no such id',
  },
  {
    tool: 'delete_webhook',
    right: { ...organization, webhook_id: '@webhook_id' },
    answers: {},
    wrong: { ...organization, webhook_id: nowhere },
    says: 'no such id',
  },
];

/** The words of a result, whichever way they were written into its cells, without the ages beside timestamps. */
const plain = (text: string): string =>
  text.replaceAll(/\\+([n|"])/g, '$1').replaceAll(/ \((?:in )?\d+[dhms](?: ago)?\)/g, '');

function expectAnswer(result: CallToolResult, answers: Record<string, unknown>): void {
  expect(result.isError, textOf(result)).toBeFalsy();
  expect(result.structuredContent).toMatchObject(seeded(answers) as Record<string, unknown>);
  const words = plain(textOf(result));
  expect(
    leavesOf(result.structuredContent).filter(
      (leaf) => ![leaf, leaf.replaceAll('\n', '\\n')].some((written) => words.includes(plain(written))),
    ),
  ).toEqual([]);
}

function expectRefusal(result: CallToolResult, tool: string, says: string): void {
  expect(result.isError).toBe(true);
  expect(result.structuredContent).toBeUndefined();
  expect(textOf(result)).toContain(tool);
  expect(textOf(result)).toContain(says);
}

test('there is a case for each tool', () => {
  expect(cases.map(({ tool }) => tool).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
});

describe('in the 2026 era', () => {
  test.each(cases)('$tool refuses and says why', async ({ tool, wrong, says }) => {
    expectRefusal(await clients.modern.call(tool, seeded(wrong) as Args), tool, says);
  });

  test.each(cases.filter(({ right }) => right))('$tool does what it says', async ({ tool, right, answers }) => {
    expectAnswer(await clients.modern.call(tool, seeded(right) as Args), answers);
  });
});

describe('in the 2025 era', () => {
  const representative = [
    'get_organization',
    'list_projects',
    'get_application_status',
    'list_environment_variables',
    'get_application_logs',
    'get_helm',
    'update_billing_info',
    'create_webhook',
    'list_services',
    'list_clusters',
    'get_environment_status',
  ];

  test.each(cases.filter(({ tool }) => representative.includes(tool)))(
    '$tool does what it says, and refuses',
    async ({ tool, right, answers, again = answers, wrong, says }) => {
      expectAnswer(await clients.legacy.call(tool, seeded(right) as Args), again);
      expectRefusal(await clients.legacy.call(tool, seeded(wrong) as Args), tool, says);
    },
  );
});
