import type { EverydayRequest } from './everyday-requests.ts';

/**
 * A request, and the words that a model searches the list by when it is asked so: hosts that search never search by the
 * sentence of the user.
 */
export interface SearchedRequest extends EverydayRequest {
  readonly query: string;
}

const row = (ask: string, query: string, ...right: string[]): SearchedRequest => ({ ask, query, right });

/**
 * Requests as different people put them, written before the texts of the tools were read. Texts may be tuned on the
 * first half of each list; of the second only shares are printed.
 */
const everyday: readonly SearchedRequest[] = [
  // Why something fails.
  row("checkout's deploy went red again, what's wrong with it?", 'why deployment failed', 'diagnose_deployment'),
  row(
    'the pipeline says deployed but customers get 502, can you find out what happened',
    'diagnose failing service errors',
    'diagnose_deployment',
    'get_service',
    'search_logs',
  ),
  row(
    'Please determine the root cause of the failed rollout of payments-api.',
    'root cause failed deployment',
    'diagnose_deployment',
  ),
  row('container keeps crashing on boot. reason?', 'service crash loop reason', 'diagnose_deployment', 'get_service'),
  row(
    'it was green yesterday, what broke between then and now',
    'what changed since yesterday',
    'list_events',
    'diagnose_deployment',
  ),
  row('Which deployments failed last week?', 'list failed deployments', 'list_deployments'),
  row('is everything healthy?', 'overall health status of everything', 'get_organization_overview'),
  row(
    'anything on fire this morning',
    'current problems alerts overview',
    'get_organization_overview',
    'list_alert_rules',
  ),
  row(
    'how is staging doing',
    'environment health status services',
    'get_environment_overview',
    'get_environment_status',
  ),
  row('give me the status of the cart service', 'service status', 'get_service', 'get_application_status'),
  // Logs.
  row('tail the gateway', 'application logs tail', 'get_application_logs', 'search_logs'),
  row(
    'grep for "connection refused" over all services in production',
    'search logs text across services',
    'search_logs',
  ),
  row('show stdout of the image resizer', 'service log output', 'get_application_logs', 'search_logs'),
  row('since when do we see this NullPointerException?', 'first occurrence of error in logs', 'search_logs'),
  row('how many warnings did the mailer write today', 'count warnings logs', 'search_logs'),
  row(
    'logs of the last migration job please',
    'job run logs',
    'search_logs',
    'list_job_deployments',
    'get_application_logs',
  ),
  // Deploying.
  row('roll out v2.4.1 of the frontend', 'deploy version tag', 'deploy_service', 'deploy_application'),
  row('deploy commit 4f2a9c to staging', 'deploy git commit', 'deploy_application', 'deploy_service'),
  row(
    'push the new image tag to the container worker',
    'deploy container image tag',
    'deploy_service',
    'update_container',
  ),
  row('release all services of the staging environment at once', 'deploy all services environment', 'deploy_service'),
  row('revert the api to what ran before', 'rollback previous version', 'rollback_application'),
  row('undo the last release, quickly!', 'undo deployment roll back', 'rollback_application'),
  row('is the deploy through yet? tell me when', 'wait for deployment to finish', 'wait_for_deployment'),
  row('stop that deployment, wrong branch', 'cancel running deployment', 'cancel_deployment'),
  row('show me the release history for the web shop', 'deployment history of service', 'list_deployments'),
  row('Who deployed to production on Tuesday?', 'who deployed audit events', 'list_events', 'list_deployments'),
  row('did anything get deployed over the weekend', 'recent deployments by time', 'list_deployments', 'list_events'),
  // Running, stopping.
  row('turn it off and on again (the search service)', 'restart service', 'restart_services'),
  row('kick the stuck worker pods', 'restart pods', 'restart_services'),
  row('shut the whole test environment down', 'stop environment', 'stop_environment'),
  row('pause the nightly importer', 'stop a service', 'stop_services'),
  row('wake up the preview env', 'start stopped services', 'start_services', 'deploy_service'),
  // Scaling and configuration.
  row('scale checkout to 5', 'scale instances replicas', 'update_application', 'update_container'),
  row('Bump RAM for the recommendations container to 2 GB', 'increase memory container', 'update_container'),
  row(
    'let the api grow up to ten pods under load',
    'autoscaling minimum maximum instances',
    'update_application',
    'update_container',
  ),
  row(
    'the health probe should hit /healthz instead of /',
    'change health check path',
    'update_application',
    'update_container',
  ),
  row('deploy from the branch develop from now on', 'change git branch of application', 'update_application'),
  row(
    'automatic deploys on push please switch off',
    'auto deploy on push setting',
    'update_application',
    'update_container',
  ),
  row('expose port 9090 of the metrics container publicly', 'publish port', 'update_container'),
  row(
    'attach a 20 GB disk to the uploads service',
    'add storage volume disk',
    'update_application',
    'update_container',
  ),
  row(
    'how much cpu and memory does each service have',
    'cpu memory resources of services',
    'get_environment_overview',
    'list_services',
    'get_service',
  ),
  row(
    'what image does the proxy run',
    'service image version running',
    'get_service',
    'find_resource',
    'list_services',
  ),
  row('which services still use node:18?', 'find services by image', 'find_resource', 'list_services'),
  row('is the disk of the database full', 'disk usage database', 'get_service', 'get_environment_overview'),
  // Variables, secrets.
  row(
    'What environment variables does orders see?',
    'list environment variables of service',
    'list_environment_variables',
  ),
  row('where is SENTRY_DSN set', 'find variable by key', 'list_environment_variables', 'find_resource'),
  row(
    'set TIMEOUT to 30 for the api',
    'set environment variable',
    'set_environment_variables',
    'update_environment_variable',
    'create_environment_variable',
  ),
  row('put the new stripe key in, must not be readable', 'create secret', 'create_secret', 'set_environment_variables'),
  row('who is able to read the database password', 'which services see secret variable', 'list_environment_variables'),
  row('remove DEBUG from staging', 'delete environment variable', 'delete_environment_variable'),
  row(
    'here are 14 env vars from my .env file, load them into the worker',
    'set many variables env file',
    'set_environment_variables',
  ),
  row(
    'staging needs its own value for API_URL, production keeps the one of the project',
    'override variable value for environment',
    'override_environment_variable',
  ),
  row(
    'the db password changed, update it everywhere',
    'change secret value',
    'update_environment_variable',
    'set_environment_variables',
  ),
  row('what differs between staging and prod?', 'compare environments differences', 'compare_environments'),
  row(
    'why does it work in staging and not in production',
    'difference between environments configuration',
    'compare_environments',
  ),
  // Databases.
  row('I need a postgres 16 for the crm', 'create postgresql database', 'create_database'),
  row('give the redis more space', 'increase database disk size', 'update_database'),
  row('upgrade mongo to version 7', 'upgrade database version', 'update_database'),
  row('make a dump of the orders db before I break it', 'back up database now', 'create_database_backup'),
  row('when was the last backup taken', 'list database backups', 'list_database_backups'),
  row(
    'get back the data of this morning, someone truncated the table',
    'restore database from backup',
    'restore_database',
  ),
  // Domains.
  row('hook up www.acme.io to the landing page', 'add custom domain to service', 'create_custom_domain'),
  row('we no longer use old.acme.io', 'remove custom domain', 'delete_custom_domain'),
  row(
    'what is the url of the preview',
    'public url of service',
    'get_service',
    'list_services',
    'get_environment_overview',
  ),
  // New, gone.
  row('set up a new project called loyalty', 'create project', 'create_project'),
  row('I want a sandbox environment for the interns', 'create environment', 'create_environment'),
  row('duplicate prod as qa', 'clone environment', 'clone_environment'),
  row('run nginx:1.27 as a new service', 'create service from docker image', 'create_container'),
  row('add our repo acme/billing as a service', 'create application from git repository', 'create_application'),
  row('a job that runs every night at two and cleans up', 'create scheduled cron job', 'create_job'),
  row('get rid of the legacy-api', 'delete service', 'delete_service'),
  row('tear down the feature-123 environment', 'delete environment', 'delete_environment'),
  row('change the cleanup to hourly', 'change job schedule cron', 'update_job'),
  row('did the nightly report run last night?', 'job run history', 'list_job_deployments', 'list_deployments'),
  // Clusters, people, the rest.
  row('which kubernetes version are we on', 'cluster version', 'list_clusters'),
  row('nobody may deploy to the eu cluster until I say so', 'lock cluster', 'lock_cluster'),
  row('why is the cluster locked and who did it', 'cluster lock reason', 'list_clusters', 'get_organization_overview'),
  row('invite mia@acme.io, she is a developer', 'invite member', 'invite_member'),
  row('Who has access?', 'list members access', 'list_members'),
  row('call our slack url when a deployment fails', 'create webhook notifications deployment', 'create_webhook'),
  row('our endpoint did not get yesterdays calls', 'webhook deliveries failed', 'list_webhook_events'),
  row('which alerts do we have', 'list alert rules', 'list_alert_rules'),
  row('which VAT number is on our invoices, change it to DE123', 'billing information update', 'update_billing_info'),
  row('terraform plan for the network stack', 'terraform plan', 'plan_terraform'),
  row('use chart version 5.1 for the ingress', 'change helm chart version', 'update_helm'),
  row('where is the thing called tax-calculator', 'find resource by name', 'find_resource'),
];

const administration: readonly SearchedRequest[] = [
  row('ana should only be able to look, not change anything', 'change role of member', 'update_member_role'),
  row('kick out the contractor', 'remove member', 'remove_member'),
  row('which roles are there and what may they do', 'list roles permissions', 'list_roles'),
  row('did peter accept yet?', 'pending invitations', 'list_invitations'),
  row('the mail to peter got lost, send again', 'resend invitation', 'resend_invitation'),
  row('I invited the wrong guy, take that back', 'revoke invitation', 'revoke_invitation'),
  row('a token for github actions which can deploy', 'create api token', 'create_api_token'),
  row('the token leaked on github!', 'revoke api token', 'revoke_api_token'),
  row('who all has tokens and when do they run out', 'list api tokens expiry', 'list_api_tokens'),
  row('page us when memory goes over 90 %', 'create alert rule memory', 'create_alert_rule'),
  row('quiet please, we know the disk is filling, until tomorrow', 'silence alert', 'silence_alert_rule'),
  row('you can turn the alarm back on', 'unsilence alert', 'unsilence_alert_rule'),
  row('we do not need the cpu alert any longer', 'delete alert rule', 'delete_alert_rule'),
  row('alerts should also go to the slack channel of ops', 'add alert receiver slack', 'create_alert_receiver'),
  row('does the pagerduty thing really work', 'test alert receiver', 'test_alert_receiver'),
  row('who gets told when an alert fires', 'list alert receivers', 'list_alert_receivers'),
  row('new slack address for the alerts', 'change alert receiver address', 'update_alert_receiver'),
  row('pull images from our ghcr', 'add container registry credentials', 'create_container_registry'),
  row('the password of the harbor has changed', 'update registry password', 'update_container_registry'),
  row('what registries can we pull from', 'list container registries', 'list_container_registries'),
  row('add an access token so you can clone our gitlab', 'create git token', 'create_git_token'),
  row('which git accounts are connected', 'list git tokens', 'list_git_tokens'),
  row('the github token runs out on Friday, here is a new one', 'replace git token', 'update_git_token'),
  row('put the label team=payments on things', 'create labels group', 'create_labels_group'),
  row('change the cost-center label', 'update labels', 'update_labels_group'),
  row('add prometheus scrape annotations', 'create annotations', 'create_annotations_group'),
  row('no releases between christmas and new year', 'deployment freeze window', 'create_deployment_window'),
  row('the freeze can go', 'remove deployment freeze', 'delete_deployment_window'),
  row('when are we not allowed to deploy', 'list deployment freezes', 'list_deployment_windows'),
  row('switch dev off at night and on weekends', 'schedule stop environment nights weekends', 'update_deployment_rule'),
  row('at what time does staging get shut down', 'environment start stop timetable', 'get_deployment_rule'),
  row('the demo environment should vanish on the 12th', 'environment expiry end date', 'set_environment_end'),
  row('keep the demo after all', 'cancel environment expiry', 'unset_environment_end'),
  row('run the migration now', 'run job now', 'run_job'),
  row('the import hangs, kill it', 'cancel job run', 'cancel_job_run'),
  row('install the grafana chart', 'create helm chart service', 'create_helm'),
  row('which chart versions does bitnami have', 'list helm chart versions', 'list_helm_charts'),
  row('we have a terraform module in git for the bucket, add it', 'create terraform service', 'create_terraform'),
  row('does the webhook answer at all? send something', 'test webhook', 'test_webhook'),
  row('the url of the hook moved', 'update webhook url', 'update_webhook'),
  row('no more calls to zapier', 'delete webhook', 'delete_webhook'),
  row('which webhooks are set up', 'list webhooks', 'list_webhooks'),
  row('rename the project loyalty to rewards', 'rename project', 'update_project'),
  row('drop the whole loyalty project', 'delete project', 'delete_project'),
  row('rename qa to testing', 'rename environment', 'update_environment'),
  row('how full are the nodes', 'cluster nodes capacity', 'get_cluster'),
  row('throw away the dump from march', 'delete database backup', 'delete_database_backup'),
  row('which helm repos do we have', 'list helm repositories', 'list_helm_repositories'),
];

const half = (requests: readonly SearchedRequest[], parity: 0 | 1): readonly SearchedRequest[] =>
  requests.filter((_, index) => index % 2 === parity);

export const searchedRequests = { known: half(everyday, 0), heldOut: half(everyday, 1) };

export const searchedAdministrationRequests = { known: half(administration, 0), heldOut: half(administration, 1) };
