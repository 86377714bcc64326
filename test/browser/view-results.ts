import { metaKeys, type viewNames } from '../../src/views/index.ts';
import type { JsonRecord, ToolResult } from './view-host.ts';

/** A result that a view shows. Each has the form of an answer of its tool. */
export interface ViewState {
  readonly view: (typeof viewNames)[number];
  readonly tool: string;
  readonly args: JsonRecord;
  readonly result: ToolResult;
}

const state = (
  view: ViewState['view'],
  tool: string,
  args: JsonRecord,
  structuredContent: JsonRecord,
  { next = [], figures }: { readonly next?: readonly JsonRecord[]; readonly figures?: JsonRecord } = {},
): ViewState => ({
  view,
  tool,
  args,
  result: {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    _meta: { [metaKeys.next]: next, ...(figures && { [metaKeys.view]: figures }) },
  },
});

const environment = state(
  'organization',
  'get_environment_overview',
  { environment: 'data/development' },
  {
    environment: 'data/development',
    counts: { failed: 1, 'never deployed': 1, healthy: 1 },
    cluster_lock: 'Its cluster main is locked by Bo Lindqvist: storage migration.',
    results: [
      {
        id: 's1',
        name: 'importer',
        kind: 'container',
        condition: 'failed',
        state: 'DEPLOYMENT_ERROR',
        reason: 'its last deployment failed in DEPLOYMENT',
        serves: 'nothing',
      },
      {
        id: 's2',
        name: 'migrate-schema',
        kind: 'job',
        condition: 'never deployed',
        state: 'READY',
        reason: 'it was never deployed',
      },
      {
        id: 's3',
        name: 'warehouse',
        kind: 'database',
        condition: 'healthy',
        state: 'DEPLOYED',
        reason: 'it runs',
        serves: '16',
      },
    ],
    alerts: [
      {
        name: 'importer-down',
        severity: 'CRITICAL',
        state: 'NOTIFIED',
        told: 'on-call',
        since: '2026-11-26T10:00:00Z',
        service: 'importer',
        id: 'a1',
      },
    ],
  },
  { next: [{ tool: 'diagnose_deployment', arguments: { environment: 'data/development' }, why: 'why it failed' }] },
);

const fix = {
  tool: 'update_container',
  arguments: { container: 's1', healthchecks: { readiness_probe: { type: { http: { port: 9200, path: '/ready' } } } } },
  why: 'the app listens on 9200',
};

/** The lines of a log that a search finds. */
export const foundLog: ToolResult = {
  content: [{ type: 'text', text: '3 messages' }],
  structuredContent: {
    matched: 3,
    shown: 3,
    searched: 23,
    levels: { error: 1, warn: 1, info: 1, debug: 0 },
    results: [],
  },
  _meta: {
    [metaKeys.view]: {
      lines: [
        { at: '2026-11-24T10:00:38Z', from: 'importer-f12d', level: 'info', text: 'listening on 0.0.0.0:9200' },
        {
          at: '2026-11-24T10:00:46Z',
          from: 'importer-f12d',
          level: 'warn',
          text: 'Readiness probe failed: connection refused',
          count: 9,
        },
        { at: '2026-11-24T10:02:08Z', from: 'importer-f12d', level: 'error', text: 'importer never became ready' },
      ],
    },
  },
};

/** The states in which views are looked at, by name. */
export const viewStates = {
  'an organization': state(
    'organization',
    'get_organization_overview',
    {},
    {
      organization: 'Acme',
      total: 3,
      counts: { failed: 1, alerting: 1, healthy: 1 },
      services: { healthy: 10, 'never deployed': 2, failed: 1 },
      results: [
        {
          environment: 'data/development',
          mode: 'DEVELOPMENT',
          condition: 'failed',
          since: '2026-11-24T10:00:00Z',
          by: 'Cleo Marchetti',
          what: 'failed: importer; alerting: importer-down; never deployed: migrate-schema',
        },
        {
          environment: 'shop/staging',
          mode: 'STAGING',
          condition: 'alerting',
          since: '2026-11-25T10:00:00Z',
          what: 'alerting: report-late',
        },
        { environment: 'shop/production', mode: 'PRODUCTION', condition: 'healthy' },
      ],
      locks: ['cluster batch by Bo Lindqvist: storage migration, no changes until it is done.'],
      unusable_clusters: ['edge-lab: the platform has no valid credentials for it (INVALID_CREDENTIALS)'],
      cluster_alerts: ['cluster main: disk-filling (UNROUTED: nobody is told)'],
      not_read: ['The services of one environment could not be read.'],
      page: 1,
      pages: 2,
    },
    {
      next: [
        {
          tool: 'get_environment_overview',
          arguments: { environment: 'data/development' },
          why: 'each of its services',
        },
      ],
    },
  ),
  'an environment': environment,
  'a failed deployment': state(
    'deployment',
    'diagnose_deployment',
    { environment: 'data/development' },
    {
      subject: 'data/development/importer',
      outcome: 'failed',
      serves: 'nothing',
      cause: {
        code: 'wrong_port',
        sentence: 'The app listens on port 9200, but port 8081 is configured.',
        confidence: 'high',
        why: 'a line of the log says so',
      },
      blocked: { cluster: 'main', locked_by: 'Bo Lindqvist', reason: 'storage migration' },
      changes: ['port 9200 → 8081'],
      lines: ['importer never became ready'],
      deployment: { id: 'd1', triggered_by: 'Cleo Marchetti' },
    },
    {
      next: [
        fix,
        { tool: 'deploy_service', arguments: { service: 's1' }, why: 'deploys it again', after: 'update_container' },
      ],
      figures: {
        service: { kind: 'container', id: 's1' },
        timeline: [
          { at: '2026-11-24T10:00:00Z', what: 'deploy begun by Cleo Marchetti with image acme/importer:0.9.0' },
          { what: 'DEPLOYMENT_QUEUEING succeeded', seconds: 7, step: 'DEPLOYMENT_QUEUEING', status: 'SUCCESS' },
          { what: 'MIRROR_IMAGE succeeded', seconds: 2, step: 'MIRROR_IMAGE', status: 'SUCCESS' },
          { what: 'DEPLOYMENT failed', seconds: 120, step: 'DEPLOYMENT', status: 'ERROR' },
          { at: '2026-11-24T10:02:09Z', what: 'ended as DEPLOYMENT_ERROR', seconds: 129 },
        ],
        lines: [
          { at: '2026-11-24T10:02:08Z', level: 'error', text: 'importer never became ready', count: 1, is_cause: true },
        ],
      },
    },
  ),
  'two environments': state(
    'comparison',
    'compare_environments',
    { first: 'shop/staging', second: 'shop/production' },
    {
      first: 'shop/staging',
      second: 'shop/production',
      pairs: 3,
      same: 1,
      results: [
        { kind: 'version', service: 'search', what: 'tag', first: '2.4.1', second: '2.4.0' },
        { kind: 'missing secret', service: 'checkout-api', what: 'PAYMENT_API_KEY', first: 'set' },
        {
          kind: 'size',
          service: 'search',
          what: 'storage',
          first: '[{"mount_point":"/data","size":20,"type":"FAST_SSD"}]',
          second: '[]',
        },
      ],
      not_comparable: ['SHARED_TOKEN'],
    },
  ),
  'a plan': state(
    'comparison',
    'update_application',
    { application: 'shop/production/api', cpu: 750, dry_run: true },
    {
      dry_run: {
        tool: 'update_application',
        tier: 'disruptive',
        target: { kind: 'application', id: 'a', name: 'api', mode: 'PRODUCTION', path: 'shop/production/api' },
        summary: 'Change cpu; the rest is sent back as it is.',
        requests: [{ method: 'PUT', path: '/application/a', body: { cpu: 750 }, unchanged: ['name', 'memory'] }],
        effects: ['cpu: 500 → 750', 'It restarts.'],
      },
    },
  ),
  'what was measured': state(
    'measurements',
    'get_service',
    { service: 'shop/staging/api' },
    { name: 'api', id: 's1', kind: 'application', path: 'shop/staging/api' },
    {
      figures: {
        services: [
          {
            id: 's1',
            path: 'shop/staging/api',
            kind: 'application',
            state: 'RUNNING',
            usage: {
              measured_at: '2026-11-27T10:00:00Z',
              cpu: 120,
              cpu_limit: 500,
              memory: 490,
              memory_limit: 512,
              requests_per_second: 41,
              error_percent: 0.2,
              p95_milliseconds: 80,
              missing: ['One instance could not be reached.'],
            },
          },
        ],
      },
    },
  ),
} as const satisfies Readonly<Record<string, ViewState>>;

/** The same result with the time and figures of a later measurement. */
export const measuredLater: ToolResult = JSON.parse(
  JSON.stringify(viewStates['what was measured'].result)
    .replace('10:00:00Z', '10:00:20Z')
    .replace('"cpu":120', '"cpu":260'),
) as ToolResult;

/** A result that says that a call failed. */
export const failedResult: ToolResult = {
  isError: true,
  content: [{ type: 'text', text: 'The platform did not answer.' }],
};
