import type { RunningPlatform } from '../../src/platform/index.ts';
import { seedId } from '../../src/platform/seed/index.ts';
import type { TestPlatform } from './test-platform.ts';

type Args = Record<string, unknown>;

let count = 0;
let roleChanges = 0;
let ruleChanges = 0;
const uniqueName = (word: string): string => `${word}-${(count += 1)}`;

/**
 * Arguments with which a project can be deleted, on a platform where this makes an empty one: those of the seed have
 * environments, and are refused.
 */
export async function deletableProject(
  platform: Pick<TestPlatform, 'must' | 'organizationId'>,
): Promise<Record<'delete_project', () => Args>> {
  const { organizationId: organization_id } = platform;
  const { id } = await platform.must('create_project', { organization_id, name: uniqueName('empty') });
  return { delete_project: () => ({ project_id: id }) };
}

/**
 * Arguments with which each tool can be called on the seeded platform, repeatedly: each replacement changes something.
 */
export function toolCallsOn({
  seed,
  organizationId,
}: Pick<RunningPlatform, 'seed' | 'organizationId'>): Record<string, () => Args> {
  const id = (name: string): Args => ({ [name]: seed[name] });
  const organization = { organization_id: organizationId };
  const application = `infra://service/application/${seed['application_id']}`;
  return {
    get_organization: () => ({}),
    list_projects: () => organization,
    create_project: () => ({ ...organization, name: uniqueName('project') }),
    create_environment: () => ({
      ...id('project_id'),
      ...id('cluster_id'),
      name: uniqueName('environment'),
      mode: 'STAGING',
    }),
    create_application: () => ({
      ...id('environment_id'),
      name: uniqueName('app'),
      git_repository: { url: 'https://git.example/shop/app.git' },
    }),
    create_database: () => ({
      ...id('environment_id'),
      name: uniqueName('db'),
      type: 'REDIS',
      version: '7',
      mode: 'CONTAINER',
    }),
    deploy_database: () => id('database_id'),
    deploy_application: () => id('application_id'),
    get_application_status: () => id('application_id'),
    create_environment_variable: () => ({
      ...id('application_id'),
      key: uniqueName('KEY').replace('-', '_'),
      value: 'x',
    }),
    list_environment_variables: () => id('application_id'),
    create_secret: () => ({
      ...id('application_id'),
      key: uniqueName('SECRET').replace('-', '_'),
      value: 'correct-horse-9',
    }),
    get_application_logs: () => ({ ...id('application_id'), tail: 5 }),
    update_environment_variable: () => ({
      ...id('environment_id'),
      ...id('environment_variable_id'),
      key: 'REGION',
      value: uniqueName('value'),
    }),
    override_environment_variable: () => ({
      ...id('container_id'),
      ...id('environment_variable_id'),
      value: uniqueName('value'),
    }),
    update_container: () => ({
      ...id('container_id'),
      ...id('registry_id'),
      name: 'worker',
      image_name: 'library/worker',
      tag: uniqueName('2.0'),
      healthchecks: {},
    }),
    restart_services: () => ({ ...id('environment_id'), container_ids: [seed['container_id']] }),
    stop_environment: () => id('environment_id'),
    update_helm: () => ({
      ...id('helm_id'),
      name: 'metrics',
      description: uniqueName('release'),
      auto_deploy: false,
      arguments: [],
      values_override: {},
      source: {
        helm_repository: { repository: seed['helm_repository_id'], chart_name: 'metrics', chart_version: '1.2.3' },
      },
    }),
    get_helm: () => id('helm_id'),
    plan_terraform: () => id('terraform_id'),
    redeploy_terraform: () => id('terraform_id'),
    lock_cluster: () => ({ ...id('cluster_id'), reason: 'incident' }),
    upgrade_cluster: () => id('cluster_id'),
    list_members: () => organization,
    invite_member: () => ({ ...organization, email: `${uniqueName('ann')}@example.com` }),
    update_alert_rule: () => ({
      ...id('alert_rule_id'),
      name: 'CPU high',
      description: uniqueName('x'),
      tag: 'cpu',
      condition: { promql: 'rate(cpu[5m]) > 0.9' },
      for_duration: 'PT5M',
      severity: 'HIGH',
      enabled: true,
      alert_receiver_ids: [seed['alert_receiver_id']],
      presentation: {},
    }),
    create_helm_repository: () => ({
      ...organization,
      name: uniqueName('charts'),
      kind: 'HTTPS',
      skip_tls_verification: false,
      config: {},
      url: 'https://charts.example',
    }),
    update_billing_info: () => ({
      ...organization,
      first_name: 'Ada',
      last_name: 'King',
      email: 'ada@example.com',
      address: '1 Main St',
      city: uniqueName('Paris'),
      zip: '75001',
      country_code: 'FR',
    }),
    list_job_deployments: () => id('job_id'),
    get_labels_group: () => ({ ...organization, ...id('labels_group_id') }),
    create_webhook: () => ({ ...organization, target_url: 'https://hooks.example/in', events: ['DEPLOYMENT_FAILED'] }),
    list_webhook_events: () => ({ ...organization, ...id('webhook_id') }),
    list_environments: () => id('project_id'),
    get_environment: () => id('environment_id'),
    list_services: () => id('environment_id'),
    get_environment_status: () => id('environment_id'),
    list_clusters: () => organization,
    cancel_deployment: () => id('environment_id'),
    unlock_cluster: () => ({ cluster_id: seedId('cluster/batch') }),
    list_alert_rules: () => organization,
    list_webhooks: () => organization,
    update_project: () => ({ project_id: seedId('project/data'), description: uniqueName('data') }),
    delete_project: () => ({ project_id: seedId('project/data') }),
    update_environment: () => ({ environment_id: seedId('environment/data/development'), name: uniqueName('trial') }),
    list_roles: () => organization,
    update_member_role: () => ({
      ...organization,
      user_id: seedId('member/dev'),
      role_id: seedId(`role/${(roleChanges += 1) % 2 === 0 ? 'developer' : 'admin'}`),
    }),
    remove_member: () => ({ ...organization, user_id: seedId('member/bo') }),
    list_invitations: () => organization,
    revoke_invitation: () => ({ ...organization, invitation_id: seedId('invitation/felix@acme.example') }),
    resend_invitation: () => ({ invitation: seedId('invitation/erin@acme.example') }),
    list_api_tokens: () => organization,
    create_api_token: () => ({ ...organization, name: uniqueName('token'), permission: 'read' }),
    revoke_api_token: () => ({ ...organization, api_token_id: seedId('api-token/laptop') }),
    update_webhook: () => ({ ...id('webhook_id'), description: uniqueName('description') }),
    test_webhook: () => id('webhook_id'),
    delete_webhook: () => id('webhook_id'),
    create_alert_rule: () => ({
      service: `infra://service/application/${seed['application_id']}`,
      name: uniqueName('rule'),
      condition: { promql: 'up == 0' },
      alert_receiver_ids: [seed['alert_receiver_id']],
    }),
    silence_alert_rule: () => ({ ...id('alert_rule_id'), until: '2999-01-01T00:00:00Z' }),
    unsilence_alert_rule: () => ({ alert_rule_id: seedId('alert-rule/report-late') }),
    delete_alert_rule: () => id('alert_rule_id'),
    list_alert_receivers: () => organization,
    create_alert_receiver: () => ({ name: uniqueName('receiver'), webhook_url: 'https://chat.example/in' }),
    update_alert_receiver: () => ({ ...id('alert_receiver_id'), description: uniqueName('description') }),
    test_alert_receiver: () => id('alert_receiver_id'),
    delete_alert_receiver: () => ({ alert_receiver_id: seedId('alert-receiver/mail') }),
    list_helm_repositories: () => organization,
    update_helm_repository: () => ({ ...id('helm_repository_id'), description: uniqueName('description') }),
    delete_helm_repository: () => ({ helm_repository_id: seedId('helm-repository/private') }),
    list_helm_charts: () => id('helm_repository_id'),
    list_container_registries: () => organization,
    create_container_registry: () => ({
      name: uniqueName('registry'),
      kind: 'GENERIC_CR',
      url: 'https://images.example',
      config: {},
    }),
    update_container_registry: () => ({ ...id('registry_id'), description: uniqueName('description') }),
    delete_container_registry: () => ({ registry_id: seedId('registry/ecr') }),
    list_git_tokens: () => organization,
    create_git_token: () => ({ name: uniqueName('token'), type: 'GITLAB', token: 'correct-horse-9' }),
    update_git_token: () => ({ ...id('git_token_id'), description: uniqueName('description') }),
    delete_git_token: () => ({ git_token_id: seedId('git-token/unused') }),
    list_labels_groups: () => organization,
    create_labels_group: () => ({
      name: uniqueName('labels'),
      labels: [{ key: 'team', value: 'a', propagate_to_cloud_provider: false }],
    }),
    update_labels_group: () => ({ ...id('labels_group_id'), name: uniqueName('labels') }),
    delete_labels_group: () => ({ labels_group_id: seedId('labels-group/unused') }),
    list_annotations_groups: () => organization,
    create_annotations_group: () => ({
      name: uniqueName('annotations'),
      annotations: [{ key: 'a/b', value: 'c' }],
      scopes: ['PODS'],
    }),
    update_annotations_group: () => ({ ...id('annotations_group_id'), name: uniqueName('annotations') }),
    delete_annotations_group: () => ({ annotations_group_id: seedId('annotations-group/unused') }),
    get_deployment_rule: () => id('environment_id'),
    update_deployment_rule: () => ({
      environment: seed['environment_id'],
      start_time: `0${(ruleChanges += 1) % 10}:30`,
    }),
    list_deployment_windows: () => organization,
    create_deployment_window: () => ({
      ...id('environment_id'),
      name: uniqueName('window'),
      begins: '2999-12-24 16:00',
      ends: '2999-12-27 08:00',
      time_zone: 'Europe/Paris',
    }),
    delete_deployment_window: () => ({ deployment_window: seedId('deployment-window/year-end-freeze') }),
    set_environment_end: () => ({
      environment: seedId('environment/data/development'),
      ends_at: '2999-01-01T00:00:00Z',
    }),
    unset_environment_end: () => id('environment_id'),
    run_job: () => ({ ...id('job_id'), arguments: ['--only', uniqueName('user')] }),
    cancel_job_run: () => id('job_id'),
    create_helm: () => ({
      ...id('environment_id'),
      name: uniqueName('chart'),
      source: {
        helm_repository: { repository: seed['helm_repository_id'], chart_name: 'redis', chart_version: '1.2.3' },
      },
    }),
    create_terraform: () => ({
      ...id('environment_id'),
      name: uniqueName('infrastructure'),
      git_repository: { url: 'https://git.example/infrastructure.git' },
    }),
    update_terraform: () => ({ ...id('terraform_id'), description: uniqueName('infrastructure') }),
    get_cluster: () => ({ cluster: seed['cluster_id'] }),
    delete_database_backup: () => ({
      ...id('database_id'),
      backup_id: seedId('backup/shop/staging/orders-db/before-migration'),
    }),
    list_events: () => ({}),
    list_database_backups: () => id('database_id'),
    create_database_backup: () => ({ ...id('database_id'), name: uniqueName('backup'), message: 'By a test.' }),
    restore_database: () => id('database_id'),
    clone_environment: () => ({ ...id('environment_id'), name: uniqueName('clone'), mode: 'STAGING' }),
    find_resource: () => ({}),
    get_organization_overview: () => ({}),
    get_environment_overview: () => ({ environment: seed['environment_id'] }),
    get_service: () => ({ service: application }),
    list_deployments: () => ({ service: application }),
    diagnose_deployment: () => ({ service: application }),
    search_logs: () => ({ service: application, text: 'e' }),
    compare_environments: () => ({ first: seed['environment_id'], second: seed['environment_id'] }),
    wait_for_deployment: () => ({ service: application, seconds: 1 }),
    deploy_service: () => ({ service: `infra://service/container/${seed['container_id']}` }),
    rollback_application: () => ({ application: seed['application_id'] }),
    update_application: () => ({ ...id('application_id'), description: uniqueName('app') }),
    create_container: () => ({
      ...id('environment_id'),
      ...id('registry_id'),
      name: uniqueName('container'),
      image_name: 'library/nginx',
      tag: '1.27',
    }),
    update_database: () => ({ ...id('database_id'), description: uniqueName('db') }),
    create_job: () => ({
      ...id('environment_id'),
      name: uniqueName('job'),
      schedule: { cronjob: { scheduled_at: '0 4 * * *' } },
      source: { image: { image_name: 'library/report', tag: '1.0', registry_id: seed['registry_id'] } },
    }),
    update_job: () => ({ ...id('job_id'), description: uniqueName('job') }),
    set_environment_variables: () => ({
      application: seed['application_id'],
      variables: { [uniqueName('KEY').replace('-', '_')]: 'x' },
    }),
    stop_services: () => ({ services: [`infra://service/container/${seed['container_id']}`] }),
    start_services: () => ({ services: [`infra://service/database/${seedId('service/data/development/events-db')}`] }),
    delete_service: () => ({ service: `infra://service/job/${seedId('service/data/development/migrate-schema')}` }),
    delete_environment: () => ({ environment: seedId('environment/data/development') }),
    create_custom_domain: () => ({ service: application, domain: `${uniqueName('shop')}.example.com` }),
    delete_custom_domain: () => ({
      service: `infra://service/container/${seed['container_id']}`,
      domain: 'search.live.acme.example',
    }),
    delete_environment_variable: () => ({ service: `infra://service/job/${seed['job_id']}`, key: 'REPORT_FORMAT' }),
    get_api_budget: () => ({}),
  };
}
