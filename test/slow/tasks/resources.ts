import type { Task } from './task.ts';

const hook = 'hooks.acme.example';
const staging = 'shop/staging';

/** The life of each resource that the tools of administration manage: made, changed, and taken back. */
export const resources: readonly Task[] = [
  {
    want: 'have the webhook turned on, tried out, and removed',
    steps: [
      { ask: 'list the webhooks' },
      { ask: 'change a webhook, also its events', with: { webhook: hook, enabled: true } },
      { ask: 'post a test event to a webhook', with: { webhook: hook } },
      { ask: 'delete a webhook for good', with: { webhook: hook } },
    ],
    end: [{ read: 'list_webhooks', lacks: { target_url: `https://${hook}/deployments` } }],
    says: ['enabled: false → true', 'target_response_status_code'],
  },
  {
    want: 'have the night shift told of errors in staging, and nobody any more in the end',
    steps: [
      { ask: 'create an alert receiver: a chat', with: { name: 'night', webhook_url: 'https://chat.acme.example/in' } },
      {
        ask: 'create an alert rule',
        with: { environment: staging, name: 'slow', condition: { promql: 'up == 0' }, alert_receivers: ['night'] },
      },
      { ask: 'delete an alert rule for good', with: { alert_rule: 'slow' } },
      { ask: 'delete an alert receiver for good', with: { alert_receiver: 'night' } },
    ],
    end: [
      { read: 'list_alert_rules', lacks: { name: 'slow' } },
      { read: 'list_alert_receivers', lacks: { name: 'night' } },
    ],
    says: 'webhook_url_set',
  },
  {
    want: 'have the invitation of felix@acme.example sent again, with what his role may do',
    steps: [
      { ask: 'list the roles: what each may do' },
      { ask: 'send an invitation again', with: { invitation: 'felix@acme.example' } },
    ],
    end: [{ read: 'list_invitations', has: { email: 'felix@acme.example' } }],
  },
  {
    want: 'have the token of the pipeline rotated, whose value only a person is shown',
    before: [{ ask: 'create an API token', with: { name: 'pipeline', permission: 'deploy' } }],
    steps: [
      { ask: 'create an API token', with: { name: 'pipeline of June', permission: 'deploy' } },
      { ask: 'list the API tokens: whose, last used' },
      { ask: 'revoke an API token', with: { api_token: 'pipeline' } },
    ],
    end: [
      { read: 'list_api_tokens', has: { name: 'pipeline of June', permission: 'deploy' } },
      { read: 'list_api_tokens', lacks: { name: 'pipeline' } },
    ],
  },
  {
    want: 'label what the payments team owns, and then no longer',
    steps: [
      {
        ask: 'create a labels group',
        with: { name: 'payments', labels: [{ key: 'team', value: 'pay', propagate_to_cloud_provider: false }] },
      },
      { ask: 'change a labels group', with: { labels_group: 'payments', name: 'payments-team' } },
      { ask: 'delete a labels group', with: { labels_group: 'payments-team' } },
    ],
    end: [{ read: 'list_labels_groups', lacks: { name: 'payments-team' } }],
  },
  {
    want: 'annotate pods for the mesh, and then no longer',
    steps: [
      {
        ask: 'create an annotations group',
        with: { name: 'mesh', annotations: [{ key: 'mesh/inject', value: 'true' }], scopes: ['PODS'] },
      },
      { ask: 'change an annotations group', with: { annotations_group: 'mesh', name: 'sidecars' } },
      { ask: 'delete an annotations group', with: { annotations_group: 'sidecars' } },
    ],
    end: [{ read: 'list_annotations_groups', lacks: { name: 'sidecars' } }],
  },
  {
    want: 'have a registry of images linked, its password changed, and unlinked',
    steps: [
      {
        ask: 'link a container registry of images',
        with: {
          name: 'mirror',
          kind: 'GENERIC_CR',
          url: 'https://mirror.acme.example',
          config: { username: 'puller', password: 'quiet-heron-5' },
        },
      },
      { ask: 'change a container registry', with: { registry: 'mirror', config: { password: 'quiet-heron-6' } } },
      { ask: 'unlink a container registry', with: { registry: 'mirror' } },
    ],
    end: [{ read: 'list_container_registries', lacks: { name: 'mirror' } }],
    hides: 'quiet-heron',
  },
  {
    want: 'have a Helm repository renamed, and its deletion refused while it is used',
    steps: [
      { ask: 'list the Helm chart repositories' },
      { ask: 'change a Helm chart repository', with: { helm_repository: 'charts', name: 'our-charts' } },
      { ask: 'delete a Helm chart repository', with: { helm_repository: 'our-charts' }, isRefused: true },
    ],
    end: [{ read: 'list_helm_repositories', has: { name: 'our-charts' } }],
  },
  {
    want: 'have a git token stored, rotated, and deleted',
    steps: [
      { ask: 'store a git token', with: { name: 'robot', type: 'GITHUB', token: 'quiet-heron-7' } },
      { ask: 'rotate a git token', with: { git_token: 'robot', token: 'quiet-heron-8' } },
      { ask: 'delete a git token', with: { git_token: 'robot' } },
    ],
    end: [{ read: 'list_git_tokens', lacks: { name: 'robot' } }],
    hides: 'quiet-heron',
  },
  {
    want: 'have a project and its environment renamed, the environment made a staging one, and both deleted',
    before: [
      { ask: 'start a new project', with: { name: 'trial' } },
      {
        ask: 'set up a new environment',
        with: { project: 'trial', name: 'one', mode: 'DEVELOPMENT', cluster: 'main' },
      },
    ],
    steps: [
      { ask: 'rename a project', with: { project: 'trial', name: 'trial-of-june' } },
      {
        ask: 'rename an environment, change its mode',
        with: { environment: 'trial-of-june/one', name: 'first', mode: 'STAGING' },
      },
      { ask: 'delete a whole environment', with: { environment: 'trial-of-june/first', wait: true } },
      { ask: 'delete a project', with: { project: 'trial-of-june' } },
    ],
    end: [{ read: 'list_projects', lacks: { name: 'trial-of-june' } }],
    says: ['one → first', 'DEVELOPMENT → STAGING'],
  },
  {
    want: 'have staging stopped every night, and its nightly report named',
    steps: [
      {
        ask: 'timetable of an environment: auto-stop',
        with: { environment: staging, auto_stop: true, stop_time: '19:00' },
      },
      { ask: 'read the timetable of an environment', with: { environment: staging } },
    ],
    end: [{ read: 'get_deployment_rule', of: { environment_id: staging }, has: { auto_stop: true } }],
    says: 'nightly-report',
  },
  {
    want: 'have staging end tomorrow, and then stay',
    steps: [
      {
        ask: 'give an environment an end, delete it by itself',
        with: { environment: staging, ends_at: new Date(Date.now() + 86_400_000).toISOString() },
      },
      { ask: 'take the end of an environment back, keep it', with: { environment: staging } },
    ],
    end: [{ at: staging }],
  },
  {
    want: 'have a Terraform service whose branch is another, and a chart beside it',
    steps: [
      {
        ask: 'create a Terraform service',
        with: {
          environment: staging,
          name: 'network',
          git_repository: { url: 'https://git.acme.example/acme/network.git' },
          tf_vars: [{ key: 'region', value: 'eu-west-3' }],
        },
      },
      {
        ask: 'change a Terraform service: branch',
        with: { terraform: `${staging}/network`, git_repository: { branch: 'next' } },
      },
      {
        ask: 'install a chart, create a Helm release',
        with: {
          environment: staging,
          name: 'cache',
          source: { helm_repository: { repository: 'charts', chart_name: 'redis', chart_version: '19.1.0' } },
        },
      },
    ],
    end: [
      { at: `${staging}/network`, is: { terraform_files_source: { git: { git_repository: { branch: 'next' } } } } },
      { at: `${staging}/cache` },
    ],
  },
  {
    want: 'have the nightly report run once for invoices only, and see all that it logged',
    steps: [
      {
        ask: 'run a job once with arguments',
        with: { job: `${staging}/nightly-report`, arguments: ['--only', 'invoices'], wait: true },
      },
      { follow: 'search_logs' },
      { ask: 'cancel a run of a job', with: { job: `${staging}/nightly-report` } },
    ],
    says: ['DEPLOYED', 'no run of it is under way'],
  },
  {
    want: 'know the settings of the main cluster',
    steps: [{ ask: 'show one cluster with its advanced settings', with: { cluster: 'main' } }],
    says: 'lock.maximum_days',
  },
  {
    want: 'have nobody deploy the shop on the Friday evening before Christmas, and then be allowed to again',
    steps: [
      {
        ask: 'create a deployment window: a freeze on Friday evening',
        with: {
          project: 'shop',
          name: 'friday-evening',
          begins: '2999-12-20 16:00',
          ends: '2999-12-21 00:00',
          time_zone: 'Europe/Paris',
        },
      },
      { ask: 'list the deployment windows, freezes' },
      { ask: 'delete a deployment window', with: { deployment_window: 'friday-evening' } },
    ],
    end: [{ read: 'list_deployment_windows', lacks: { name: 'friday-evening' } }],
    says: ['friday-evening', '2999-12-20 16:00'],
  },
  {
    want: 'have a backup of the orders made before the sale, and the old one before a migration deleted',
    steps: [
      {
        ask: 'create a backup of a database now',
        with: { database: `${staging}/orders-db`, name: 'before-the-sale', message: 'Prices change tomorrow.' },
      },
      { ask: 'list the backups of a database', with: { database: `${staging}/orders-db` } },
      {
        ask: 'delete a backup of a database',
        with: { database: `${staging}/orders-db` },
        take: { backup: ['before-migration[^\\n]*\\| ([0-9a-f-]{36})', '$1'] },
      },
    ],
    end: [
      {
        read: 'list_database_backups',
        of: { database_id: `${staging}/orders-db` },
        has: { name: 'before-the-sale' },
        lacks: { name: 'before-migration' },
      },
    ],
  },
];
