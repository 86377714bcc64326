import type { EverydayRequest } from './everyday-requests.ts';

const row = (ask: string, ...right: string[]): EverydayRequest => ({ ask, right });

/** Requests for what the toolset `administration` does: texts may be tuned on them. */
export const administrationRequests: readonly EverydayRequest[] = [
  row('rotate the API token of the CI pipeline', 'create_api_token', 'revoke_api_token'),
  row('Tom leaves on Friday, take away his access', 'remove_member'),
  row('no deployments to production over the holidays, please freeze it', 'create_deployment_window'),
  row('silence the latency alert for two hours', 'silence_alert_rule'),
  row('log in to our private docker registry so images can be pulled', 'create_container_registry'),
  row('make Priya an admin', 'update_member_role'),
  row('resend the invitation, it got lost in spam', 'resend_invitation'),
  row('shut staging down every night and at weekends', 'update_deployment_rule'),
  row('this preview should delete itself next week', 'set_environment_end'),
  row('rename the project', 'update_project'),
  row('stop posting to the old chat address', 'delete_webhook', 'update_webhook'),
  row('tell the team chat when an alert fires', 'create_alert_receiver'),
  row('the password of the chart repository changed', 'update_helm_repository'),
  row('run the export job once with another argument', 'run_job'),
  row('label all services with the cost centre', 'create_labels_group'),
];

/**
 * Requests of the same kind that no text is tuned on, written before the texts that they measure. Only their shares are
 * printed, never which of them fail.
 */
export const heldOutAdministrationRequests: readonly EverydayRequest[] = [
  row('an access key leaked, make it useless right now', 'revoke_api_token'),
  row('which API keys exist and when were they last used', 'list_api_tokens'),
  row('we need a key for the deploy bot', 'create_api_token'),
  row('our contractor is done, get him out of the organization', 'remove_member'),
  row('what is a developer here allowed to do', 'list_roles'),
  row('downgrade Sam to read only', 'update_member_role'),
  row('who was invited and has not joined yet', 'list_invitations'),
  row('take back the invite to the wrong address', 'revoke_invitation'),
  row('warn us when memory of the api goes above 90 percent', 'create_alert_rule'),
  row('the disk alert keeps paging everybody, mute it until Monday', 'silence_alert_rule'),
  row('the muted alert may ring again', 'unsilence_alert_rule'),
  row('nobody needs the old cpu alert, get rid of it', 'delete_alert_rule'),
  row('who gets notified when something goes wrong', 'list_alert_receivers', 'list_alert_rules'),
  row('send a test message to the on-call channel', 'test_alert_receiver'),
  row('alerts should go to another mail address', 'update_alert_receiver', 'create_alert_receiver'),
  row('the webhook should only fire for production', 'update_webhook'),
  row('check that our webhook endpoint answers', 'test_webhook'),
  row('where do deployment notifications get posted', 'list_webhooks'),
  row('get rid of the whole loyalty project', 'delete_project'),
  row('mark the environment as production', 'update_environment'),
  row('pulling from the registry fails, its password expired', 'update_container_registry'),
  row('which registries can we pull images from', 'list_container_registries'),
  row('give the platform access to our private git repositories', 'create_git_token'),
  row('the git access token runs out, put in the new one', 'update_git_token'),
  row('which versions of the redis chart are there', 'list_helm_charts'),
  row('install the kafka chart in staging', 'create_helm'),
  row('manage the bucket with terraform from our repository', 'create_terraform'),
  row('when does staging get switched off automatically', 'get_deployment_rule'),
  row('are we in a change freeze', 'list_deployment_windows'),
  row('the code freeze is over, allow deploys again', 'delete_deployment_window'),
  row('keep the preview environment after all', 'unset_environment_end'),
  row('start the import job now with --full', 'run_job'),
  row('kill the report job that hangs', 'cancel_job_run'),
  row('throw away the oldest database dump', 'delete_database_backup'),
  row('which labels do our services carry', 'list_labels_groups'),
  row('put a prometheus annotation on the pods', 'create_annotations_group', 'update_annotations_group'),
];
