import { again, runs, why, type Task } from './task.ts';

/** Asks who changed a service, or something it sees. */
const whoChanged = (service: string) => ({ ask: 'who changed what, and when', with: { service } });

const suggest = 'discovery/staging/suggest';

const all = 'all';

/** Incidents in an organization where everything is broken at once. */
export const incidents: readonly Task[] = [
  {
    want: 'get payments in staging up again; its rates are at https://rates.acme.internal/v2',
    scenario: all,
    steps: [
      why({ environment: 'payments/staging' }),
      { follow: 'set_environment_variables', with: { env_text: 'RATES_API_URL=https://rates.acme.internal/v2' } },
      { follow: 'deploy_service', with: { wait: true } },
    ],
    end: [
      {
        at: 'payments/staging/payments-api',
        state: 'DEPLOYED',
        variables: { RATES_API_URL: 'https://rates.acme.internal/v2' },
      },
    ],
    says: '1e94ab7',
  },
  {
    want: 'stop recommendations from dying in production, without changing its version',
    scenario: all,
    steps: [
      why({ service: 'discovery/production/recommendations' }),
      { follow: 'update_container' },
      { follow: 'deploy_service', with: { wait: true } },
    ],
    end: runs('discovery/production/recommendations', { tag: '8.0.0', memory: 1536 }),
  },
  {
    want: 'learn who changed what in orders on staging, which broke though nobody shipped code, and put it right',
    scenario: all,
    steps: [
      why({ service: 'orders/staging/orders-api' }),
      whoChanged('orders/staging/orders-api'),
      { follow: 'set_environment_variables' },
      { follow: 'deploy_service', with: { wait: true } },
    ],
    end: [
      { at: 'orders/staging/orders-api', state: 'DEPLOYED', variables: { QUEUE_HOST: 'queue.staging.acme.internal' } },
    ],
    says: ['Bo Lindqvist', 'queue.staging.acme.internal → queue.stagging.acme.internal'],
  },
  {
    want: 'bring the event bus up on the chart version that it has now',
    scenario: all,
    steps: [
      why({ service: 'data/streaming/event-bus' }),
      { follow: 2 },
      { follow: 'deploy_service', with: { wait: true } },
    ],
    end: runs('data/streaming/event-bus', { source: { repository: { chart_version: '31.0.0' } } }),
  },
  {
    want: 'make private-network deploy; whoever has to be asked has agreed',
    scenario: all,
    steps: [
      why({ service: 'network/staging/private-network' }),
      { follow: 'restart_services', with: { wait: true } },
      { follow: 'deploy_service', with: { wait: true } },
    ],
    end: runs('network/staging/private-network'),
    says: ['network/tooling/plan-runner', 'only once they agree'],
  },
  {
    want: 'repair billing on staging',
    scenario: all,
    steps: [
      why({ environment: 'billing/staging' }),
      { follow: 'diagnose_deployment' },
      { follow: 'deploy_service', with: { wait: true } },
      again('billing/staging/billing-api'),
    ],
    end: [...runs('billing/staging/billing-migrate'), ...runs('billing/staging/billing-api', { tag: '5.3.0' })],
  },
  {
    want: 'know whether the warehouse is all right in production, and whose any lock is, without lifting it',
    scenario: all,
    steps: [why({ environment: 'warehouse/production' })],
    keeps: [
      { at: 'warehouse/production/stock-sync', is: { tag: '1.18.0' } },
      {
        read: 'list_cluster_locks',
        has: {
          owner_name: 'Bo Lindqvist',
          ttl_in_days: 5,
          reason: 'Incident 2291: nodes out of disk. No changes until the volumes are grown.',
        },
      },
    ],
    says: ['locked by Bo Lindqvist', 'Serves now: 1.17.0', 'only once whoever locked it agrees'],
  },
  {
    want: 'get ledger-api to start',
    scenario: all,
    steps: [
      why({ service: 'ledger/staging/ledger-api' }),
      { follow: 'deploy_service', with: { wait: true } },
      { follow: 1, with: { wait: true } },
    ],
    end: [...runs('ledger/staging/ledger-db'), ...runs('ledger/staging/ledger-api', { tag: '2.5.0' })],
  },
  {
    want: 'see mails go out again, with the tag that mailer has',
    scenario: all,
    steps: [
      why({ service: 'shop/notifications/mailer' }),
      whoChanged('shop/notifications/mailer'),
      { follow: 'update_container', take: { registry_id: ['registry_id: (\\S+) →', '$1'] } },
      { follow: 'deploy_service', with: { wait: true } },
    ],
    end: runs('shop/notifications/mailer', { tag: '1.9.0', registry: { name: 'acme' } }),
  },
  {
    want: 'see gift-cards run 5.0.0',
    scenario: all,
    steps: [
      why({ service: 'shop/gifts/gift-cards' }),
      { follow: 'update_container' },
      { follow: 'deploy_service', with: { wait: true } },
    ],
    end: runs('shop/gifts/gift-cards', { tag: '5.0.0' }),
  },
  {
    want: 'let suggest pass its probe with the image it has',
    scenario: all,
    steps: [
      why({ service: suggest }),
      { follow: 'update_container' },
      { follow: 'deploy_service', with: { wait: true } },
    ],
    end: runs(suggest, { tag: '1.13.2', image_name: 'acme/suggest' }),
  },
  {
    want: 'know what to tell the developers of returns-portal, which no longer builds, and have something run until they are done',
    scenario: all,
    steps: [why({ service: 'shop/returns/returns-portal' }), { follow: 'deploy_application', with: { wait: true } }],
    end: runs('shop/returns/returns-portal', {
      git_repository: { deployed_commit_id: 'b7e35f08a1d942c6f3508e7d2c19ab640f5d83e7' },
    }),
    says: ['Missing: pdfkit@0.17.1 from lock file', 'Lucas Silva', 'Serves now: b7e35f0'],
  },
  {
    want: 'report in a paragraph how the whole organization stands',
    scenario: all,
    steps: [{ ask: 'is anything wrong anywhere, the whole organization in one look' }],
    says: ['17 environments: 14 failed', 'discovery/production', 'by Bo Lindqvist'],
  },
];
