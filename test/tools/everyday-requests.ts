/** Something that people ask for, and the tools that are right for it. */
export interface EverydayRequest {
  readonly ask: string;
  /** Any of them will do; the best first. */
  readonly right: readonly string[];
}

const row = (ask: string, ...right: string[]): EverydayRequest => ({ ask, right });

/** Tools that are not there yet. A request that only they are right for counts as soon as one is there. */
export const plannedTools: readonly string[] = [
  'clone_environment', 'create_container', 'create_custom_domain', 'create_job', 'delete_custom_domain', 'delete_environment', 'delete_environment_variable',
  'delete_service', 'get_organization_overview', 'list_events', 'start_services', 'stop_services', 'update_application', 'update_database', 'update_job',
];

/**
 * What operators, developers on call and users of a chat type. Written from what they want to get done, without regard to how tools
 * describe themselves: don't change a row to fit a text.
 */
export const everydayRequests: readonly EverydayRequest[] = [
  // Finding and looking.
  row('where is checkout-api', 'find_resource'),
  row('is there anything called search', 'find_resource'),
  row('find everything that is failing', 'find_resource', 'get_organization_overview'),
  row('what is broken right now across the company', 'get_organization_overview'),
  row('give me the state of all our projects in one paragraph', 'get_organization_overview'),
  row('is staging healthy', 'get_environment_overview', 'get_environment_status'),
  row("what's wrong with production", 'get_environment_overview'),
  row('what runs in shop staging', 'list_services', 'get_environment_overview'),
  row('list all projects', 'list_projects'),
  row('what environments does the shop project have', 'list_environments'),
  row('how much memory does the api have now', 'get_service'),
  row('what url is the storefront on', 'get_service'),
  row('is the api up', 'get_application_status', 'get_service'),
  row('what company account is this', 'get_organization'),
  row('how many api requests are left', 'get_api_budget'),
  row('which labels do our services carry', 'get_labels_group'),
  // Why.
  row('why did it fail', 'diagnose_deployment'),
  row('the deploy broke, what happened', 'diagnose_deployment'),
  row('pods keep crashing, why', 'diagnose_deployment'),
  row("why won't payments start", 'diagnose_deployment'),
  row('show me the error messages from last night', 'search_logs'),
  row('grep the logs for timeout', 'search_logs'),
  row('any exceptions in the last hour', 'search_logs'),
  row('tail the logs of the web app', 'get_application_logs', 'search_logs'),
  row("what's different between staging and prod", 'compare_environments'),
  row('why does it work in staging but not in production', 'compare_environments', 'diagnose_deployment'),
  // What was done.
  row('what did we ship yesterday', 'list_deployments'),
  row('who deployed last', 'list_deployments', 'list_events'),
  row('deployment history of the api', 'list_deployments'),
  row('did the migration job run', 'list_job_deployments', 'list_deployments'),
  row('who changed this', 'list_events'),
  row('who touched the settings yesterday and what was the old value', 'list_events'),
  row('audit trail for production', 'list_events'),
  // Shipping.
  row('ship the latest code', 'deploy_application'),
  row('release branch main of the frontend', 'deploy_application'),
  row('deploy commit 4f2a91c', 'deploy_application'),
  row('put image tag 2.4.1 live', 'deploy_service', 'update_container'),
  row('redeploy the whole environment', 'deploy_service'),
  row('run the nightly report now', 'deploy_service'),
  row('deploy the database', 'deploy_database', 'deploy_service'),
  row('run terraform again', 'redeploy_terraform'),
  row('is the rollout done yet', 'wait_for_deployment'),
  row('tell me when the deploy has finished', 'wait_for_deployment'),
  row('roll back', 'rollback_application'),
  row('undo the last release', 'rollback_application'),
  row('go back to the version from before', 'rollback_application'),
  row('abort the running deploy', 'cancel_deployment'),
  row("stop this deployment, it's the wrong one", 'cancel_deployment'),
  // Running.
  row('restart it', 'restart_services'),
  row('bounce the api servers', 'restart_services'),
  row('turn off staging for the night', 'stop_environment', 'stop_services'),
  row('shut down the test environment to save money', 'stop_environment', 'stop_services'),
  row("stop everything that isn't production", 'stop_services'),
  row('switch off just the worker', 'stop_services'),
  row('bring staging back up in the morning', 'start_services'),
  row('start the stopped services again', 'start_services'),
  row('give it more memory', 'update_application', 'update_container'),
  row('scale to four instances', 'update_application', 'update_container'),
  row('raise the cpu limit', 'update_application', 'update_container'),
  row('change the health check path', 'update_application', 'update_container'),
  row('point the app at another branch', 'update_application'),
  row('change the cron schedule of the cleanup job', 'update_job'),
  row('make the database disk bigger', 'update_database'),
  row('use a newer chart version', 'update_helm'),
  row('change the values of a helm release', 'update_helm'),
  // Settings.
  row('set LOG_LEVEL to debug', 'set_environment_variables', 'create_environment_variable', 'update_environment_variable'),
  row('upload my .env file', 'set_environment_variables'),
  row('change the value of FEATURE_X', 'update_environment_variable', 'set_environment_variables'),
  row('which env vars does the api have', 'list_environment_variables'),
  row('add an api key without anyone seeing it', 'create_secret'),
  row('store the database password', 'create_secret'),
  row('use another value only for this service', 'override_environment_variable'),
  row('remove an env var we no longer need', 'delete_environment_variable'),
  row('add a domain', 'create_custom_domain'),
  row('which DNS record do I have to set for shop.example.com', 'create_custom_domain'),
  row('take the old domain off the storefront', 'delete_custom_domain'),
  // Building and tearing down.
  row('make me a new project', 'create_project'),
  row('add a staging environment', 'create_environment'),
  row('copy production into a test environment', 'clone_environment'),
  row('new app from our git repo', 'create_application'),
  row('spin up a postgres', 'create_database'),
  row('run this docker image', 'create_container'),
  row('schedule a task every night', 'create_job'),
  row('add a private helm chart registry', 'create_helm_repository'),
  row('delete the old service', 'delete_service'),
  row('get rid of the feature environment', 'delete_environment'),
  // People, alerts, clusters.
  row('who has access', 'list_members'),
  row('who are the admins', 'list_members'),
  row('add a new colleague', 'invite_member'),
  row('give Nia access as a developer', 'invite_member'),
  row('change the invoice address', 'update_billing_info'),
  row('our vat number has changed', 'update_billing_info'),
  row('is anything alerting', 'list_alert_rules'),
  row('what alarms do we have on checkout', 'list_alert_rules'),
  row('this alert is too noisy, raise its threshold', 'update_alert_rule'),
  row('turn the error rate alarm off', 'update_alert_rule'),
  row('notify slack when a deploy fails', 'create_webhook'),
  row('did the webhook calls get through', 'list_webhook_events'),
  row('which kubernetes version are we on', 'list_clusters'),
  row('which clusters are locked and by whom', 'list_clusters'),
  row('upgrade kubernetes', 'upgrade_cluster'),
  row('freeze all deploys during the incident', 'lock_cluster'),
  row('lift the freeze', 'unlock_cluster'),
  row('let people deploy to the cluster again', 'unlock_cluster'),
];
