import { runs, type Task } from './task.ts';
import type { Step } from './play.ts';

const upAndWaiting = (environment: string): Step => ({
  ask: 'deploy everything in an environment',
  with: { environment, wait: true },
});

const loyalty: readonly Step[] = [
  { ask: 'start a new project', with: { name: 'loyalty' } },
  {
    ask: 'create an environment in a project',
    with: { project: 'loyalty', name: 'staging', mode: 'STAGING', cluster: 'main' },
  },
  {
    ask: 'create a database',
    with: { environment: 'loyalty/staging', name: 'points-db', type: 'POSTGRESQL', version: '16', mode: 'CONTAINER' },
  },
  {
    ask: 'add an application from a git repository',
    with: {
      environment: 'loyalty/staging',
      name: 'points',
      git_repository: { url: 'https://git.acme.example/acme/points.git', branch: 'main' },
      min_running_instances: 2,
      max_running_instances: 4,
      ports: [{ name: 'web', internal_port: 8080, external_port: 443, publicly_accessible: true, protocol: 'HTTP' }],
    },
  },
  {
    ask: 'set several env vars and secrets',
    with: {
      application: 'loyalty/staging/points',
      variables: { LOG_LEVEL: 'info', POINTS_PER_EURO: '10' },
      secrets: { SIGNING_KEY: 'quiet-heron-5' },
    },
  },
  upAndWaiting('loyalty/staging'),
];

const loyaltyInProduction: readonly Step[] = [
  {
    ask: 'clone, copy an environment',
    with: { environment: 'loyalty/staging', name: 'production', mode: 'PRODUCTION', cluster: 'production' },
  },
  {
    ask: 'change an application: its branch',
    with: { application: 'loyalty/production/points', git_repository: { branch: 'release' } },
  },
  upAndWaiting('loyalty/production'),
];

const points = { git_repository: { branch: 'main' }, min_running_instances: 2, max_running_instances: 4 };

const checkout = 'shop/staging/checkout-api';

/** What is set up, changed and taken down on an ordinary day. */
export const building: readonly Task[] = [
  {
    want: 'have a new project loyalty with staging, PostgreSQL 16 and an application from git with settings and a secret, and its URL',
    steps: loyalty,
    end: [
      { at: 'loyalty/staging', state: 'DEPLOYED' },
      { at: 'loyalty/staging/points-db', state: 'DEPLOYED', is: { type: 'POSTGRESQL', version: '16' } },
      {
        at: 'loyalty/staging/points',
        state: 'DEPLOYED',
        is: points,
        variables: { LOG_LEVEL: 'info', POINTS_PER_EURO: '10' },
      },
      {
        read: 'list_secrets_of_application',
        of: { application_id: 'loyalty/staging/points' },
        has: { key: 'SIGNING_KEY' },
      },
    ],
    says: 'https://p8080-',
    hides: 'quiet-heron-5',
  },
  {
    want: 'have loyalty in production as well, from the branch release',
    before: loyalty,
    steps: loyaltyInProduction,
    end: [
      { at: 'loyalty/production', state: 'DEPLOYED', is: { mode: 'PRODUCTION', cluster_name: 'production' } },
      {
        at: 'loyalty/production/points',
        state: 'DEPLOYED',
        is: { ...points, git_repository: { branch: 'release' } },
        variables: { LOG_LEVEL: 'info' },
      },
      {
        read: 'list_secrets_of_application',
        of: { application_id: 'loyalty/production/points' },
        has: { key: 'SIGNING_KEY' },
      },
    ],
    says: 'https://p8080-',
  },
  {
    want: 'know how the staging and the production of loyalty differ',
    before: [...loyalty, ...loyaltyInProduction],
    steps: [
      {
        ask: 'what differs between staging and production, compare environments',
        with: { first: 'loyalty/staging', second: 'loyalty/production' },
      },
    ],
    says: 'branch | main | release',
  },
  {
    want: 'give kim@acme.example access as a developer, and know who may do what',
    steps: [
      { ask: 'invite somebody to the organization by e-mail', with: { email: 'kim@acme.example', role: 'Developer' } },
      { ask: 'who has access: members and their roles' },
    ],
    end: [{ read: 'list_invitations', has: { email: 'kim@acme.example', role_name: 'Developer' } }],
    says: ['Ada Okafor | ada@acme.example | Owner', 'Dev Raman | dev@acme.example | Viewer'],
  },
  {
    want: 'have an address of ours told of failed deployments, and know whether telling it ever failed',
    steps: [
      {
        ask: 'create a webhook that notifies of deployments that failed',
        with: { target_url: 'https://chat.acme.example/hooks/failed', events: ['DEPLOYMENT_FAILED'] },
      },
      { follow: 'list_webhook_events' },
    ],
    end: [
      {
        read: 'list_webhooks',
        has: { target_url: 'https://chat.acme.example/hooks/failed', events: ['DEPLOYMENT_FAILED'], enabled: true },
      },
    ],
    says: '0 deliveries',
  },
  {
    want: 'let the alert for checkout errors fire only at twice its threshold, held for ten minutes',
    steps: [
      { ask: 'is anything alerting, which alert rules are there' },
      {
        ask: 'tune an alert: threshold, severity',
        with: {
          alert_rule: 'checkout-errors',
          condition: { promql: 'sum(rate(http_requests_total{status=~"5.."}[5m])) > 10' },
          for_duration: 'PT10M',
        },
      },
    ],
    end: [
      {
        read: 'list_alert_rules',
        has: {
          name: 'checkout-errors',
          condition: { promql: 'sum(rate(http_requests_total{status=~"5.."}[5m])) > 10' },
          for_duration: 'PT10M',
          severity: 'HIGH',
          enabled: true,
        },
      },
    ],
    says: '[5m])) > 5',
  },
  {
    want: 'use charts from a Helm repository that needs a password',
    steps: [
      {
        ask: 'connect a helm chart repository, with credentials',
        with: {
          name: 'team-charts',
          kind: 'HTTPS',
          url: 'https://charts.internal.acme.example',
          skip_tls_verification: false,
          config: { username: 'robot', password: 'quiet-heron-5' },
        },
      },
    ],
    end: [
      {
        read: 'list_helm_repositories',
        has: { name: 'team-charts', kind: 'HTTPS', url: 'https://charts.internal.acme.example' },
      },
    ],
    hides: 'quiet-heron-5',
  },
  {
    want: 'turn off all that is not production, and have the staging of the shop back',
    scenario: 'all',
    steps: [
      {
        ask: 'turn off several services at once, all but production',
        with: { modes: ['DEVELOPMENT', 'STAGING'], wait: true },
      },
      { ask: 'bring stopped services back', with: { environment: 'shop/staging', wait: true } },
    ],
    end: [
      ...['checkout-api', 'search', 'session-cache', 'orders-db'].flatMap((name) => runs(`shop/staging/${name}`)),
      ...runs('shop/production'),
      { at: 'shop/staging/storefront', state: 'READY' },
      { at: 'data/development/events-db', state: 'STOPPED' },
      { at: 'data/development/importer', state: 'STOPPED' },
      { at: 'billing/staging/billing-api', state: 'STOPPED' },
      { at: 'discovery/production/recommendations', state: 'DEPLOYMENT_ERROR' },
    ],
  },
  {
    want: 'keep others off the cluster main for two hours and upgrade it meanwhile',
    steps: [
      {
        ask: 'freeze a cluster during an incident',
        with: { cluster: 'main', reason: 'It is upgraded.', dry_run: true },
      },
      { ask: 'upgrade a cluster to the next version', with: { cluster: 'main' } },
      { follow: 'wait_for_deployment' },
    ],
    end: [
      { read: 'list_clusters', has: { name: 'main', version: '1.33', status: 'DEPLOYED' } },
      { read: 'list_cluster_locks', lacks: { reason: 'It is upgraded.' } },
    ],
    says: 'so are upgrades of the cluster',
  },
  {
    want: 'have invoices sent to our new address',
    steps: [
      {
        ask: 'change the billing address on invoices',
        with: { address: '22 Quai Perrache', zip: '69002', city: 'Lyon' },
      },
    ],
    end: [
      {
        read: 'get_billing_info',
        has: {
          address: '22 Quai Perrache',
          zip: '69002',
          city: 'Lyon',
          email: 'billing@acme.example',
          country_code: 'FR',
        },
      },
    ],
  },
  {
    want: 'give checkout-api on staging a liveness check over HTTP, and 1 GB',
    steps: [
      {
        ask: 'change an application: memory, health checks',
        with: {
          application: checkout,
          memory: 1024,
          healthchecks: { liveness_probe: { type: { http: { port: 8080, path: '/health', scheme: 'HTTP' } } } },
        },
      },
      { follow: 'deploy_service', with: { wait: true } },
    ],
    end: runs(checkout, {
      memory: 1024,
      healthchecks: {
        liveness_probe: { type: { http: { port: 8080, path: '/health', scheme: 'HTTP' } } },
        readiness_probe: { type: { http: { port: 8080, path: '/health', scheme: 'HTTP' } } },
      },
    }),
    says: '512 → 1024',
  },
  {
    want: 'have the staging of loyalty gone for good',
    before: [...loyalty, ...loyaltyInProduction],
    steps: [{ ask: 'delete a whole environment for good', with: { environment: 'loyalty/staging', wait: true } }],
    end: [
      { read: 'list_environments', of: { project_id: 'loyalty' }, lacks: { name: 'staging' } },
      ...runs('loyalty/production/points'),
    ],
    says: 'it is gone',
  },
  {
    want: 'put checkout-api on staging back by one version, and know what ran there and who put it there',
    steps: [
      { ask: 'undo a bad release, roll back', with: { application: checkout, wait: true } },
      { ask: 'what was deployed, when and by whom', with: { service: checkout } },
    ],
    end: runs(checkout),
    says: 'Cleo Marchetti',
  },
  {
    want: 'serve the storefront on staging at shop.acme.example',
    steps: [{ ask: 'add a custom domain', with: { service: 'shop/staging/storefront', domain: 'shop.acme.example' } }],
    end: [
      {
        read: 'list_application_domains',
        of: { application_id: 'shop/staging/storefront' },
        has: { domain: 'shop.acme.example', generate_certificate: true },
      },
    ],
    says: ['CNAME shop.acme.example →', 'Entered: no'],
  },
  {
    want: 'have TRACE=on for every service of the staging of the shop, deploying only what runs and uses it',
    steps: [
      { ask: 'set several env vars', with: { environment: 'shop/staging', variables: { TRACE: 'on' } } },
      { ask: 'is everything all right in the environment, unhealthy first', with: { environment: 'shop/staging' } },
      { ask: 'deploy this service', with: { service: checkout, wait: true } },
      { ask: 'deploy this service', with: { service: 'shop/staging/search', wait: true } },
    ],
    end: [
      { at: checkout, state: 'DEPLOYED', freshness: 'UP_TO_DATE', variables: { TRACE: 'on' } },
      { at: 'shop/staging/search', state: 'DEPLOYED', freshness: 'UP_TO_DATE', variables: { TRACE: 'on' } },
      // What would run or apply something is left alone, and so is what doesn't read variables; the next deployment
      // brings it to them.
      { at: 'shop/staging/nightly-report', state: 'DEPLOYED', freshness: 'OUT_OF_DATE', variables: { TRACE: 'on' } },
      { at: 'shop/staging/storefront', state: 'READY', freshness: 'NEVER_DEPLOYED', variables: { TRACE: 'on' } },
      ...['session-cache', 'assets-bucket'].map((name) => ({
        at: `shop/staging/${name}`,
        state: 'DEPLOYED',
        freshness: 'OUT_OF_DATE' as const,
      })),
      { at: 'shop/staging/orders-db', state: 'DEPLOYED', freshness: 'UP_TO_DATE' },
    ],
    says: ['4 out of date, 1 overdue, 1 never deployed', 'TRACE: created (ENVIRONMENT'],
  },
];
