import type { EverydayRequest } from './everyday-requests.ts';

const row = (ask: string, ...right: string[]): EverydayRequest => ({ ask, right });

/**
 * Requests that no text is tuned on: they say how well texts work for what nobody has thought of. Only their shares are
 * printed, never which of them fail. Don't change a text for one of them; add new ones before the texts that they are
 * to measure.
 */
export const heldOutRequests: readonly EverydayRequest[] = [
  // Finding and looking.
  row('find the payments api', 'find_resource'),
  row('in which environment is the report generator', 'find_resource'),
  row('list everything that is in error', 'find_resource', 'get_organization_overview'),
  row('anything I should worry about', 'get_organization_overview'),
  row('overview of all environments and their health', 'get_organization_overview'),
  row('is everything ok in production', 'get_environment_overview', 'get_environment_status'),
  row('which of the services in staging are unhealthy', 'get_environment_overview', 'get_environment_status'),
  row('list the services of the shop', 'list_services', 'find_resource'),
  row('list projects', 'list_projects'),
  row('what environments do we have in billing', 'list_environments'),
  row('show me the payments service', 'get_service'),
  row('what is the public address of the website', 'get_service'),
  row('is the frontend deployed and healthy', 'get_application_status', 'get_service'),
  row('chart version of prometheus', 'get_helm'),
  row('did we hit the api quota', 'get_api_budget'),
  row('what is the name of our organization', 'get_organization'),
  // Why.
  row('why is checkout failing', 'diagnose_deployment'),
  row('deployment error, what should I do', 'diagnose_deployment'),
  row('the app crashes right after the start', 'diagnose_deployment'),
  row('explain why the last deploy failed and how to fix it', 'diagnose_deployment'),
  row('search the logs for a request id', 'search_logs'),
  row('find errors in the logs of the last two hours', 'search_logs'),
  row('get the logs of an application', 'get_application_logs', 'search_logs'),
  row('compare staging with production', 'compare_environments'),
  // What was done.
  row('list deployments of the api', 'list_deployments'),
  row('when did the cleanup job run last', 'list_job_deployments', 'list_deployments'),
  row('who made this change', 'list_events'),
  row('history of changes to the environment', 'list_events'),
  // Shipping.
  row('deploy the api to staging', 'deploy_application', 'deploy_service'),
  row('deploy the latest commit', 'deploy_application'),
  row('redeploy the service', 'deploy_service'),
  row('trigger the import job', 'deploy_service'),
  row('redeploy terraform', 'redeploy_terraform'),
  row('wait for the deployment to finish', 'wait_for_deployment'),
  row('rollback the api to the last good version', 'rollback_application'),
  row('abort the deployment', 'cancel_deployment'),
  // Running.
  row('restart the api', 'restart_services'),
  row('stop staging', 'stop_environment', 'stop_services'),
  row('stop the worker and the scheduler', 'stop_services'),
  row('start the api again', 'start_services', 'deploy_service'),
  row('increase the memory of the container', 'update_container'),
  row('scale the app up', 'update_application', 'update_container'),
  row('change the schedule of a cron job', 'update_job'),
  row('resize the database', 'update_database'),
  row('upgrade the helm chart', 'update_helm'),
  // Settings.
  row('set an environment variable', 'set_environment_variables', 'create_environment_variable'),
  row('import variables from a dotenv file', 'set_environment_variables'),
  row('list the environment variables of the worker', 'list_environment_variables'),
  row('store a secret', 'create_secret'),
  row('delete an environment variable', 'delete_environment_variable'),
  row('add a custom domain to the shop', 'create_custom_domain'),
  // Building and tearing down.
  row('create a project', 'create_project'),
  row('create a new environment for the demo', 'create_environment'),
  row('clone the production environment', 'clone_environment'),
  row('create a postgres database', 'create_database'),
  row('delete the demo service', 'delete_service'),
  // People, alerts, clusters.
  row('list members and their roles', 'list_members'),
  row('invite a user by email', 'invite_member'),
  row('lock the cluster', 'lock_cluster'),
  row('set up a webhook', 'create_webhook'),
];
