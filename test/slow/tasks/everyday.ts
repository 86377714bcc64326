import { runs, type Task } from './task.ts';

const checkout = 'shop/staging/checkout-api';

const hours = (count: number): string => new Date(Date.now() + count * 3_600_000).toISOString();

/** Questions across the organization. */
const questions: readonly Task[] = [
  {
    want: 'know where LOG_LEVEL is set, over all projects, and which services see it',
    steps: [
      { ask: 'list env vars and settings by key: value, where set, services concerned', with: { key: 'LOG_LEVEL' } },
    ],
    says: ['shop/staging', 'info'],
  },
  {
    want: 'find the variable that somebody calls LOG_LEVL',
    steps: [
      { ask: 'list env vars and settings by key: value, where set, services concerned', with: { key: 'LOG_LEVL' } },
    ],
    says: 'LOG_LEVEL',
  },
  {
    want: 'know which images run where, with tags and sizes',
    steps: [{ ask: 'list all services of everything: images, tags, versions, sizes' }],
    says: ['shop/production', '2.4.0', '2.4.1'],
  },
  {
    want: 'know why the last deployment of checkout-api took another time than the one before',
    steps: [
      { ask: 'deployment history of a service: deployed when', with: { service: checkout } },
      {
        ask: 'deployment history of a service: deployed when',
        with: { service: checkout },
        take: { compare: ['\\| ([0-9a-f-]{36})\\n.*\\| ([0-9a-f-]{36})', '["$1","$2"]'] },
      },
    ],
    says: 'seconds in all',
  },
  {
    want: 'know the first warning of checkout-api, and what was deployed right before it',
    steps: [
      { ask: 'search the log for errors, oldest first', with: { service: checkout, level: 'warn', oldest: true } },
    ],
    says: ['WARN', 'before'],
  },
  {
    want: 'know what every service of staging warns of',
    steps: [{ ask: 'search the logs for errors', with: { environment: 'shop/staging' } }],
    says: ['WARN', 'Searched: '],
  },
  {
    want: 'know what would suffer if the cluster main was locked',
    steps: [{ ask: 'list clusters, services running on each' }],
    says: 'shop/staging (STAGING, 7 services)',
  },
  {
    want: 'know which alerts fire with nobody told, and which watch nothing',
    steps: [{ ask: 'alert rules that fire: who is told, receivers' }],
    says: ['UNROUTED', 'SUPPRESSED', 'they watch nothing: old-latency'],
  },
  {
    want: 'know in the morning whether anything is broken, and who broke it',
    steps: [{ ask: 'is anything wrong anywhere, the whole organization in one look' }],
    says: ['data/development', 'cluster main: disk-filling', 'INVALID_CREDENTIALS'],
  },
  {
    want: 'know what failed anywhere in the last month, and why',
    steps: [{ ask: 'deployment history: failed deployments', with: { state: 'FAILED', since: 'P30D' } }],
    says: ['data/development', 'DEPLOYMENT_ERROR', 'wrong_port'],
  },
  {
    want: 'know what Bo changed',
    scenario: 'all',
    steps: [{ ask: 'who changed, created or deleted something, when', with: { who: 'Bo' } }],
    says: ['Bo Lindqvist', 'queue.staging.acme.internal → queue.stagging.acme.internal'],
  },
  {
    want: 'have a value of staging set and set back, and nothing that needs a deployment',
    steps: [
      { ask: 'set several env vars', with: { environment: 'shop/staging', variables: { LOG_LEVEL: 'debug' } } },
      { ask: 'set several env vars', with: { environment: 'shop/staging', variables: { LOG_LEVEL: 'info' } } },
      { ask: 'is everything all right in the environment, unhealthy first', with: { environment: 'shop/staging' } },
    ],
    end: [{ at: checkout, state: 'DEPLOYED', freshness: 'UP_TO_DATE', variables: { LOG_LEVEL: 'info' } }],
  },
  {
    want: 'know why the orders database cannot be restored from the backup that a colleague names',
    steps: [
      {
        ask: 'restore a database from a backup',
        with: { database: 'shop/staging/orders-db', backup: '00000000-0000-4000-8000-000000000000' },
        isRefused: true,
      },
    ],
    end: runs('shop/staging/orders-db'),
    says: '00000000-0000-4000-8000-000000000000',
  },
  {
    want: 'know what the services of the shop are given, and use, as far as that is measured',
    steps: [{ ask: 'list all services of a project: images, sizes, usage', with: { project: 'shop' } }],
    says: 'not measured',
  },
];

/** What is rarely done, with the tools of administration. */
const administration: readonly Task[] = [
  {
    want: 'have deployments told to our new address instead of hooks.acme.example',
    steps: [
      {
        ask: 'change a webhook: its address',
        with: { webhook: 'hooks.acme.example', target_url: 'https://events.acme.example/deployments' },
      },
    ],
    end: [
      { read: 'list_webhooks', has: { target_url: 'https://events.acme.example/deployments', enabled: false } },
      { read: 'list_webhooks', lacks: { target_url: 'https://hooks.acme.example/deployments' } },
    ],
  },
  {
    want: 'have the access of Dev, who left, ended',
    steps: [{ ask: 'remove a member, a colleague who left', with: { user: 'dev@acme.example' } }],
    end: [{ read: 'list_members', lacks: { email: 'dev@acme.example' } }],
  },
  {
    want: 'sleep through the night, though disk-filling fires',
    steps: [
      {
        ask: 'silence an alert rule, mute it for a time',
        with: { alert_rule: 'disk-filling', until: hours(8), reason: 'The disk is grown tomorrow.' },
      },
    ],
    end: [{ read: 'list_alert_rules', has: { name: 'disk-filling', silence_reason: 'The disk is grown tomorrow.' } }],
  },
  {
    want: 'have the token of the lost laptop revoked, whose it was shown first',
    steps: [
      { ask: 'list the API tokens: whose, last used' },
      { ask: 'revoke an API token that leaked', with: { api_token: 'laptop of Cleo' } },
    ],
    says: 'Cleo Marchetti',
  },
  {
    want: 'take the invitation of felix@acme.example back',
    steps: [{ ask: 'revoke an invitation, take it back', with: { invitation: 'felix@acme.example' } }],
    end: [{ read: 'list_invitations', lacks: { email: 'felix@acme.example' } }],
  },
  {
    want: 'let Cleo administer',
    steps: [{ ask: 'change the role of a member, rights', with: { user: 'cleo@acme.example', role: 'Admin' } }],
    end: [{ read: 'list_members', has: { email: 'cleo@acme.example', role_name: 'Admin' } }],
  },
];

/** Questions of an everyday, each in as few calls as are known to answer it. */
export const everyday: readonly Task[] = [...questions, ...administration];
