import { again, runs, why, type Task } from './task.ts';

/** Each failure by itself, and what is asked most. */
export const dailyWork: readonly Task[] = [
  // What went wrong.
  {
    want: 'bring the pricing engine up again',
    scenario: 'bad-image-tag',
    steps: [
      why({ service: 'pricing/staging/pricing-engine' }),
      { follow: 'update_container' },
      again('pricing-engine'),
    ],
    end: runs('pricing/staging/pricing-engine', { tag: '3.6.4' }),
  },
  {
    want: 'give the readiness probe more time',
    scenario: 'failing-readiness-probe',
    steps: [why({ service: '@failed' }), { follow: 'update_container' }, again('@failed')],
    end: runs('@failed'),
  },
  {
    want: 'add the variable that the application asks for',
    scenario: 'missing-variable',
    steps: [
      why({ service: 'payments/staging/payments-api' }),
      { follow: 'set_environment_variables', with: { env_text: 'RATES_API_URL=https://rates.acme.example' } },
      { ask: 'ship the application', with: { application: 'payments-api', wait: true } },
    ],
    end: [
      {
        at: 'payments/staging/payments-api',
        state: 'DEPLOYED',
        variables: { RATES_API_URL: 'https://rates.acme.example' },
      },
    ],
  },
  {
    want: 'mend the variable with the wrong value',
    scenario: 'wrong-variable-value',
    steps: [
      why({ service: '@failed' }),
      { follow: 'set_environment_variables' },
      { ask: 'ship the application', with: { application: '@failed', wait: true } },
    ],
    end: runs('@failed'),
  },
  {
    want: 'let the container listen where it is asked',
    scenario: 'wrong-port',
    steps: [why({ service: '@failed' }), { follow: 'update_container' }, again('@failed')],
    end: runs('@failed'),
  },
  {
    want: 'give it the memory it needs',
    scenario: 'out-of-memory',
    steps: [why({ service: '@failed' }), { follow: 'update_container' }, again('@failed')],
    end: runs('@failed', { memory: 1536 }),
  },
  {
    want: 'go back to the commit that could be built',
    scenario: 'docker-build-error',
    steps: [why({ service: '@failed' }), { follow: 'deploy_application', with: { wait: true } }],
    end: runs('@failed'),
  },
  {
    want: 'get the terraform state unlocked',
    scenario: 'terraform-state-lock',
    steps: [
      why({ service: '@failed' }),
      {
        ask: 'reboot the containers of an environment',
        with: { environment: 'network/tooling', containers: ['plan-runner'], wait: true },
      },
      { ask: 'run terraform again', with: { terraform: '@failed', wait: true } },
    ],
    end: runs('@failed'),
  },
  {
    want: 'let helm wait long enough',
    scenario: 'helm-timeout',
    steps: [why({ service: '@failed' }), { follow: 2 }, again('@failed')],
    end: runs('@failed', { timeout_sec: 360 }),
  },
  {
    want: 'start the database that is missing',
    scenario: 'database-down',
    steps: [why({ service: '@failed' }), { follow: 'deploy_service', with: { wait: true } }, again('@failed')],
    end: runs('@failed'),
  },
  {
    want: 'pull the image from where it may be pulled',
    scenario: 'image-pull-denied',
    steps: [why({ service: '@failed' }), { follow: 'update_container' }, again('@failed')],
    end: runs('@failed'),
  },
  {
    want: 'get past the migration that met a lock',
    scenario: 'flaky-migration-job',
    steps: [why({ service: '@failed' }), { follow: 'diagnose_deployment' }, again('billing-migrate'), again('@failed')],
    end: runs('@failed'),
  },
  {
    want: 'deploy onto the cluster that was left locked',
    scenario: 'cluster-locked',
    steps: [why({ service: '@failed' }), { follow: 'unlock_cluster' }, again('@failed')],
    end: runs('@failed'),
  },
  // Daily work.
  {
    want: 'find something by a part of its name',
    steps: [{ ask: 'where is it: find a service by name', with: { name: 'checkout' } }],
    says: 'shop/production/checkout-api',
  },
  {
    want: 'see whether staging is all right',
    steps: [
      { ask: 'is everything all right in the environment, unhealthy first', with: { environment: 'shop/staging' } },
    ],
    says: 'checkout-api',
  },
  {
    want: 'see what failed anywhere, and why',
    steps: [
      { ask: 'find what failed by state', with: { state: 'ERROR', kind: 'container' } },
      { ask: 'why did my deploy fail', with: { service: 'data/development/importer' } },
    ],
    says: 'Cause',
  },
  {
    want: 'ship the newest commit',
    steps: [
      {
        ask: 'ship the newest commit of an application',
        with: { application: 'shop/staging/checkout-api', wait: true },
      },
    ],
    end: runs('shop/staging/checkout-api'),
  },
  {
    want: 'ship two services at their versions together',
    steps: [
      {
        ask: 'deploy several services at versions',
        with: {
          environment: 'shop/staging',
          services: [{ service: 'checkout-api' }, { service: 'search', version: '2.4.0' }],
          wait: true,
        },
      },
    ],
    end: [...runs('shop/staging/checkout-api'), ...runs('shop/staging/search', { tag: '2.4.0' })],
  },
  {
    want: 'ship without waiting, and look later',
    steps: [
      { ask: 'ship the newest commit of an application', with: { application: 'shop/staging/checkout-api' } },
      { follow: 'wait_for_deployment' },
    ],
    says: 'succeeded',
  },
  {
    want: 'undo a release',
    steps: [{ ask: 'undo a bad release, roll back', with: { application: 'shop/staging/checkout-api', wait: true } }],
    end: runs('shop/staging/checkout-api'),
  },
  {
    want: 'take over a .env file',
    steps: [
      {
        ask: 'set many env vars at once from a .env file',
        with: { application: 'shop/staging/checkout-api', env_text: 'CACHE_TTL=60\nMAIL_FROM=shop@acme.example\n' },
      },
    ],
    end: [{ at: 'shop/staging/checkout-api', variables: { CACHE_TTL: '60', MAIL_FROM: 'shop@acme.example' } }],
  },
  {
    want: 'give all environments of the shop a variable',
    steps: [{ ask: 'set an env var for the whole project', with: { project: 'shop', variables: { CURRENCY: 'EUR' } } }],
    end: [{ at: 'shop/production/checkout-api', variables: { CURRENCY: 'EUR' } }],
  },
  {
    want: 'give a container more memory',
    steps: [
      { ask: 'change a container: memory', with: { container: 'shop/staging/search', memory: 1024 } },
      again('shop/staging/search'),
    ],
    end: runs('shop/staging/search', { memory: 1024 }),
  },
  {
    want: 'move a chart to another version',
    steps: [
      {
        ask: 'change a helm release: chart version',
        with: { helm: 'shop/staging/session-cache', source: { helm_repository: { chart_version: '20.6.2' } } },
      },
    ],
    end: [{ at: 'shop/staging/session-cache', is: { source: { repository: { chart_version: '20.6.2' } } } }],
  },
  {
    want: 'stop staging for the night and start it in the morning',
    steps: [
      { ask: 'shut down everything in an environment overnight', with: { environment: 'shop/staging', wait: true } },
      { ask: 'deploy everything in an environment', with: { environment: 'shop/staging', wait: true } },
    ],
    end: [{ at: 'shop/staging', state: 'DEPLOYED' }],
  },
  {
    want: 'set up a new application',
    steps: [
      {
        ask: 'add an application from a git repository',
        with: {
          environment: 'shop/staging',
          name: 'reviews',
          git_repository: { url: 'https://git.acme.example/shop/checkout-api.git', branch: 'main' },
        },
      },
      {
        ask: 'store a password, an api key, a secret for an application',
        with: { application: 'shop/staging/reviews', key: 'REVIEWS_KEY', value: 'correct-horse-9' },
      },
    ],
    end: [{ at: 'shop/staging/reviews', state: 'READY' }],
  },
  {
    want: 'know what differs between staging and production',
    steps: [
      {
        ask: 'what differs between staging and production, compare environments',
        with: { first: 'shop/staging', second: 'shop/production' },
      },
    ],
    says: 'tag',
  },
  {
    want: 'know what was deployed to production',
    steps: [{ ask: 'deployment history: who and when', with: { environment: 'shop/production' } }],
    says: 'DEPLOYED',
  },
  {
    want: 'find errors in a log',
    steps: [
      { ask: 'find errors and exceptions in the logs', with: { service: 'shop/staging/checkout-api', level: 'warn' } },
    ],
    says: 'WARN',
  },
  {
    want: 'run the nightly report now',
    steps: [again('shop/staging/nightly-report')],
    end: runs('shop/staging/nightly-report'),
  },
  {
    want: 'make an alert less noisy',
    steps: [
      { ask: 'is anything alerting, which alert rules are there' },
      {
        ask: 'tune an alert: threshold, severity',
        with: { alert_rule: 'checkout-errors', for_duration: 'PT15M', severity: 'MEDIUM' },
      },
    ],
    says: 'PT15M',
  },
  {
    want: 'freeze a cluster in an incident',
    steps: [
      { ask: 'freeze a cluster during an incident', with: { cluster: 'main', reason: 'Incident 7: investigating.' } },
    ],
    says: 'Incident 7',
  },
  {
    want: 'bring somebody on board',
    steps: [
      { ask: 'invite somebody to the organization by e-mail', with: { email: 'nia@acme.example', role: 'Developer' } },
    ],
    says: 'PENDING',
  },
  {
    want: 'tell a chat of failed deployments',
    steps: [
      {
        ask: 'create a webhook that notifies of deployments that failed',
        with: { target_url: 'https://chat.acme.example/hooks/deploys', events: ['DEPLOYMENT_FAILED'] },
      },
    ],
    says: 'DEPLOYMENT_FAILED',
  },
];
