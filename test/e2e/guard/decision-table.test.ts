import type { CallToolResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Policy } from '../../../src/server/guard/index.ts';
import { seedId } from '../../../src/platform/seed/index.ts';
import { tools } from '../../../tools/index.ts';
import { connectorsTo, type Connectors } from '../../support/connectors.ts';
import { failureIn, textOf, userAnswering, type TestClient, type User } from '../../support/mcp-clients.ts';
import { toolCallsOn } from '../../support/tool-calls.ts';
import { withDeploymentUnderWay, startRecordingProxy, type RecordingProxy } from '../../support/recording-proxy.ts';
import { openGuardFixture, policyFrom, type GuardFixture } from '../../support/guard-fixture.ts';
import { startTestPlatform, type TestPlatform } from '../../support/test-platform.ts';

/**
 * What a call comes to:
 * - read: the platform sees no change, and nobody is asked;
 * - runs: the change is made, and nobody is asked;
 * - yes, name: the user is asked for a yes, or to type the target's name, says no, and nothing is changed;
 * - waits: nothing is changed, and a code is given under which the operator can approve;
 * - token: nothing is changed, and the caller may confirm with the token of the plan;
 * - nobody: nothing is changed, as there is nobody to ask;
 * - cannot: nothing is changed, as the platform doesn't tell what it takes;
 * - denied: the policy forbids it.
 */
type Outcome = 'read' | 'runs' | 'yes' | 'name' | 'waits' | 'token' | 'nobody' | 'cannot' | 'denied';

const modes = ['STAGING', 'PRODUCTION', 'unknown'] as const;
type Mode = (typeof modes)[number];

type Row = readonly [staging: Outcome, production: Outcome, unknown: Outcome];

const read: Row = ['read', 'read', 'read'];

/** Where the client can ask and no policy says otherwise. */
const table: Record<string, Row> = {
  get_organization: read,
  list_projects: read,
  create_project: ['runs', 'runs', 'runs'],
  // The mode is that of the environment to be, which the arguments tell; what its cluster hosts is read.
  create_environment: ['runs', 'runs', 'yes'],
  // Its project has production, and secrets that new code in staging sees too.
  create_application: ['yes', 'name', 'yes'],
  create_database: ['runs', 'name', 'yes'],
  deploy_database: ['runs', 'name', 'yes'],
  deploy_application: ['runs', 'name', 'yes'],
  get_application_status: read,
  create_environment_variable: ['runs', 'name', 'yes'],
  list_environment_variables: read,
  create_secret: ['runs', 'name', 'yes'],
  get_application_logs: read,
  update_environment_variable: ['name', 'name', 'name'],
  override_environment_variable: ['runs', 'name', 'yes'],
  // Where its mode can't be read, what it replaces can't be either.
  update_container: ['yes', 'name', 'name'],
  restart_services: ['yes', 'name', 'yes'],
  stop_environment: ['name', 'name', 'name'],
  // Helm services can be read by the document alone.
  update_helm: ['yes', 'name', 'yes'],
  get_helm: read,
  plan_terraform: ['runs', 'name', 'yes'],
  redeploy_terraform: ['yes', 'name', 'yes'],
  // The seeded one hosts no production; where what it hosts can't be read, nobody knows.
  lock_cluster: ['yes', 'yes', 'yes'],
  upgrade_cluster: ['name', 'name', 'name'],
  list_members: read,
  invite_member: ['yes', 'yes', 'yes'],
  update_alert_rule: ['name', 'name', 'name'],
  create_helm_repository: ['yes', 'yes', 'yes'],
  update_billing_info: ['yes', 'yes', 'yes'],
  list_job_deployments: read,
  get_labels_group: read,
  create_webhook: ['yes', 'yes', 'yes'],
  list_webhook_events: read,
  list_environments: read,
  get_environment: read,
  list_services: read,
  get_environment_status: read,
  list_clusters: read,
  // Nothing is under way here, so asking is all that comes of it.
  cancel_deployment: ['yes', 'name', 'yes'],
  unlock_cluster: ['yes', 'yes', 'yes'],
  list_alert_rules: read,
  list_events: ['read', 'read', 'cannot'],
  clone_environment: ['runs', 'name', 'yes'],
  list_database_backups: read,
  create_database_backup: ['runs', 'name', 'yes'],
  restore_database: ['name', 'name', 'name'],
  find_resource: read,
  get_organization_overview: read,
  get_environment_overview: ['read', 'read', 'cannot'],
  get_service: read,
  list_deployments: ['read', 'read', 'cannot'],
  diagnose_deployment: read,
  search_logs: read,
  compare_environments: ['read', 'read', 'cannot'],
  wait_for_deployment: read,
  deploy_service: ['runs', 'name', 'yes'],
  rollback_application: ['runs', 'name', 'cannot'],
  update_application: ['yes', 'name', 'cannot'],
  create_container: ['yes', 'name', 'yes'],
  update_database: ['yes', 'name', 'name'],
  create_job: ['yes', 'name', 'yes'],
  update_job: ['yes', 'name', 'cannot'],
  set_environment_variables: ['runs', 'name', 'cannot'],
  stop_services: ['name', 'name', 'cannot'],
  start_services: ['yes', 'name', 'cannot'],
  delete_service: ['name', 'name', 'name'],
  delete_environment: ['name', 'name', 'name'],
  create_custom_domain: ['runs', 'name', 'yes'],
  delete_custom_domain: ['name', 'name', 'cannot'],
  delete_environment_variable: ['name', 'name', 'cannot'],
  get_api_budget: read,
  list_webhooks: read,
  // A project touches all its environments. This one has none in PRODUCTION.
  update_project: ['name', 'name', 'cannot'],
  // This one has environments, where they can be read, and only an empty one is deleted.
  delete_project: ['cannot', 'cannot', 'name'],
  update_environment: ['name', 'name', 'cannot'],
  list_roles: read,
  update_member_role: ['yes', 'yes', 'yes'],
  remove_member: ['yes', 'yes', 'yes'],
  list_invitations: read,
  revoke_invitation: ['yes', 'yes', 'yes'],
  // The address of the invitation has to be read.
  resend_invitation: ['yes', 'yes', 'cannot'],
  list_api_tokens: read,
  create_api_token: ['yes', 'yes', 'yes'],
  revoke_api_token: ['yes', 'yes', 'yes'],
  update_webhook: ['yes', 'yes', 'cannot'],
  test_webhook: ['runs', 'runs', 'runs'],
  delete_webhook: ['yes', 'yes', 'yes'],
  // The cluster that it needs can't be read then.
  create_alert_rule: ['runs', 'name', 'cannot'],
  silence_alert_rule: ['yes', 'name', 'yes'],
  unsilence_alert_rule: ['runs', 'name', 'yes'],
  delete_alert_rule: ['name', 'name', 'name'],
  list_alert_receivers: read,
  create_alert_receiver: ['yes', 'yes', 'yes'],
  update_alert_receiver: ['yes', 'yes', 'cannot'],
  test_alert_receiver: ['runs', 'runs', 'runs'],
  delete_alert_receiver: ['yes', 'yes', 'yes'],
  list_helm_repositories: read,
  update_helm_repository: ['yes', 'yes', 'cannot'],
  delete_helm_repository: ['yes', 'yes', 'yes'],
  list_helm_charts: read,
  list_container_registries: read,
  create_container_registry: ['yes', 'yes', 'yes'],
  update_container_registry: ['yes', 'yes', 'cannot'],
  delete_container_registry: ['yes', 'yes', 'yes'],
  list_git_tokens: read,
  create_git_token: ['yes', 'yes', 'yes'],
  update_git_token: ['yes', 'yes', 'cannot'],
  delete_git_token: ['yes', 'yes', 'yes'],
  list_labels_groups: read,
  create_labels_group: ['runs', 'runs', 'runs'],
  update_labels_group: ['name', 'name', 'name'],
  delete_labels_group: ['name', 'name', 'name'],
  list_annotations_groups: read,
  create_annotations_group: ['runs', 'runs', 'runs'],
  update_annotations_group: ['name', 'name', 'cannot'],
  delete_annotations_group: ['name', 'name', 'name'],
  // What is there has to be read.
  get_deployment_rule: read,
  update_deployment_rule: ['yes', 'name', 'cannot'],
  list_deployment_windows: read,
  create_deployment_window: ['yes', 'name', 'cannot'],
  delete_deployment_window: ['yes', 'name', 'cannot'],
  // PRODUCTION never ends by itself.
  set_environment_end: ['name', 'cannot', 'name'],
  unset_environment_end: ['runs', 'name', 'yes'],
  run_job: ['yes', 'name', 'yes'],
  cancel_job_run: ['yes', 'name', 'yes'],
  create_helm: ['yes', 'name', 'yes'],
  create_terraform: ['yes', 'name', 'yes'],
  update_terraform: ['yes', 'name', 'cannot'],
  get_cluster: read,
  delete_database_backup: ['name', 'name', 'name'],
};

/** Tools whose target is in no environment: rules about environments have no hold on them. */
const placeless = [
  'get_organization',
  'list_projects',
  'create_project',
  'list_members',
  'invite_member',
  'create_helm_repository',
  'update_billing_info',
  'get_labels_group',
  'create_webhook',
  'list_webhook_events',
  'list_clusters',
  'list_alert_rules',
  'find_resource',
  'get_organization_overview',
  'get_api_budget',
  'list_webhooks',
  'update_project',
  'delete_project',
  'list_roles',
  'update_member_role',
  'remove_member',
  'list_invitations',
  'revoke_invitation',
  'resend_invitation',
  'list_api_tokens',
  'create_api_token',
  'revoke_api_token',
  'update_webhook',
  'test_webhook',
  'delete_webhook',
  'list_alert_receivers',
  'create_alert_receiver',
  'update_alert_receiver',
  'test_alert_receiver',
  'delete_alert_receiver',
  'list_helm_repositories',
  'update_helm_repository',
  'delete_helm_repository',
  'list_helm_charts',
  'list_container_registries',
  'create_container_registry',
  'update_container_registry',
  'delete_container_registry',
  'list_git_tokens',
  'create_git_token',
  'update_git_token',
  'delete_git_token',
  'list_labels_groups',
  'create_labels_group',
  'update_labels_group',
  'delete_labels_group',
  'list_annotations_groups',
  'create_annotations_group',
  'update_annotations_group',
  'delete_annotations_group',
  'list_deployment_windows',
  'get_cluster',
];
/** Tools whose every call is destructive. */
const destructive = [
  'update_environment_variable',
  'stop_environment',
  'upgrade_cluster',
  'update_alert_rule',
  'delete_alert_rule',
  'stop_services',
  'delete_service',
  'delete_environment',
  'delete_custom_domain',
  'delete_environment_variable',
  'restore_database',
  'delete_database_backup',
  'update_project',
  'delete_project',
  'update_environment',
  'set_environment_end',
];
/** Tools whose calls are destructive where what they replace can't be read, which the document doesn't offer. */
const blind = ['update_container', 'update_database'];
const clusterTools = ['lock_cluster', 'upgrade_cluster', 'unlock_cluster'];

interface Setting {
  readonly name: string;
  readonly policy?: string;
  readonly operator?: boolean;
  readonly asks: boolean;
  /** What a row's outcome becomes in this setting. */
  readonly becomes: (outcome: Outcome, tool: string, mode: Mode) => Outcome;
}

const isAsked = (outcome: Outcome): boolean => outcome === 'yes' || outcome === 'name';
const unasked =
  (instead: Outcome) =>
  (outcome: Outcome): Outcome =>
    isAsked(outcome) ? instead : outcome;

/** Tools that a policy names in `unattended`, on people, in PRODUCTION and of deployment windows. */
const named = ['remove_member', 'delete_environment', 'delete_deployment_window', 'run_job'];

const settings: Setting[] = [
  { name: 'no policy, a client that asks', asks: true, becomes: (outcome) => outcome },
  { name: 'no policy, a client that cannot ask', asks: false, becomes: unasked('nobody') },
  { name: 'an operator, a client that cannot ask', asks: false, operator: true, becomes: unasked('waits') },
  {
    name: 'unattended disruptive and destructive calls, a client that cannot ask',
    policy: 'unattended: [disruptive, destructive]',
    asks: false,
    becomes: (outcome, tool, mode) => {
      const sensitive = tools.find(({ name }) => name === tool)!.operation.effect === 'sensitive';
      // What destroys production, or what may be production, nobody confirms for themselves.
      const irreparable =
        mode === 'unknown'
          ? [...destructive, ...blind].includes(tool)
          : destructive.includes(tool) && mode === 'PRODUCTION' && ![...clusterTools, ...placeless].includes(tool);
      return isAsked(outcome) ? (sensitive || irreparable ? 'nobody' : 'token') : outcome;
    },
  },
  // What is sensitive needs a person, unless its tool is named.
  {
    name: 'unattended sensitive calls, a client that cannot ask',
    policy: 'unattended: [sensitive]',
    asks: false,
    becomes: unasked('nobody'),
  },
  {
    name: 'read-only, a client that asks',
    policy: 'read_only: true',
    asks: true,
    becomes: (outcome, tool) =>
      tools.find(({ name }) => name === tool)!.operation.effect === 'read' ? outcome : 'denied',
  },
  {
    name: 'production denied, a client that asks',
    policy: 'deny: [{ mode: PRODUCTION }]',
    asks: true,
    becomes: (outcome, tool, mode) => {
      // It leaves out the events of places that may not be seen.
      if (tool === 'list_events') return outcome;
      // Windows of places that may not be seen are not found.
      if (tool === 'delete_deployment_window' && mode === 'PRODUCTION') return 'cannot';
      if (tool.endsWith('_deployment_window') && mode === 'unknown') return outcome;
      // Their environments are of no known mode, any of them may be PRODUCTION.
      if (['delete_project', 'get_cluster'].includes(tool) && mode === 'unknown') return 'denied';
      if (placeless.includes(tool) || tool === 'list_environments' || mode === 'STAGING') return outcome;
      if ([...clusterTools, 'create_environment'].includes(tool)) return mode === 'unknown' ? 'denied' : outcome;
      return 'denied';
    },
  },
  {
    name: 'a freeze, a client that cannot ask',
    policy: 'freeze: [{ cron: "* * * * *", time_zone: UTC, duration: PT1H }]',
    asks: false,
    becomes: (outcome) => (outcome === 'read' || outcome === 'cannot' ? outcome : 'denied'),
  },
  {
    name: 'no grave call an hour, a client that asks',
    policy: 'max_disruptive_per_hour: 0',
    asks: true,
    becomes: unasked('denied'),
  },
  {
    name: 'only services allowed, a client that asks',
    policy: 'allow: [{ toolset: services }]',
    asks: true,
    becomes: (outcome, tool) => (tools.find(({ name }) => name === tool)!.toolset === 'services' ? outcome : 'denied'),
  },
  {
    name: 'unattended calls of named tools, a client that cannot ask',
    policy: `unattended: [${named.map((tool) => `{ tool: ${tool} }`).join(', ')}]`,
    asks: false,
    becomes: (outcome, tool) => unasked(named.includes(tool) ? 'token' : 'nobody')(outcome),
  },
];

/** With the service that is started seeming stopped. */
const withStopped = (path: string, body: unknown): unknown => {
  const { databases } = body as { databases?: { id: string }[] };
  return path.endsWith('/statuses') && databases
    ? {
        ...(body as object),
        databases: databases.map((row) =>
          row.id === seedId('service/data/development/events-db') ? { ...row, state: 'STOPPED' } : row,
        ),
      }
    : body;
};

/** With a run of each job under way. */
const withRunUnderWay = (path: string, body: unknown): unknown => {
  const { results, ...page } = body as { results?: object[] };
  if (!results || !/^\/job\/[^/]+\/deploymentHistoryV2/.test(path)) return body;
  return { ...page, results: results.map((row, index) => (index === 0 ? { ...row, status: 'EXECUTING' } : row)) };
};

/** With each alert rule silenced. */
const withSilence = (path: string, body: unknown): unknown =>
  /^\/alert-rules\/[^/]+$/.test(path) ? { ...(body as object), silenced_until: '2998-01-01T00:00:00.000Z' } : body;

/** Environments that end some day, so that there is an end to remove. */
const withEnd = (path: string, body: unknown): unknown =>
  /^\/environment\/[^/]+$/.test(path) ? { ...(body as object), ends_at: '2998-01-01T00:00:00.000Z' } : body;

/**
 * Without the projects that the calls make: of an organization of very many it isn't found out what its clusters host.
 */
const seeded = (method: string, path: string, body: unknown): unknown =>
  method === 'GET' && /^\/organization\/[^/]+\/project$/.test(path)
    ? { results: (body as { results: { name: string }[] }).results.filter(({ name }) => !name.startsWith('project-')) }
    : withEnd(
        path,
        withSilence(path, withRunUnderWay(path, withStopped(path, withDeploymentUnderWay(method, path, body)))),
      );

let platform: TestPlatform;
let calls: ReturnType<typeof toolCallsOn>;
let proxies: Record<Mode, RecordingProxy>;
let connectors: Record<Mode, Connectors>;
let guards: Record<'plain' | 'operator', GuardFixture>;

beforeAll(async () => {
  platform = await startTestPlatform();
  calls = toolCallsOn(platform);
  proxies = Object.fromEntries(
    await Promise.all(
      modes.map(async (mode) => [mode, await startRecordingProxy(platform.url, { mode, alter: seeded })]),
    ),
  ) as typeof proxies;
  connectors = Object.fromEntries(
    modes.map((mode) => [mode, connectorsTo(proxies[mode].url, platform.token)]),
  ) as typeof connectors;
  guards = { plain: await openGuardFixture(), operator: await openGuardFixture({ operator: true }) };
});

afterAll(async () => {
  for (const mode of modes) {
    await connectors[mode].close();
    await proxies[mode].close();
  }
  for (const guard of Object.values(guards)) await guard.close();
  await platform.close();
});

/** What a call came to, as seen from outside: an outcome, or what is none. */
function seenOutcome(result: CallToolResult, user: User | undefined, changed: boolean): string {
  const failure = failureIn(result);
  if (changed) return user?.questions.length ? 'changed after asking' : 'runs';
  if (user?.questions.length) return 'name' in user.questions[0]!.requestedSchema.properties ? 'name' : 'yes';
  switch (failure?.kind) {
    case 'denied':
      return textOf(result).includes('(policy.yaml, ') ? 'denied' : textOf(result);
    case 'pending':
      return textOf(result).includes('plan_token') ? 'token' : 'waits';
    case 'not_confirmed':
      return failure.why === 'cannot_ask' ? 'nobody' : textOf(result);
    case 'not_possible':
      return 'cannot';
    default:
      return failure === undefined || failure.kind === 'api' ? 'read' : textOf(result);
  }
}

async function tryOut(client: TestClient, user: User | undefined, tool: string, mode: Mode): Promise<string> {
  user?.questions.splice(0);
  const before = proxies[mode].writes().length;
  const result = await client.call(tool, calls[tool]!());
  // More than some calls of one caller don't wait at once.
  await guards.operator.dropWaiting();
  return seenOutcome(result, user, proxies[mode].writes().length > before);
}

test('the table has a row for each tool', () => {
  expect(Object.keys(table)).toEqual(tools.map(({ name }) => name));
});

/** Tries every tool on every mode. */
async function tryAll(
  { asks, becomes }: Setting,
  clientFor: (mode: Mode, user?: User) => Promise<TestClient>,
): Promise<void> {
  const user = asks ? userAnswering(() => ({ action: 'decline' })) : undefined;
  for (const mode of modes) {
    const client = await clientFor(mode, user);
    const observed: string[][] = [];
    for (const tool of Object.keys(table)) observed.push([mode, tool, await tryOut(client, user, tool, mode)]);
    expect(observed).toEqual(
      Object.entries(table).map(([tool, row]) => [mode, tool, becomes(row[modes.indexOf(mode)]!, tool, mode)]),
    );
  }
}

describe.each(settings)('$name', (setting) => {
  const { policy: text, operator, becomes } = setting;
  const eras = [
    ['2026', 'modern'],
    ['2025', 'legacy'],
  ] as const;
  const clientFor =
    (era: 'modern' | 'legacy') =>
    async (mode: Mode, user?: User): Promise<TestClient> => {
      const policy: Policy = text === undefined ? { readOnly: false } : await policyFrom(text);
      return connectors[mode][era](user, policy, guards[operator ? 'operator' : 'plain'].parts);
    };

  // How somebody is asked depends on the era, and what a policy says does not: each policy is tried in one of them.
  test.each(text === undefined ? eras : [eras[settings.indexOf(setting) % eras.length]!])(
    'every tool on every mode in the %s era',
    (_, era) => tryAll(setting, clientFor(era)),
  );

  test('lists no tool that can never pass', async () => {
    const listed = (await (await clientFor('modern')('STAGING')).list()).map(({ name }) => name);
    const hopeless = Object.entries(table)
      .filter(([tool, row]) => modes.every((mode, index) => becomes(row[index]!, tool, mode) === 'denied'))
      .map(([tool]) => tool);
    // A freeze ends, an hour passes: only what no call can ever do is left out.
    if (text === undefined || !/freeze|max_disruptive/.test(text))
      expect(listed).toEqual(Object.keys(table).filter((tool) => !hopeless.includes(tool)));
    else expect(listed).toEqual(Object.keys(table));
  });
});
