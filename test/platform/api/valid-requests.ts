import type { OperationName } from '../../../src/contract/operations.ts';
import { seedId } from '../../../src/platform/seed/ids.ts';

type Input = Record<string, unknown>;

/** What inputs are made of: ids by the names of the contract's members, the organization's among them. */
type Ids = Readonly<Record<string, string>>;

const healthchecks = {
  readiness_probe: { type: { http: { port: 8080, path: '/health', scheme: 'HTTP' } }, initial_delay_seconds: 5, period_seconds: 10, timeout_seconds: 3, success_threshold: 1, failure_threshold: 3 },
  liveness_probe: { type: { exec: { command: ['cat', '/tmp/alive'] } } },
};

const runnableFields = (ids: Ids) => ({
  cpu: 500, memory: 512, gpu: 0, min_running_instances: 1, max_running_instances: 3, description: 'Made by a test.', arguments: ['--verbose'], entrypoint: '/start',
  ports: [
    { internal_port: 8080, external_port: 443, protocol: 'HTTP', publicly_accessible: true, name: 'web', is_default: true, public_path: '/', public_path_rewrite: '/v1' },
    { internal_port: 9090, protocol: 'GRPC', publicly_accessible: false },
  ],
  storage: [{ type: 'FAST_SSD', size: 10, mount_point: '/data' }],
  auto_preview: false, auto_deploy: true, icon_uri: 'app://icons/box',
  annotations_groups: [{ id: ids['annotations_group_id'] }], labels_groups: [{ id: ids['labels_group_id'] }],
  autoscaling: {
    mode: 'KEDA', polling_interval_seconds: 15, cooldown_period_seconds: 60,
    scalers: [{ scaler_type: 'kafka', enabled: true, role: 'PRIMARY', config_json: { topic: 'orders' }, config_yaml: 'lag: 5', trigger_authentication: { name: 'kafka', config_yaml: 'password: in-the-scaler' } }],
  },
});

const jobFields = (ids: Ids) => ({
  cpu: 250, memory: 256, gpu: 0, description: 'Made by a test.', max_nb_restart: 2, max_duration_seconds: 600, port: 8080, auto_preview: false, auto_deploy: true, icon_uri: 'app://icons/job', healthchecks,
  annotations_groups: [{ id: ids['annotations_group_id'] }], labels_groups: [{ id: ids['labels_group_id'] }],
});

const organizationList = (ids: Ids) => ({ organization_id: ids['organization_id'] });

const own = (path: string): Input => ({ environment_variable_id: seedId(`variable/shop/staging/${path}`) });

/**
 * A valid input for every operation, on a seeded platform, with every member that the operation has. `mark` goes into
 * names, so that inputs with different marks don't stand in each other's way.
 */
export function validRequests(ids: Ids, mark: string): Record<OperationName, Input> {
  const at = (...names: string[]): Input => Object.fromEntries(names.map((name) => [name, ids[name]]));
  const list = { ...organizationList(ids), page: 1, page_size: 50 };
  const application = at('application_id');
  const container = at('container_id');
  const database = at('database_id');
  const helm = at('helm_id');
  const job = at('job_id');
  const terraform = at('terraform_id');
  const environment = at('environment_id');
  const project = at('project_id');
  const region = { environment_variable_id: seedId('variable/shop/REGION') };
  const history = { page: 1, page_size: 5 };
  const details = { description: 'Set by a test.', enable_interpolation_in_file: true };
  const anew = { key: `ANEW_${mark}`, value: 'sent-as-a-secret', ...details };
  return {
    get_organization: {},
    list_projects: list,
    create_project: { ...organizationList(ids), name: `project ${mark}`, description: 'Made by a test.' },
    create_environment: { ...at('project_id', 'cluster_id'), name: `environment ${mark}`, mode: 'DEVELOPMENT' },
    create_application: {
      ...environment, ...runnableFields(ids), name: `application ${mark}`, build_mode: 'DOCKER', dockerfile_path: 'docker/Dockerfile', healthchecks,
      git_repository: { url: 'https://git.example.com/team/app.git', branch: 'main', root_path: '/', provider: 'GIT', git_token_id: null },
    },
    create_database: {
      ...environment, name: `database ${mark}`, type: 'POSTGRESQL', version: '16', mode: 'CONTAINER', cpu: 250, memory: 512, storage: 20,
      description: 'Made by a test.', accessibility: 'PRIVATE', instance_type: 'small',
    },
    deploy_database: database,
    deploy_application: { ...application, git_commit_id: '0123456789abcdef0123456789abcdef01234567' },
    get_application_status: application,
    create_environment_variable: { ...application, key: `PLAIN_${mark}`, value: 'one', mount_path: '/etc/app/plain', ...details },
    list_environment_variables: { ...application, page: 1, page_size: 50 },
    create_secret: { ...application, key: `SECRET_${mark}`, value: 'sent-as-a-secret', mount_path: '/etc/app/secret', ...details },
    get_application_logs: { ...application, tail: 20 },
    update_environment_variable: { ...environment, ...at('environment_variable_id'), key: `RENAMED_${mark}`, value: 'two', mount_path: null, ...details },
    override_environment_variable: { ...container, ...at('environment_variable_id'), value: 'three', ...details },
    update_container: { ...container, ...runnableFields(ids), name: `container ${mark}`, ...at('registry_id'), image_name: 'team/app', tag: '1.2.3', healthchecks },
    restart_services: { ...environment, application_ids: [ids['application_id']], database_ids: [ids['database_id']], container_ids: [ids['container_id']] },
    stop_environment: environment,
    update_helm: {
      ...helm, name: `helm ${mark}`, auto_deploy: true, arguments: ['--wait'], timeout_sec: 300, auto_preview: null, allow_cluster_wide_resources: true,
      source: { helm_repository: { repository: ids['helm_repository_id'], chart_name: 'web', chart_version: '1.0.0' } },
      values_override: {
        set: [['replicas', '2']], set_string: [['tag', '1']], set_json: [['a', '{}']],
        file: { git: { git_repository: { url: 'https://git.example.com/team/values.git', branch: 'main' }, paths: ['values.yaml'] }, raw: { values: [{ name: 'v.yaml', content: 'a: 1' }] } },
      },
      ports: [{ internal_port: 80, name: 'web', external_port: 443, namespace: 'shop', protocol: 'HTTP', is_default: true, service_selectors: [{ key: 'app', value: 'web' }] }],
      description: 'Changed by a test.', icon_uri: 'app://icons/helm',
    },
    get_helm: helm,
    redeploy_terraform: terraform,
    redeploy_application: at('application_id'),
    redeploy_container: at('container_id'),
    redeploy_helm: helm,
    stop_application: application,
    stop_container: container,
    stop_database: database,
    stop_helm: helm,
    stop_job: job,
    redeploy_job: at('job_id'),
    lock_cluster: { ...at('cluster_id'), reason: 'an incident', ttl_in_days: 2 },
    upgrade_cluster: at('cluster_id'),
    list_members: list,
    invite_member: { ...organizationList(ids), email: `someone.${mark}@example.com`, role: 'VIEWER', ...at('role_id') },
    update_alert_rule: {
      ...at('alert_rule_id'), name: `rule ${mark}`, description: 'Changed by a test.', tag: 'shop', for_duration: 'PT10M', severity: 'CRITICAL', enabled: true,
      condition: { kind: 'CUSTOM', promql: 'up == 0', operator: 'ABOVE', threshold: 0.5, function: 'AVG' },
      alert_receiver_ids: [ids['alert_receiver_id']], presentation: { summary: 'Down', runbook_url: 'https://runbooks.example.com/down' },
    },
    create_helm_repository: {
      ...organizationList(ids), name: `charts ${mark}`, kind: 'OCI_ECR', skip_tls_verification: true, url: 'oci://charts.example.com/team', description: 'Made by a test.',
      config: {
        username: 'reader', password: 'sent-as-a-password', access_key_id: 'AKID', secret_access_key: 'sent-as-an-access-key', region: 'eu-west-3', vendor_access_key: 'VKID',
        vendor_secret_key: 'sent-as-a-vendor-key', vendor_project_id: 'p', azure_tenant_id: 't', azure_subscription_id: 's', role_arn: 'arn:role',
      },
    },
    update_billing_info: {
      ...organizationList(ids), first_name: 'Ada', last_name: 'King', email: 'ada@example.com', address: '1 Main Street', city: 'Springfield', zip: '62701',
      country_code: 'US', state: 'IL', company: 'Example', vat_number: 'none',
    },
    list_job_deployments: { ...job, ...history },
    get_labels_group: { ...organizationList(ids), ...at('labels_group_id') },
    create_webhook: {
      ...organizationList(ids), target_url: 'https://hooks.example.com/in', events: ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED', 'DEPLOYMENT_FAILED'], enabled: false,
      kind: 'SLACK', description: 'Made by a test.', target_secret: 'sent-as-a-webhook-secret',
    },
    list_webhook_events: { ...list, ...at('webhook_id') },

    list_environments: { ...at('project_id'), page: 1, page_size: 50 },
    list_services_of_organization: { ...organizationList(ids), ...at('project_id', 'environment_id', 'cluster_id') },
    list_environments_of_organization: organizationList(ids),
    list_environment_overviews: at('project_id'),
    list_environment_statuses: at('project_id'),
    list_events: { ...organizationList(ids), page_size: 5, from_timestamp: '2026-01-01T00:00:00.000Z', to_timestamp: '2126-01-01T00:00:00.000Z', origin: 'API', triggered_by: 'admin of the tests', target_type: 'PROJECT', target_id: ids['project_id'], service_project_id: ids['project_id'] },
    get_application_links: application,
    list_application_commits: application,
    list_helm_commits: helm,
    list_job_commits: job,
    list_terraform_commits: terraform,
    get_container_links: container,
    get_helm_links: helm,
    list_links_of_environment: environment,
    get_environment: environment,
    list_services: { ...environment, page: 1, page_size: 50 },
    get_environment_status: environment,
    get_application: application,
    get_container: container,
    get_database: database,
    get_job: job,
    get_terraform: terraform,
    get_container_status: container,
    get_database_status: database,
    get_job_status: job,
    get_helm_status: helm,
    get_terraform_status: terraform,
    get_container_logs: { ...container, tail: 20 },
    get_database_logs: { ...database, tail: 20 },
    get_job_logs: { ...job, tail: 20 },
    get_helm_logs: { ...helm, tail: 20 },
    get_terraform_logs: { ...terraform, tail: 20 },
    list_application_deployments: { ...application, ...history },
    list_container_deployments: { ...container, ...history },
    list_database_deployments: { ...database, ...history },
    list_helm_deployments: { ...helm, ...history },
    list_terraform_deployments: { ...terraform, ...history },
    list_environment_deployments: { ...environment, ...history },
    get_environment_logs: { ...environment, tail: 20 },
    list_variables_of_environment: { ...environment, page: 1, page_size: 50 },
    list_variables_of_container: { ...container, page: 1, page_size: 50 },
    update_variable_of_application: { ...application, ...own('checkout-api/PAYMENT_PROVIDER'), key: `OWN_${mark}`, value: 'live', mount_path: null, ...details },
    // The key of an override can't change.
    update_variable_of_container: { ...container, ...own('search/REGION'), key: 'REGION', value: 'eu-west-1', mount_path: null, ...details },
    update_variable_of_job: { ...job, ...own('nightly-report/REPORT_FORMAT'), key: `OWN_${mark}`, value: 'json', mount_path: null, ...details },
    list_clusters: list,
    get_cluster_status: { ...organizationList(ids), ...at('cluster_id') },
    list_cluster_locks: list,
    list_locks: list,
    list_alert_rules: list,
    get_alert_rule: at('alert_rule_id'),
    list_alert_receivers: list,
    list_webhooks: list,
    list_labels_groups: list,
    list_annotations_groups: list,
    list_helm_repositories: list,
    list_container_registries: list,
    list_roles: list,
    list_invitations: list,
    get_billing_info: organizationList(ids),
    update_application: {
      ...application, ...runnableFields(ids), name: `changed application ${mark}`, build_mode: 'DOCKER', dockerfile_path: 'Dockerfile', healthchecks,
      git_repository: { url: 'https://git.example.com/team/app.git', branch: 'next', root_path: '/', provider: 'GIT', git_token_id: null },
    },
    update_database: {
      ...database, name: `changed database ${mark}`, version: '17', cpu: 500, memory: 1024, storage: 30, description: 'Changed by a test.', accessibility: 'PUBLIC',
      annotations_groups: [{ id: ids['annotations_group_id'] }], labels_groups: [{ id: ids['labels_group_id'] }], icon_uri: 'app://icons/database',
    },
    create_container: { ...environment, ...runnableFields(ids), name: `new container ${mark}`, ...at('registry_id'), image_name: 'team/app', tag: '1.2.3', healthchecks },
    create_job: {
      ...environment, ...jobFields(ids), name: `new job ${mark}`, schedule: { cronjob: { scheduled_at: '*/10 * * * *', timezone: 'Europe/Paris', entrypoint: '/run', arguments: ['--all'] } },
      source: { image: { image_name: 'team/report', tag: '1.0', ...at('registry_id') } },
    },
    update_job: {
      ...job, ...jobFields(ids), name: `job ${mark}`, schedule: { on_start: { entrypoint: '/up' }, on_stop: { arguments: ['down'] }, on_delete: {}, lifecycle_type: 'GENERIC' },
      source: { docker: { git_repository: { url: 'https://git.example.com/team/job.git', branch: 'main', root_path: '/', provider: 'GIT', git_token_id: null }, dockerfile_path: 'Dockerfile', dockerfile_raw: null, docker_target_build_stage: null } },
    },
    create_terraform: {
      ...environment, name: `new terraform ${mark}`, terraform_files_source: { git: { git_repository: { url: 'https://git.example.com/team/infrastructure.git', branch: 'main', root_path: '/', provider: 'GIT', git_token_id: null } } },
      terraform_variables_source: { tf_var_file_paths: ['staging.tfvars'] }, timeout_sec: 600, cpu: 500, memory: 512, description: 'Made by a test.', icon_uri: 'app://icons/terraform',
    },
    update_terraform: {
      ...terraform, name: `terraform ${mark}`, terraform_files_source: { git: { git_repository: { url: 'https://git.example.com/team/infrastructure.git', branch: 'main', root_path: '/aws', provider: 'GIT', git_token_id: null } } },
      terraform_variables_source: { tf_var_file_paths: [] }, timeout_sec: 900, cpu: 500, memory: 512,
    },
    plan_terraform: { ...terraform, git_commit_id: '0123456789abcdef0123456789abcdef01234567' },
    list_terraform_plans: terraform,
    deploy_container: container,
    deploy_helm: helm,
    deploy_job: job,
    deploy_environment: environment,
    stop_services: { ...environment, application_ids: [ids['application_id']], container_ids: [ids['container_id']], database_ids: [ids['database_id']], job_ids: [ids['job_id']], helm_ids: [ids['helm_id']], terraform_ids: [ids['terraform_id']] },
    deploy_services: {
      ...environment, applications: [{ application_id: ids['application_id'], git_commit_id: '0123456789abcdef0123456789abcdef01234567' }], containers: [{ id: ids['container_id'], image_tag: '1.4.2' }],
      helms: [{ id: ids['helm_id'], chart_version: '20.6.1' }], databases: [ids['database_id']], jobs: [{ id: ids['job_id'] }], terraforms: [{ id: ids['terraform_id'] }],
    },
    delete_application: application,
    delete_container: container,
    delete_database: database,
    delete_job: job,
    delete_helm: helm,
    delete_terraform: terraform,
    delete_environment: environment,
    cancel_deployment: environment,
    unlock_cluster: at('cluster_id'),
    clone_environment: { ...environment, name: `clone ${mark}`, mode: 'DEVELOPMENT', ...at('cluster_id', 'project_id'), apply_deployment_rule: false },
    list_variables_of_job: { ...job, page: 1, page_size: 50 },
    list_secrets_of_application: { ...application, page: 1, page_size: 50 },
    list_secrets_of_container: { ...container, page: 1, page_size: 50 },
    list_secrets_of_job: { ...job, page: 1, page_size: 50 },
    list_secrets_of_environment: { ...environment, page: 1, page_size: 50 },
    create_variable_of_container: { ...container, key: `MADE_${mark}`, value: 'one', mount_path: '/etc/app/plain', ...details },
    create_variable_of_job: { ...job, key: `MADE_${mark}`, value: 'one', mount_path: '/etc/app/plain', ...details },
    create_variable_of_environment: { ...environment, key: `MADE_${mark}`, value: 'one', mount_path: '/etc/app/plain', ...details },
    create_secret_of_container: { ...container, key: `STORED_${mark}`, value: 'sent-as-a-secret', mount_path: '/etc/app/secret', ...details },
    create_secret_of_job: { ...job, key: `STORED_${mark}`, value: 'sent-as-a-secret', mount_path: '/etc/app/secret', ...details },
    create_secret_of_environment: { ...environment, key: `STORED_${mark}`, value: 'sent-as-a-secret', mount_path: '/etc/app/secret', ...details },
    delete_variable_of_application: { ...application, environment_variable_id: seedId('variable/shop/staging/checkout-api/PAYMENT_PROVIDER') },
    delete_variable_of_container: { ...container, environment_variable_id: seedId('variable/shop/staging/search/REGION') },
    delete_variable_of_job: { ...job, environment_variable_id: seedId('variable/shop/staging/nightly-report/REPORT_FORMAT') },
    delete_variable_of_environment: { ...environment, ...at('environment_variable_id') },
    delete_secret_of_application: { ...application, ...at('secret_id') },
    delete_secret_of_container: { ...container, secret_id: seedId('variable/shop/staging/search/SEARCH_TOKEN') },
    delete_secret_of_job: { ...job, secret_id: seedId('variable/shop/staging/nightly-report/REPORT_TOKEN') },
    delete_secret_of_environment: { ...environment, secret_id: seedId('variable/shop/staging/SHARED_TOKEN') },
    update_secret_of_application: { ...application, ...at('secret_id'), ...anew },
    update_secret_of_container: { ...container, secret_id: seedId('variable/shop/staging/search/SEARCH_TOKEN'), ...anew },
    update_secret_of_job: { ...job, secret_id: seedId('variable/shop/staging/nightly-report/REPORT_TOKEN'), ...anew },
    update_secret_of_environment: { ...environment, secret_id: seedId('variable/shop/staging/SHARED_TOKEN'), ...anew },
    update_secret_of_project: { ...project, secret_id: seedId('variable/shop/LICENCE_TOKEN'), ...anew },
    list_variables_of_project: { ...project, page: 1, page_size: 50 },
    list_secrets_of_project: { ...project, page: 1, page_size: 50 },
    create_variable_of_project: { ...project, key: `MADE_${mark}`, value: 'one', mount_path: '/etc/app/plain', ...details },
    create_secret_of_project: { ...project, key: `STORED_${mark}`, value: 'sent-as-a-secret', mount_path: '/etc/app/secret', ...details },
    update_variable_of_project: { ...project, ...region, key: `OWN_${mark}`, value: 'eu-west-1', mount_path: null, ...details },
    delete_variable_of_project: { ...project, ...region },
    delete_secret_of_project: { ...project, secret_id: seedId('variable/shop/LICENCE_TOKEN') },
    list_variables: { scope: 'HELM', parent_id: ids['helm_id'], is_secret: 'false' },
    create_variable: { key: `MADE_${mark}`, value: 'sent-as-a-secret', is_secret: true, variable_scope: 'HELM', variable_parent_id: ids['helm_id'], mount_path: '/etc/app/any', ...details },
    update_variable: { ...own('session-cache/CACHE_TTL'), key: `OWN_${mark}`, value: 'two', ...details },
    delete_variable: own('session-cache/CACHE_TTL'),
    override_variable: { ...at('environment_variable_id'), value: 'three', override_scope: 'TERRAFORM', override_parent_id: ids['terraform_id'], ...details },
    list_application_domains: { ...application, page: 1, page_size: 50 },
    list_container_domains: { ...container, page: 1, page_size: 50 },
    list_helm_domains: { ...helm, page: 1, page_size: 50 },
    get_application_domain_check: application,
    get_container_domain_check: container,
    get_helm_domain_check: helm,
    create_application_domain: { ...application, domain: `app.${mark}.example.com`, generate_certificate: true, use_cdn: false },
    create_container_domain: { ...container, domain: `container.${mark}.example.com`, generate_certificate: false, use_cdn: true },
    create_helm_domain: { ...helm, domain: `*.${mark}.example.com`, generate_certificate: true, use_cdn: false },
    delete_application_domain: { ...application, ...at('custom_domain_id') },
    delete_container_domain: { ...container, custom_domain_id: seedId('domain/shop/staging/search') },
    delete_helm_domain: { ...helm, custom_domain_id: seedId('domain/shop/staging/session-cache') },
    list_database_backups: { ...database, ...history },
    create_database_backup: { ...database, name: `backup ${mark}`, message: 'Made by a test.' },
    delete_database_backup: { ...database, backup_id: seedId('backup/shop/staging/orders-db/before-migration') },
    get_database_recovery: { ...database, ...at('backup_id') },
    restore_database: { ...database, ...at('backup_id'), without_waiting: true },
  };
}

/** Values in the inputs above that must never come back. */
export const sentSecrets = [
  'sent-as-a-secret', 'sent-as-a-password', 'sent-as-an-access-key', 'sent-as-a-vendor-key', 'sent-as-a-webhook-secret', 'in-the-scaler',
];

/** Whether an operation deletes a service, or an environment with all of them: it refuses what comes after. */
export const deletesServices = (name: OperationName): boolean => /^delete_[a-z]+$/.test(name);
