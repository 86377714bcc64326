import { expect } from 'vitest';
import type { OperationName, ServiceKind } from '../../../src/contract/index.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import type { Json, TestPlatform } from '../../support/test-platform.ts';

/** One call of a fix; its input may need what can be read at that moment. */
export interface Step {
  readonly call: OperationName;
  readonly input: Json | ((lab: TestPlatform) => Promise<Json>);
  /** What it is refused with; absent where it is taken. */
  readonly refused?: RegExp;
}

/** What a scenario is to show, what doesn't help, and what does. */
export interface ExpectedScenario {
  readonly name: string;
  readonly kind: ServiceKind;
  /** Path of the service that fails. */
  readonly service: string;
  readonly state: string;
  /** The step that failed. */
  readonly step: string;
  /** Found in its log, each in one message. */
  readonly logPatterns: readonly RegExp[];
  /** Found in the log of another service of the story. */
  readonly otherServiceLog?: {
    readonly kind: ServiceKind;
    readonly service: string;
    readonly lines: readonly RegExp[];
  };
  /**
   * The variable that was changed since the last good deployment; otherwise, where the version is the same, the
   * service's own configuration was.
   */
  readonly changed?: { readonly variable: string };
  /** What its last good deployment had, in the history: commit or tag. */
  readonly lastGood?: RegExp;
  /** Ways that leave it as it is; each ends with a deployment. */
  readonly ineffectiveFixes: Readonly<Record<string, readonly Step[]>>;
  /** Another way that makes it good, and what breaks it again afterwards. */
  readonly alternativeFix?: { readonly there: readonly Step[]; readonly back: readonly Step[] };
  /** The way that makes it good. */
  readonly fix: readonly Step[];
}

const id = (path: string): string => seedId(`service/${path}`);
const environment = (path: string): Json => ({ environment_id: seedId(`environment/${path}`) });

/** Puts back what was read of a container, with some members changed. */
const changed = (path: string, members: (read: Json) => Json): Step => ({
  call: 'update_container',
  input: async (lab) => {
    // What only answers have is ignored in requests.
    const read = await lab.must('get_container', { container_id: id(path) });
    return { ...read, ...members(read), container_id: id(path) };
  },
});

const deploy = (kind: ServiceKind, path: string, more: Json = {}): Step =>
  kind === 'terraform'
    ? { call: 'redeploy_terraform', input: { terraform_id: id(path) } }
    : { call: `deploy_${kind}`, input: { [`${kind}_id`]: id(path), ...more } };

const pricing = 'pricing/staging/pricing-engine';
const suggest = 'discovery/staging/suggest';
const orders = 'orders/staging/orders-api';
const payments = 'payments/staging/payments-api';
const gifts = 'shop/gifts/gift-cards';
const recommendations = 'discovery/production/recommendations';
const returns = 'shop/returns/returns-portal';
const network = 'network/staging/private-network';
const runner = 'network/tooling/plan-runner';
const events = 'data/streaming/event-bus';
const ledger = 'ledger/staging/ledger-api';
const mailer = 'shop/notifications/mailer';
const billing = 'billing/staging/billing-api';
const stock = 'warehouse/production/stock-sync';

/** A readiness probe with some members changed. */
const readiness =
  (members: Json) =>
  ({ healthchecks }: Json): Json => {
    const { readiness_probe: probe, ...others } = healthchecks as { readiness_probe: Json };
    return { healthchecks: { ...others, readiness_probe: { ...probe, ...members } } };
  };

/** Asks at a port, by HTTP. */
const asking = (port: number, path: string): Json => ({ type: { http: { port, path, scheme: 'HTTP' } } });

const listeningOn =
  (port: number) =>
  (read: Json): Json => ({
    ...readiness(asking(port, '/health'))(read),
    ports: (read['ports'] as Json[]).map((one) => ({ ...one, internal_port: port })),
  });

const registry = (name: string) => (): Json => ({ registry_id: seedId(`registry/${name}`) });

const helm = (path: string, members: Json): Step => ({
  call: 'update_helm',
  input: async (lab) => ({ ...(await lab.must('get_helm', { helm_id: id(path) })), ...members, helm_id: id(path) }),
});

const variable = (path: string, key: string): Step => ({
  call: 'create_environment_variable',
  input: { application_id: id(path), key, value: 'https://rates.acme.example' },
});

const chart = (version: string): Json => ({
  source: {
    repository: { chart_name: 'kafka', chart_version: version, repository: { id: seedId('helm-repository/charts') } },
  },
});

/** Nothing but a wait until the environment has nothing under way. */
const idle = (path: string): Step => ({
  call: 'get_environment_status',
  input: async (lab) => {
    const settled = async () =>
      ((await lab.must('get_environment_status', environment(path)))['environment'] as Json)['last_deployment_state'];
    await expect.poll(settled, { interval: 10 }).toMatch(/^(DEPLOYED|RESTARTED)$/);
    return environment(path);
  },
});

const queueHost = (value: string): Step => ({
  call: 'update_environment_variable',
  input: {
    ...environment('orders/staging'),
    environment_variable_id: seedId('variable/orders/staging/QUEUE_HOST'),
    key: 'QUEUE_HOST',
    value,
  },
});

/** Every scenario's expectations. */
export const expectedScenarios: readonly ExpectedScenario[] = [
  {
    name: 'bad-image-tag',
    kind: 'container',
    service: pricing,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [
      /ErrImagePull/,
      /Back-off pulling image/,
      /ImagePullBackOff/,
      /acme\/pricing-engine:3\.7\.0-rc\.2: not found/,
    ],
    lastGood: /^3\.6\.4$/,
    ineffectiveFixes: {
      'the same again': [deploy('container', pricing)],
      'another tag that nobody pushed': [changed(pricing, () => ({ tag: '3.7.1' })), deploy('container', pricing)],
      'an image that nobody pushed': [
        changed(pricing, () => ({ image_name: 'acme/pricing', tag: '3.7.0' })),
        deploy('container', pricing),
      ],
    },
    alternativeFix: {
      there: [
        changed(pricing, () => ({ image_name: 'acme/pricing-engine', tag: '3.6.4' })),
        deploy('container', pricing),
      ],
      back: [changed(pricing, () => ({ tag: '3.7.0-rc.2' })), deploy('container', pricing)],
    },
    fix: [changed(pricing, () => ({ tag: '3.7.0' })), deploy('container', pricing)],
  },
  {
    name: 'failing-readiness-probe',
    kind: 'container',
    service: suggest,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [
      /Readiness probe failed: HTTP probe failed with statuscode: 503/,
      /suggestion index: \d+\/48 segments loaded, \d+s to go/,
    ],
    ineffectiveFixes: {
      'the same again': [deploy('container', suggest)],
      'a little more patience': [changed(suggest, readiness({ failure_threshold: 10 })), deploy('container', suggest)],
      'a path that is not there': [
        changed(suggest, readiness({ ...asking(8080, '/healthz'), failure_threshold: 30 })),
        deploy('container', suggest),
      ],
    },
    alternativeFix: {
      there: [changed(suggest, readiness(asking(8080, '/live'))), deploy('container', suggest)],
      back: [
        changed(suggest, readiness({ ...asking(8080, '/ready'), failure_threshold: 2 })),
        deploy('container', suggest),
      ],
    },
    fix: [
      changed(
        suggest,
        readiness({ ...asking(8080, '/ready'), initial_delay_seconds: 30, period_seconds: 10, failure_threshold: 9 }),
      ),
      deploy('container', suggest),
    ],
  },
  {
    name: 'missing-variable',
    kind: 'application',
    service: payments,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [
      /ConfigurationError: RATES_API_URL is not set\n\s+at required/,
      /Exit Code:\s+1/,
      /Back-off restarting failed container/,
    ],
    lastGood: /^c81f5a2/,
    ineffectiveFixes: {
      'the same again': [deploy('application', payments)],
      'a variable of another name': [variable(payments, 'RATES_URL'), deploy('application', payments)],
    },
    alternativeFix: {
      there: [deploy('application', payments, { git_commit_id: 'c81f5a2d' })],
      back: [deploy('application', payments)],
    },
    fix: [variable(payments, 'RATES_API_URL'), deploy('application', payments)],
  },
  {
    name: 'wrong-variable-value',
    kind: 'application',
    service: orders,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [
      /Error: getaddrinfo ENOTFOUND queue\.stagging\.acme\.internal\n\s+at GetAddrInfoReqWrap/,
      /Back-off restarting failed container/,
    ],
    changed: { variable: 'QUEUE_HOST' },
    ineffectiveFixes: {
      'the same again': [deploy('application', orders)],
      'the commit before': [deploy('application', orders, { git_commit_id: '2b8d6fe' })],
      'another host that is not there': [queueHost('queue.acme.internal'), deploy('application', orders)],
    },
    alternativeFix: {
      there: [queueHost('queue.staging.acme.internal'), deploy('application', orders)],
      back: [queueHost('queue.stagging.acme.internal'), deploy('application', orders)],
    },
    // A variable of its own goes before that of the environment.
    fix: [
      {
        call: 'create_environment_variable',
        input: { application_id: id(orders), key: 'QUEUE_HOST', value: 'queue.staging.acme.internal' },
      },
      deploy('application', orders),
    ],
  },
  {
    name: 'wrong-port',
    kind: 'container',
    service: gifts,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [
      /server listening at http:\/\/0\.0\.0\.0:3000/,
      /Readiness probe failed: Get "http:\/\/10\.42\.0\.17:8080\/health": dial tcp 10\.42\.0\.17:8080: connect: connection refused/,
    ],
    lastGood: /^4\.8\.1$/,
    ineffectiveFixes: {
      'the same again': [deploy('container', gifts)],
      'another path': [changed(gifts, readiness(asking(8080, '/'))), deploy('container', gifts)],
      'another port that nobody listens on': [changed(gifts, listeningOn(8000)), deploy('container', gifts)],
    },
    alternativeFix: {
      there: [changed(gifts, (read) => ({ ...listeningOn(8080)(read), tag: '4.8.1' })), deploy('container', gifts)],
      back: [changed(gifts, () => ({ tag: '5.0.0' })), deploy('container', gifts)],
    },
    fix: [changed(gifts, listeningOn(3000)), deploy('container', gifts)],
  },
  {
    name: 'out-of-memory',
    kind: 'container',
    service: recommendations,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [
      /Reason:\s+OOMKilled\n\s+Exit Code:\s+137/,
      /Memory cgroup out of memory: Killed process/,
      /\[gc\] GC\(\d+\) Pause Full/,
      /Back-off restarting failed container/,
    ],
    lastGood: /^7\.9\.2$/,
    ineffectiveFixes: {
      'the same again': [deploy('container', recommendations)],
      'a little more memory': [
        changed(recommendations, () => ({ memory: 1024 })),
        deploy('container', recommendations),
      ],
      'more of something else': [changed(recommendations, () => ({ cpu: 4000 })), deploy('container', recommendations)],
    },
    alternativeFix: {
      there: [changed(recommendations, () => ({ tag: '7.9.2' })), deploy('container', recommendations)],
      back: [changed(recommendations, () => ({ tag: '8.0.0' })), deploy('container', recommendations)],
    },
    fix: [changed(recommendations, () => ({ memory: 1536 })), deploy('container', recommendations)],
  },
  {
    name: 'docker-build-error',
    kind: 'application',
    service: returns,
    state: 'BUILD_ERROR',
    step: 'BUILD',
    logPatterns: [
      /npm error code EUSAGE/,
      /Missing: pdfkit@0\.17\.1 from lock file/,
      /did not complete successfully: exit code: 1/,
      /failed to solve/,
    ],
    lastGood: /^b7e35f0/,
    ineffectiveFixes: {
      'the newest commit again': [deploy('application', returns)],
      'a commit that is not there': [deploy('application', returns, { git_commit_id: 'abcdef1' })],
      'the commit that fails, by its name': [deploy('application', returns, { git_commit_id: 'e2a6108dc57f' })],
    },
    alternativeFix: {
      there: [deploy('application', returns, { git_commit_id: '90c2d41f6b7a' })],
      back: [deploy('application', returns)],
    },
    fix: [deploy('application', returns, { git_commit_id: 'b7e35f0' })],
  },
  {
    name: 'terraform-state-lock',
    kind: 'terraform',
    service: network,
    state: 'DEPLOYMENT_ERROR',
    step: 'EXECUTING',
    logPatterns: [
      /Error acquiring the state lock[^]*Lock Info:[^]*Path: {6}acme-terraform-state\/network\/staging\.tfstate[^]*Who: {7}runner@plan-runner-\w+-\w+/,
      /terraform exited with code 1/,
    ],
    lastGood: /^4c7e19b/,
    ineffectiveFixes: {
      'the same again': [deploy('terraform', network)],
      'another version of the one that holds it, undeployed': [
        changed(runner, () => ({ tag: '2.0.3' })),
        deploy('terraform', network),
      ],
    },
    fix: [
      { call: 'restart_services', input: { ...environment('network/tooling'), container_ids: [id(runner)] } },
      idle('network/tooling'),
      deploy('terraform', network),
    ],
  },
  {
    name: 'helm-timeout',
    kind: 'helm',
    service: events,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [
      /Error: UPGRADE FAILED: .* timed out waiting for the condition/,
      /StatefulSet is not ready: .* out of 3 expected pods are ready/,
      /Loaded 219 of 318 logs/,
    ],
    ineffectiveFixes: {
      'the same again': [deploy('helm', events)],
      'a little more time': [helm(events, { timeout_sec: 240 }), deploy('helm', events)],
      'a version that there is not': [helm(events, chart('31.0.1')), deploy('helm', events)],
    },
    alternativeFix: {
      there: [helm(events, chart('30.1.8')), deploy('helm', events)],
      back: [helm(events, { ...chart('31.0.0'), timeout_sec: 200 }), deploy('helm', events)],
    },
    fix: [helm(events, { ...chart('31.0.0'), timeout_sec: 600 }), deploy('helm', events)],
  },
  {
    name: 'database-down',
    kind: 'container',
    service: ledger,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [
      /psycopg\.OperationalError: .* port 5432 failed: Connection refused/,
      /Worker failed to boot/,
      /Back-off restarting failed container/,
    ],
    lastGood: /^2\.4\.0$/,
    ineffectiveFixes: {
      'the same again': [deploy('container', ledger)],
      'the tag before': [changed(ledger, () => ({ tag: '2.4.0' })), deploy('container', ledger)],
    },
    alternativeFix: {
      there: [deploy('database', 'ledger/staging/ledger-db'), deploy('container', ledger)],
      back: [{ call: 'stop_environment', input: environment('ledger/staging') }, deploy('container', ledger)],
    },
    fix: [{ call: 'deploy_environment', input: environment('ledger/staging') }],
  },
  {
    name: 'image-pull-denied',
    kind: 'container',
    service: mailer,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [
      /docker-hub\.acme\.example\/acme\/mailer:1\.9\.0": pull access denied, repository does not exist or may require authorization/,
      /ImagePullBackOff/,
    ],
    ineffectiveFixes: {
      'the same again': [deploy('container', mailer)],
      'another tag from there': [changed(mailer, () => ({ tag: '1.8.3' })), deploy('container', mailer)],
      'another registry that does not let it': [changed(mailer, registry('ecr')), deploy('container', mailer)],
    },
    fix: [changed(mailer, registry('acme')), deploy('container', mailer)],
  },
  {
    name: 'flaky-migration-job',
    kind: 'container',
    service: billing,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [/SchemaMismatchError: refusing to start on schema 5\.2\.0/, /this build expects 5\.3\.0/],
    otherServiceLog: {
      kind: 'job',
      service: 'billing/staging/billing-migrate',
      lines: [
        /still waiting for AccessExclusiveLock on relation/,
        /ERROR: {2}canceling statement due to lock timeout/,
        /0044_invoices_settled_at failed, transaction rolled back \(SQLSTATE 55P03\)/,
      ],
    },
    lastGood: /^5\.2\.0$/,
    ineffectiveFixes: {
      'the same again': [deploy('container', billing)],
      'the database again': [deploy('database', 'billing/staging/billing-db'), deploy('container', billing)],
    },
    fix: [deploy('job', 'billing/staging/billing-migrate'), deploy('container', billing)],
  },
  {
    name: 'cluster-locked',
    kind: 'container',
    service: stock,
    state: 'DEPLOYMENT_ERROR',
    step: 'DEPLOYMENT',
    logPatterns: [
      /The node was low on resource: ephemeral-storage/,
      /untolerated taint \{node\.kubernetes\.io\/disk-pressure: \}/,
    ],
    lastGood: /^1\.17\.0$/,
    ineffectiveFixes: {
      'the same again': [{ ...deploy('container', stock), refused: /is locked by Bo Lindqvist until .*Incident 2291/ }],
      'the tag before': [{ ...changed(stock, () => ({ tag: '1.17.0' })), refused: /is locked by Bo Lindqvist/ }],
    },
    fix: [{ call: 'unlock_cluster', input: { cluster_id: seedId('cluster/warehouse') } }, deploy('container', stock)],
  },
];
