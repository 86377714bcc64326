import { expect } from 'vitest';
import type { ForeignCall, Made } from './call.ts';
import type { ForeignServer } from './foreign-server.ts';

type Json = Record<string, unknown>;

export const kinds = {
  application: 'storefront',
  container: 'gateway',
  database: 'orders',
  job: 'nightly',
  helm: 'cache',
  terraform: 'network',
} as const;

export const organization = ({ platform }: ForeignServer): Json => ({ organization_id: platform.ids.organization });
export const named =
  (name: string, environment: 'staging' | 'development' = 'staging') =>
  ({ platform }: ForeignServer) =>
    platform.service(name, platform.ids.environments[environment]);

const rows = ({ answer }: Made): Json[] => (answer['results'] ?? []) as Json[];
const column = (made: Made, name: string): string[] => rows(made).map((row) => String(row[name]));

/** How often a service or environment was deployed, newest first. */
const deployments = ({ server: { platform } }: Made, id: string) =>
  platform.state.deployments
    .filter(
      ({ environment_id: environment, services }) =>
        environment === id || services.some(({ service }) => service.id === id),
    )
    .toReversed();

/** The environment's services as the platform keeps them: all, also those of types that no tool acts on. */
const inStaging = ({ server: { platform } }: Made) =>
  platform.state.services.filter(
    ({ environment_id: environment }) => environment === platform.ids.environments.staging,
  );

const history = (service: string): readonly ForeignCall[] => [
  {
    tool: 'list_deployments',
    case: `of ${service}`,
    args: (server) => ({ service: named(service)(server).id }),
    holds: (made) => expect(rows(made)).toHaveLength(deployments(made, named(service)(made.server).id).length),
  },
  {
    tool: 'list_deployments',
    case: `of ${service}, page 2`,
    args: (server) => ({ service: named(service)(server).id, page: 2, page_size: 1 }),
    // The second one, or none with the reason: never the first again.
    holds: (made) =>
      expect(column(made, 'id')).toEqual([deployments(made, named(service)(made.server).id)[1]?.execution_id]),
  },
];

const ofEachKind = Object.entries(kinds).flatMap(([kind, service]): ForeignCall[] => [
  {
    tool: 'get_service',
    case: kind,
    args: () => ({ service: `shop/staging/${service}` }),
    holds: ({ answer, server }) =>
      expect(answer).toMatchObject({
        id: named(service)(server).id,
        kind,
        status: { state: expect.stringMatching(/^(DEPLOYED|RUNNING)$/) as unknown },
      }),
  },
  ...history(service),
  {
    tool: 'search_logs',
    case: kind,
    args: () => ({ service: `shop/staging/${service}`, pattern: '.' }),
    holds: ({ answer }) => expect(answer['matched']).toBeGreaterThan(0),
  },
  {
    tool: 'wait_for_deployment',
    case: `${kind}, over`,
    args: (server) => ({
      service: named(service)(server).id,
      deployment_id: server.platform.state.deployments.findLast(({ services }) =>
        services.some((part) => part.service.id === named(service)(server).id),
      )?.request_id,
    }),
    holds: ({ answer }) => expect(answer).toMatchObject({ outcome: 'succeeded' }),
  },
  {
    tool: 'diagnose_deployment',
    case: `${kind}, nothing failed`,
    args: () => ({ service: `shop/staging/${service}` }),
    holds: ({ answer }) => expect(answer['outcome']).not.toBe('failed'),
  },
]);

/** Every tool that reads, on what is there from the start. */
export const readingCalls: readonly ForeignCall[] = [
  {
    tool: 'get_organization',
    args: () => ({}),
    holds: ({ answer, server }) => expect(answer['id']).toBe(server.platform.ids.organization),
  },
  {
    tool: 'list_projects',
    args: organization,
    holds: (made) => expect(column(made, 'name')).toEqual(['shop', 'tools']),
  },
  {
    tool: 'list_environments',
    args: ({ platform }) => ({ project_id: platform.ids.projects.shop }),
    holds: (made) =>
      expect(column(made, 'name')).toEqual(expect.arrayContaining(['development', 'staging', 'production'])),
  },
  {
    tool: 'list_environments',
    case: 'page 2',
    args: ({ platform }) => ({ project_id: platform.ids.projects.shop, page: 2, page_size: 1 }),
    holds: (made) => expect(column(made, 'name')).toEqual(['staging']),
  },
  {
    tool: 'get_environment',
    args: () => ({ environment_id: 'shop/production' }),
    holds: ({ answer, server }) =>
      expect(answer).toMatchObject({ mode: 'PRODUCTION', cluster_id: server.platform.ids.clusters.main }),
  },
  {
    tool: 'list_services',
    args: ({ platform }) => ({ environment_id: platform.ids.environments.staging }),
    holds: (made) =>
      expect(column(made, 'name').toSorted()).toEqual(
        inStaging(made)
          .map(({ spec }) => String(spec['name']))
          .toSorted(),
      ),
  },
  {
    tool: 'get_environment_status',
    args: ({ platform }) => ({ environment_id: platform.ids.environments.staging }),
    holds: ({ text, server }) => {
      for (const state of ['BUILD_ERROR', 'DEPLOYMENT_ERROR']) expect(text).toContain(state);
      expect(text).toContain(named('checkout')(server).id);
    },
  },
  {
    tool: 'get_organization_overview',
    args: () => ({}),
    holds: (made) => {
      // A service that failed before the latest deployment is found, although the platform's state of the whole is
      // good.
      expect(rows(made).find(({ environment }) => environment === 'shop/staging')).toMatchObject({
        condition: 'failed',
        what: expect.stringMatching(/checkout.*ledger|ledger.*checkout/) as unknown,
      });
      expect(column(made, 'environment')).toEqual(expect.arrayContaining(['shop/development', 'shop/production']));
      expect(made.text).toContain('Projects without any service are not shown.');
    },
  },
  {
    tool: 'get_organization_overview',
    case: 'of a project',
    args: () => ({ project: 'shop' }),
    holds: (made) =>
      expect(column(made, 'environment')).toEqual(
        expect.arrayContaining(['shop/staging', 'shop/development', 'shop/production']),
      ),
  },
  {
    tool: 'get_environment_overview',
    args: () => ({ environment: 'shop/staging' }),
    holds: (made) => {
      for (const name of ['checkout', 'ledger'])
        expect(
          rows(made).find((row) => row['name'] === name),
          name,
        ).toMatchObject({ condition: 'failed' });
      for (const name of Object.values(kinds))
        expect(
          rows(made).find((row) => row['name'] === name),
          name,
        ).toMatchObject({ state: expect.stringMatching(/^(DEPLOYED|RUNNING)$/) as unknown });
      // What no tool acts on is still there.
      expect(made.text).toContain('delivery');
      expect(made.text).toMatch(/No tool acts on services of this kind, they are only shown: .*(synced|gitops)_app/);
      if (made.server.on('unknownServiceTypes'))
        expect(made.text).toMatch(/assistant[^]*only shown: .*agentic_workflow/);
    },
  },
  {
    tool: 'get_environment_overview',
    case: 'all well',
    args: () => ({ environment: 'shop/development' }),
    holds: ({ text }) => expect(text).not.toContain('failed'),
  },
  {
    tool: 'get_service',
    case: 'that no tool acts on',
    args: () => ({ service: 'shop/staging/delivery' }),
    refused: { says: /no tool here acts on it/, why: 'it is of a kind that the tools do not know' },
  },
  {
    tool: 'list_clusters',
    args: organization,
    holds: (made) => {
      expect(column(made, 'name')).toEqual(['north', 'south']);
      // Where the rows don't tell, the list of locks does.
      expect(rows(made).map((row) => row['is_locked'])).toEqual([false, true]);
    },
  },
  {
    tool: 'get_cluster',
    args: () => ({ cluster: 'south' }),
    holds: ({ answer, text }) => {
      expect(answer).toMatchObject({ name: 'south', is_locked: true });
      expect(text).toContain('Its advanced settings can not be read on this platform');
    },
  },
  {
    tool: 'list_events',
    args: () => ({ service: 'shop/production/storefront' }),
    holds: (made) => {
      // That a deployment was queued and that it ended are one row.
      expect(rows(made)).toHaveLength(made.server.platform.state.auditEvents.length - 1);
      expect(rows(made)[0]).toMatchObject({
        who: 'ada@example.com',
        where: 'shop/production/storefront',
        changes: expect.stringContaining('cpu: 500') as string,
      });
      expect(made.text).toContain('earlier ones, deployments too, are not kept');
    },
  },
  {
    tool: 'list_members',
    args: organization,
    holds: (made) => expect(column(made, 'email')).toContain('grace@example.com'),
  },
  {
    tool: 'list_roles',
    args: organization,
    holds: (made) => expect(column(made, 'name')).toEqual(['Admin', 'Developer', 'Viewer']),
  },
  {
    tool: 'list_invitations',
    args: organization,
    holds: (made) => expect(column(made, 'email')).toEqual(['mary@example.com']),
  },
  {
    tool: 'list_api_tokens',
    args: organization,
    refused: { says: /does not offer|doesn't offer|not offered/, why: 'the platform has no tokens to list' },
  },
  {
    tool: 'list_webhooks',
    args: organization,
    holds: (made) => expect(rows(made)).toHaveLength(made.server.platform.state.webhooks.length),
  },
  {
    tool: 'list_alert_rules',
    args: organization,
    holds: (made) => {
      expect(column(made, 'name')).toEqual(['nodes are full', 'errors at the storefront', 'left behind']);
      expect(rows(made).map(({ target }) => (target as Json)['target_type'])).toEqual([
        'CLUSTER',
        'APPLICATION',
        'CLUSTER',
      ]);
      if (made.server.on('ghostAlertRules')) expect(rows(made)[2]).not.toHaveProperty('id');
    },
  },
  {
    tool: 'list_alert_receivers',
    args: organization,
    holds: (made) => expect(column(made, 'name')).toEqual(['on call']),
  },
  {
    tool: 'get_labels_group',
    args: (server) => ({ ...organization(server), labels_group_id: server.platform.ids.labels }),
    holds: ({ text }) => expect(text).toContain('cost-centre'),
  },
  {
    tool: 'list_labels_groups',
    args: (server) => organization(server),
    holds: (made) => expect(rows(made)).toHaveLength(made.server.platform.state.labelsGroups.length),
  },
  {
    tool: 'list_annotations_groups',
    args: (server) => organization(server),
    holds: (made) => expect(rows(made)).toHaveLength(made.server.platform.state.annotationsGroups.length),
  },
  {
    tool: 'list_helm_charts',
    args: (server) => ({ ...organization(server), helm_repository_id: 'charts' }),
    holds: (made) => expect(rows(made)).toEqual([{ chart_name: 'cache', versions: ['19.1.0', '19.2.0'] }]),
  },
  {
    tool: 'list_container_registries',
    args: (server) => organization(server),
    holds: (made) => {
      expect(rows(made)).toHaveLength(made.server.platform.state.registries.length);
      expect(JSON.stringify(made.result)).not.toContain('registry-password');
    },
  },
  {
    tool: 'list_git_tokens',
    args: (server) => organization(server),
    holds: (made) => expect(rows(made)).toMatchObject([{ name: 'reader', type: 'FORGE' }]),
  },
  {
    tool: 'list_helm_repositories',
    args: (server) => organization(server),
    holds: (made) => expect(rows(made)).toHaveLength(made.server.platform.state.helmRepositories.length),
  },
  {
    tool: 'list_webhook_events',
    args: (server) => ({
      ...organization(server),
      webhook_id: server.platform.state.webhooks[0]?.id,
      fields: ['matched_event', 'request'],
    }),
    holds: ({ text, server }) => {
      expect(text).toContain('DEPLOYMENT_STARTED');
      if (server.on('freeWebhookRecords')) expect(text).toContain('"sent_by":{"host":"deliveries-0","attempt":1}');
      expect(text).not.toContain('inner-token');
    },
  },
  {
    tool: 'list_job_deployments',
    args: (server) => ({ job_id: named('nightly')(server).id }),
    holds: (made) => expect(rows(made)).toHaveLength(2),
  },
  {
    tool: 'get_helm',
    args: (server) => ({ helm_id: named('cache')(server).id }),
    holds: ({ text }) => expect(text).toContain('19.1.0'),
  },
  {
    tool: 'get_application_status',
    args: (server) => ({ application_id: named('checkout')(server).id }),
    holds: ({ answer }) => expect(answer['state']).toBe('BUILD_ERROR'),
  },
  {
    tool: 'get_application_logs',
    args: (server) => ({ application_id: named('storefront')(server).id, tail: 5 }),
    holds: (made) => expect(rows(made)).toHaveLength(5),
  },
  {
    tool: 'list_environment_variables',
    args: (server) => ({ application_id: named('storefront')(server).id }),
    holds: (made) => {
      expect(column(made, 'key')).toEqual(expect.arrayContaining(['LOG_LEVEL', 'PORT', 'VAULT_KEY']));
      expect(made.text).not.toMatch(/service-secret|environment-secret/);
    },
  },
  {
    tool: 'list_environment_variables',
    case: 'of an environment',
    args: () => ({ environment: 'shop/staging' }),
    holds: (made) => {
      expect(rows(made).some((row) => row['is_secret'] === true)).toBe(true);
      expect(made.text).not.toMatch(/service-secret|environment-secret/);
    },
  },
  ...(['helm', 'terraform'] as const).map((kind): ForeignCall => ({
    tool: 'list_environment_variables',
    case: `of a ${kind}`,
    args: () => ({ service: `shop/staging/${kinds[kind]}` }),
    holds: (made) => {
      expect(column(made, 'key')).toContain('LOG_LEVEL');
      expect(made.text).not.toMatch(/service-secret|environment-secret/);
    },
  })),
  {
    tool: 'list_environment_variables',
    case: 'of a project',
    args: () => ({ project: 'shop' }),
    holds: (made) =>
      expect(column(made, 'scope').every((scope) => scope === 'PROJECT' || scope === 'BUILT_IN')).toBe(true),
  },
  {
    tool: 'find_resource',
    args: () => ({ name: 'gateway' }),
    holds: (made) =>
      expect(column(made, 'path')).toEqual(
        expect.arrayContaining(['shop/staging/gateway', 'shop/development/gateway']),
      ),
  },
  {
    tool: 'find_resource',
    case: 'the tree',
    args: () => ({ limit: 200 }),
    holds: (made) =>
      expect(column(made, 'path')).toEqual(expect.arrayContaining(['shop', 'shop/staging', 'shop/staging/delivery'])),
  },
  {
    tool: 'find_resource',
    case: 'what failed',
    args: () => ({ state: 'ERROR', environment: 'shop/staging' }),
    holds: (made) =>
      expect(
        column(made, 'path')
          .filter((path) => path !== 'shop/staging')
          .toSorted(),
      ).toEqual(['shop/staging/checkout', 'shop/staging/ledger']),
  },
  ...ofEachKind,
  {
    tool: 'get_service',
    case: 'with its public address',
    args: () => ({ service: 'shop/staging/storefront' }),
    holds: ({ answer }) =>
      expect(answer['public_addresses']).toEqual([
        expect.stringMatching(/^https:\/\/p\d+-\w+\.apps\.example\.com$/) as unknown,
      ]),
  },
  {
    tool: 'get_service',
    case: 'that failed',
    args: () => ({ service: 'shop/staging/ledger' }),
    holds: ({ answer }) => expect(answer).toMatchObject({ status: { state: 'DEPLOYMENT_ERROR' } }),
  },
  {
    tool: 'list_deployments',
    case: 'of an environment',
    args: () => ({ environment: 'shop/staging', page_size: 20 }),
    holds: (made) => {
      expect(rows(made)).toHaveLength(deployments(made, made.server.platform.ids.environments.staging).length);
      expect(JSON.stringify(rows(made).map((row) => row['services']))).toContain('gateway');
    },
  },
  {
    tool: 'list_deployments',
    case: 'of an environment, page 2',
    args: () => ({ environment: 'shop/staging', page: 2, page_size: 1 }),
    holds: (made) =>
      expect(column(made, 'id')).toEqual([
        deployments(made, made.server.platform.ids.environments.staging)[1]?.execution_id,
      ]),
  },
  {
    tool: 'list_deployments',
    case: 'with its image',
    args: () => ({ service: 'shop/staging/gateway' }),
    holds: (made) => expect(String(rows(made)[0]?.['image'])).toContain('2.4.1'),
  },
  {
    tool: 'search_logs',
    case: 'an environment',
    args: () => ({ environment: 'shop/staging', text: 'ERESOLVE' }),
    holds: ({ answer }) => expect(answer).toMatchObject({ matched: 1 }),
  },
  {
    tool: 'search_logs',
    case: 'errors of an environment',
    args: () => ({ environment: 'shop/staging', level: 'error' }),
    holds: ({ text }) => expect(text).toMatch(/ECONNREFUSED/),
  },
  {
    tool: 'search_logs',
    case: 'a word',
    args: () => ({ service: 'shop/staging/gateway', text: 'orders/1199 ' }),
    holds: ({ answer }) => expect(answer).toMatchObject({ matched: 1 }),
  },
  {
    tool: 'search_logs',
    case: 'one deployment',
    args: (server) => ({ service: 'shop/staging/ledger', deployment_id: deploymentIdInLogs(server), pattern: '.' }),
    holds: ({ text }) => expect(text).toContain('pulling the image'),
  },
  {
    tool: 'diagnose_deployment',
    case: 'a failed build',
    args: () => ({ service: 'shop/staging/checkout' }),
    holds: ({ answer, text }) => {
      expect(answer).toMatchObject({ subject: 'shop/staging/checkout', outcome: 'failed' });
      expect(text).toMatch(/ERESOLVE|exit code: 1/);
    },
  },
  {
    tool: 'diagnose_deployment',
    case: 'a failed start',
    args: () => ({ service: 'shop/staging/ledger' }),
    holds: ({ answer, text }) => {
      expect(answer).toMatchObject({ subject: 'shop/staging/ledger', outcome: 'failed' });
      expect(text).toMatch(/ECONNREFUSED/);
    },
  },
  {
    tool: 'diagnose_deployment',
    case: 'an environment',
    args: () => ({ environment: 'shop/staging' }),
    holds: ({ text }) => {
      expect(text).toContain('checkout');
      expect(text).toContain('ledger');
    },
  },
  {
    tool: 'diagnose_deployment',
    case: 'where nothing failed',
    args: () => ({ environment: 'shop/development' }),
    holds: ({ answer }) => expect(answer['outcome']).toBe('nothing failed'),
  },
  {
    tool: 'compare_environments',
    args: () => ({ first: 'shop/staging', second: 'shop/development' }),
    holds: (made) =>
      expect(
        rows(made)
          .filter(({ kind }) => kind === 'missing service')
          .map(({ service }) => String(service))
          .toSorted(),
      ).toEqual(['checkout', 'ledger']),
  },
  {
    tool: 'wait_for_deployment',
    case: 'an environment',
    args: () => ({ environment: 'shop/development', seconds: 10 }),
    holds: ({ answer }) => expect(answer['outcome']).toBe('succeeded'),
  },
  {
    tool: 'wait_for_deployment',
    case: 'a failed one',
    args: (server) => ({ service: named('ledger')(server).id, deployment_id: requestOf(server, 'ledger') }),
    holds: ({ answer, text }) => {
      expect(answer).toMatchObject({ outcome: 'failed', state: 'DEPLOYMENT_ERROR' });
      expect(text).toContain('ECONNREFUSED');
    },
  },
  {
    tool: 'get_api_budget',
    where: (on) => !on('otherErrors'),
    args: () => ({}),
    holds: ({ answer }) => expect(answer['limit']).toBe(1_000_000),
  },
  {
    tool: 'get_api_budget',
    case: 'that is not told',
    where: (on) => on('otherErrors'),
    args: () => ({}),
    refused: { says: /does not tell what is left/, why: 'no answer there says how many requests are left' },
  },
];

const newestOf = (server: ForeignServer, name: string) =>
  server.platform.state.deployments.findLast(({ services }) =>
    services.some((part) => part.service.id === named(name)(server).id),
  );

function requestOf(server: ForeignServer, name: string): string | undefined {
  return newestOf(server, name)?.request_id;
}

/** The id that the platform's log lines carry. */
function deploymentIdInLogs(server: ForeignServer): string | undefined {
  const newest = newestOf(server, 'ledger');
  return server.on('environmentLogRows') ? newest?.execution_id : newest?.request_id;
}

/** Every resource of the server, on what is there from the start. */
export const resourceUris: readonly string[] = [
  'infra://organization',
  'infra://projects',
  'infra://clusters',
  'infra://members',
  'infra://alert-rules',
  'infra://budget',
  'infra://policy',
  'infra://states',
  'infra://project/shop',
  'infra://environment/shop/staging',
  'infra://environment/shop/staging/status',
  'infra://environment/shop/staging/history',
  'infra://cluster/south',
  ...Object.entries(kinds).flatMap(([kind, name]) =>
    ['', '/status', '/logs', '/variables', '/history'].map(
      (end) => `infra://service/${kind}/shop/staging/${name}${end}`,
    ),
  ),
];
