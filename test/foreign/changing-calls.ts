import type { OtherPlatform } from '../other-platform/start.ts';
import { expect } from 'vitest';
import type { ForeignCall, Made } from './call.ts';
import type { ForeignServer } from './foreign-server.ts';
import { named, organization } from './reading-calls.ts';
import { scopedVariableCalls } from './scoped-variable-calls.ts';

const projectShop = ({ state, ids }: OtherPlatform) => state.projects.find(({ id }) => id === ids.projects.shop);

const ruleOf = ({ state, ids }: OtherPlatform) =>
  state.rules.find((rule) => rule['environment_id'] === ids.environments.staging);

const staging = ({ state, ids }: OtherPlatform) => state.environments.find(({ id }) => id === ids.environments.staging);

type Json = Record<string, unknown>;

const rowNamed = (
  list: 'environments' | 'projects' | 'webhooks' | 'helmRepositories' | 'registries' | 'alertRules' | 'receivers',
  name: string,
  { server }: Made,
): Json | undefined =>
  (server.platform.state[list] as Json[]).find((row) => row['name'] === name || row['target_url'] === name);

const variableOf =
  (owner: string, key: string) =>
  ({ platform }: ForeignServer) =>
    platform.state.variables.find((row) => row.parent_id === owner && row.key === key);
const inStaging = (key: string) => (server: ForeignServer) =>
  structuredClone(variableOf(server.platform.ids.environments.staging, key)(server));
const ownVariable = (service: string, key: string) => (server: ForeignServer) =>
  structuredClone(variableOf(named(service)(server).id, key)(server));
/** A variable of staging as the platform answers it. */
const answered = (key: string) => async (server: ForeignServer) => {
  const { results } = (await server.ask(
    `/environment/${server.platform.ids.environments.staging}/environmentVariable`,
  )) as { results: Json[] };
  return results.find((row) => row['key'] === key);
};
const answerTo = (kind: string, service: string) => (server: ForeignServer) =>
  server.ask(`/${kind}/${named(service)(server).id}`);
const alertRule = ({ platform }: ForeignServer) =>
  platform.state.alertRules.find((row) => row['name'] === 'nodes are full');
const builtIn = (server: ForeignServer) =>
  server.platform.state.variables.find(
    (row) => row.scope === 'BUILT_IN' && row.parent_id === named('storefront')(server).id,
  );
const git = { url: 'https://forge.example.com/shop/fresh.git', branch: 'main' };

const organizationCalls: readonly ForeignCall[] = [
  {
    tool: 'create_project',
    args: (server) => ({ ...organization(server), name: 'harvest' }),
    changes: ['+projects harvest'],
    holds: (made) =>
      expect(rowNamed('projects', 'harvest', made)).toMatchObject({
        organization_id: made.server.platform.ids.organization,
      }),
  },
  {
    tool: 'create_project',
    case: 'a name that is taken',
    args: (server) => ({ ...organization(server), name: 'shop' }),
    refused: { says: /taken|has that name/, why: 'the platform has one of that name' },
  },
  {
    tool: 'update_project',
    args: () => ({ project_id: 'shop', description: 'Sells things.' }),
    changes: ['~projects shop'],
    only: { of: ({ platform }) => structuredClone(projectShop(platform)), members: ['description', 'updated_at'] },
  },
  {
    tool: 'delete_project',
    args: () => ({ project_id: 'shop' }),
    refused: { says: /has environments/, why: 'only an empty project is deleted' },
  },
  {
    tool: 'update_environment',
    args: ({ platform }) => ({ environment_id: platform.ids.environments.staging, name: 'trial' }),
    changes: ['~environments trial'],
    only: { of: ({ platform }) => structuredClone(staging(platform)), members: ['name', 'updated_at'] },
  },
  {
    tool: 'update_environment',
    case: 'back',
    args: () => ({ environment_id: 'shop/trial', name: 'staging' }),
    changes: ['~environments staging'],
  },
  {
    tool: 'get_deployment_rule',
    args: () => ({ environment_id: 'shop/staging' }),
    holds: ({ answer }) => expect(answer).toMatchObject({ auto_stop: false, stop_time: '19:00', timezone: 'Etc/UTC' }),
  },
  {
    tool: 'update_deployment_rule',
    args: () => ({ environment: 'shop/staging', auto_stop: true, stop_time: '20:30', timezone: 'Europe/Oslo' }),
    changes: /^~rules /,
    only: {
      of: ({ platform }) => structuredClone(ruleOf(platform)),
      members: ['auto_stop', 'stop_time', 'timezone', 'updated_at'],
    },
    holds: ({ questions, server: { platform } }) => {
      expect(questions.join('\n')).toContain('Next stop: ');
      expect(ruleOf(platform)).toMatchObject({ auto_stop: true, stop_time: '1970-01-01T20:30:00.000Z' });
    },
  },
  {
    tool: 'update_deployment_rule',
    case: 'off again',
    args: () => ({ environment: 'shop/staging', auto_stop: false }),
    changes: /^~rules /,
  },
  ...(['set_environment_end', 'unset_environment_end'] as const).map((tool): ForeignCall => ({
    tool,
    args: () => ({
      environment_id: 'shop/staging',
      ...(tool === 'set_environment_end' && { ends_at: '2999-01-01T00:00:00Z' }),
    }),
    ...(tool === 'set_environment_end'
      ? { refused: { says: /not offer/, why: 'platforms of the family have no such operation' } }
      : // None of their environments has an end.
        { changes: [] }),
  })),
  {
    tool: 'list_deployment_windows',
    args: organization,
    refused: { says: /not offer/, why: 'platforms of the family have no such operation' },
  },
  {
    tool: 'create_deployment_window',
    args: () => ({
      environment_id: 'shop/staging',
      name: 'friday',
      begins: 'FRIDAY 16:00',
      ends: 'SATURDAY 00:00',
      time_zone: 'Europe/Oslo',
    }),
    refused: { says: /no deployment windows.*policy file/s, why: 'the platform would refuse no deployment' },
  },
  {
    tool: 'delete_deployment_window',
    args: ({ platform }) => ({ deployment_window: platform.ids.labels }),
    refused: { says: /no deployment windows|no such|not offer|There is no/s, why: 'the platform has none' },
  },
  {
    tool: 'invite_member',
    args: (server) => ({ ...organization(server), email: 'joan@example.com' }),
    changes: ['+invitations joan@example.com'],
  },
  {
    tool: 'resend_invitation',
    args: () => ({ invitation: 'mary@example.com' }),
    changes: ['-invitations mary@example.com', '+invitations mary@example.com'],
    holds: ({ questions }) => expect(questions.join('\n')).toContain('mary@example.com, role Viewer'),
  },
  {
    tool: 'revoke_invitation',
    args: (server) => ({ ...organization(server), invitation_id: 'joan@example.com' }),
    changes: ['-invitations joan@example.com'],
  },
  {
    tool: 'update_member_role',
    args: (server) => ({ ...organization(server), user_id: 'grace@example.com', role_id: 'Developer' }),
    changes: ['~members Grace Wood'],
    holds: ({ questions }) => expect(questions.join('\n')).toContain('Grace Wood (grace@example.com), role Viewer'),
  },
  {
    tool: 'remove_member',
    // Elsewhere the platform of the tests takes the id in the query, which no document has.
    where: (on) => on('memberDeleteBody'),
    args: (server) => ({ ...organization(server), user_id: 'Grace Wood' }),
    changes: ['-members Grace Wood'],
    holds: ({ questions }) => expect(questions.join('\n')).toContain('which API tokens are theirs'),
  },
  {
    tool: 'create_api_token',
    args: (server) => ({ ...organization(server), name: 'ci', permission: 'read' }),
    refused: { says: /not offer/, why: 'the platform has no tokens to create' },
  },
  {
    tool: 'revoke_api_token',
    args: (server) => ({ ...organization(server), api_token_id: server.platform.ids.labels }),
    refused: { says: /not|no /, why: 'the platform has no tokens to list' },
  },
  {
    tool: 'update_billing_info',
    args: (server) => ({ ...organization(server), city: 'Oslo' }),
    changes: ['~billing'],
    only: { of: ({ platform }) => platform.state.billing.get(platform.ids.organization), members: ['city'] },
    holds: ({ server: { platform } }) =>
      expect(platform.state.billing.get(platform.ids.organization)).toMatchObject({ city: 'Oslo' }),
  },
  {
    tool: 'create_helm_repository',
    args: (server) => ({
      ...organization(server),
      name: 'public',
      kind: 'HTTPS',
      url: 'https://charts.example.com',
      skip_tls_verification: false,
      config: {},
    }),
    changes: ['+helmRepositories public'],
  },
  {
    tool: 'create_helm_repository',
    case: 'with members and a kind of the platform’s own',
    where: (on) => on('vendorConfig'),
    args: (server) => ({
      ...organization(server),
      name: 'own',
      kind: 'OCI_FJORD_CR',
      url: 'oci://charts.example.com/own',
      skip_tls_verification: false,
      config: { fjord_access_key: 'KEY-2', fjord_secret_key: 'very-secret-of-charts' },
    }),
    changes: ['+helmRepositories own'],
    holds: (made) => {
      expect(rowNamed('helmRepositories', 'own', made)).toMatchObject({
        config: { fjord_secret_key: 'very-secret-of-charts' },
      });
      expect(JSON.stringify([made.result, made.questions])).not.toContain('very-secret-of-charts');
    },
  },
  {
    tool: 'create_labels_group',
    args: (server) => ({
      ...organization(server),
      name: 'owners',
      labels: [{ key: 'owner', value: 'data', propagate_to_cloud_provider: true }],
    }),
    changes: ['+labelsGroups owners'],
  },
  {
    tool: 'update_labels_group',
    args: (server) => ({
      ...organization(server),
      labels_group_id: 'costs',
      labels: [{ key: 'cost-centre', value: '43' }],
    }),
    changes: ['~labelsGroups costs'],
    holds: ({ server }) =>
      expect(server.platform.state.labelsGroups.find((row) => row['name'] === 'costs')).toMatchObject({
        labels: [{ key: 'cost-centre', value: '43', propagate_to_cloud_provider: true }],
      }),
  },
  {
    tool: 'delete_labels_group',
    args: (server) => ({ ...organization(server), labels_group_id: 'owners' }),
    changes: ['-labelsGroups owners'],
    holds: ({ questions }) => expect(questions.join('\n')).toContain('No service that is shown here uses it.'),
  },
  {
    tool: 'create_annotations_group',
    args: (server) => ({
      ...organization(server),
      name: 'mesh',
      annotations: [{ key: 'mesh/inject', value: 'true' }],
      scopes: ['PODS'],
    }),
    changes: ['+annotationsGroups mesh'],
  },
  {
    tool: 'update_annotations_group',
    args: (server) => ({ ...organization(server), annotations_group_id: 'mesh', scopes: ['PODS', 'JOBS'] }),
    changes: ['~annotationsGroups mesh'],
  },
  {
    tool: 'delete_annotations_group',
    args: (server) => ({ ...organization(server), annotations_group_id: 'mesh' }),
    changes: ['-annotationsGroups mesh'],
    holds: ({ questions }) => expect(questions.join('\n')).toContain('which services use it'),
  },
  {
    tool: 'update_helm_repository',
    args: (server) => ({ ...organization(server), helm_repository_id: 'charts', description: 'Our charts.' }),
    changes: ['~helmRepositories charts'],
    holds: (made) => {
      expect(made.questions.join('\n')).toContain("Where the platform doesn't keep it, it is lost");
      expect(JSON.stringify([made.result, made.questions])).not.toContain('charts-secret');
    },
  },
  {
    tool: 'delete_helm_repository',
    args: (server) => ({ ...organization(server), helm_repository_id: 'charts' }),
    changes: ['-helmRepositories charts'],
    holds: ({ questions }) => expect(questions.join('\n')).toMatch(/Used by: helm shop\/|Used by: helm /),
  },
  {
    tool: 'create_container_registry',
    args: (server) => ({
      ...organization(server),
      name: 'mirror',
      kind: 'GENERIC_CR',
      url: 'https://mirror.example.com',
      config: { username: 'puller', password: 'very-secret-of-images' },
    }),
    changes: ['+registries mirror'],
    holds: (made) => {
      expect(rowNamed('registries', 'mirror', made)).toMatchObject({ config: { password: 'very-secret-of-images' } });
      expect(JSON.stringify([made.result, made.questions])).not.toContain('very-secret-of-images');
    },
  },
  {
    tool: 'update_container_registry',
    args: (server) => ({ ...organization(server), registry_id: 'mirror', description: 'A mirror.' }),
    changes: ['~registries mirror'],
    holds: (made) => {
      expect(made.questions.join('\n')).toContain("Where the platform doesn't keep it, it is lost");
      expect(made.questions.join('\n')).toContain('No service that is shown here uses it.');
    },
  },
  {
    tool: 'delete_container_registry',
    args: (server) => ({ ...organization(server), registry_id: 'mirror' }),
    changes: ['-registries mirror'],
    holds: ({ questions }) => expect(questions.join('\n')).toContain('No service that is shown here uses it.'),
  },
  {
    tool: 'create_git_token',
    args: (server) => ({ ...organization(server), name: 'mine', type: 'FORGE', token: 'very-secret-of-source' }),
    refused: { says: /not|no /, why: 'the document has only the list of git tokens' },
  },
  {
    tool: 'update_git_token',
    args: (server) => ({ ...organization(server), git_token_id: 'reader', name: 'all-reader' }),
    refused: { says: /not|no /, why: 'the document has only the list of git tokens' },
  },
  {
    tool: 'delete_git_token',
    args: (server) => ({ ...organization(server), git_token_id: 'reader' }),
    refused: { says: /not|no /, why: 'the document has only the list of git tokens' },
  },
  {
    tool: 'create_webhook',
    args: (server) => ({
      ...organization(server),
      target_url: 'https://hooks.example.com/fresh',
      events: ['DEPLOYMENT_FAILED'],
      target_secret: 'hook-secret-of-mine',
    }),
    changes: ['+webhooks https://hooks.example.com/fresh'],
    holds: (made) => {
      expect(rowNamed('webhooks', 'https://hooks.example.com/fresh', made)).toMatchObject({
        kind: 'STANDARD',
        events: [made.server.on('words') ? 'DEPLOYMENT_FAILURE' : 'DEPLOYMENT_FAILED'],
        target_secret: 'hook-secret-of-mine',
      });
      expect(JSON.stringify(made.result)).not.toContain('hook-secret-of-mine');
    },
  },
  {
    tool: 'create_webhook',
    case: 'in words of the platform’s own',
    where: (on) => on('words'),
    args: (server) => ({
      ...organization(server),
      target_url: 'https://hooks.example.com/own',
      events: ['DEPLOYMENT_CANCELLED'],
    }),
    changes: ['+webhooks https://hooks.example.com/own'],
  },
  {
    tool: 'update_webhook',
    args: (server) => ({
      ...organization(server),
      webhook_id: server.platform.state.webhooks[0]?.id,
      events: ['DEPLOYMENT_FAILED'],
    }),
    changes: ['~webhooks https://hooks.example.com/deployments'],
    holds: (made) => {
      expect(made.server.platform.state.webhooks[0]).toMatchObject({
        events: [made.server.on('words') ? 'DEPLOYMENT_FAILURE' : 'DEPLOYMENT_FAILED'],
      });
    },
  },
  {
    tool: 'test_webhook',
    args: (server) => ({ ...organization(server), webhook_id: server.platform.state.webhooks[0]?.id }),
    refused: { says: /not offer/, why: 'platforms of the family have no such operation' },
  },
  {
    tool: 'delete_webhook',
    args: (server) => ({ ...organization(server), webhook_id: server.platform.state.webhooks[0]?.id }),
    changes: ['-webhooks https://hooks.example.com/deployments'],
  },
  {
    tool: 'create_alert_receiver',
    args: (server) => ({
      ...organization(server),
      name: 'shop chat',
      type: 'CHAT',
      webhook_url: 'https://chat.example.com/chat-secret-of-mine',
    }),
    changes: ['+receivers shop chat'],
    holds: (made) => {
      expect(rowNamed('receivers', 'shop chat', made)).toMatchObject({
        organization_id: made.server.platform.ids.organization,
        webhook_url: 'https://chat.example.com/chat-secret-of-mine',
      });
      expect(JSON.stringify([made.result, made.questions])).not.toContain('chat-secret-of-mine');
    },
  },
  {
    tool: 'update_alert_receiver',
    args: () => ({ alert_receiver_id: 'on call', to: 'others@example.com' }),
    changes: ['~receivers on call'],
    holds: (made) => {
      expect(rowNamed('receivers', 'on call', made)).toMatchObject({
        to: 'others@example.com',
        auth_password: 'mail-password',
      });
      expect(made.questions.join('\n')).not.toContain('it is lost');
    },
  },
  {
    tool: 'test_alert_receiver',
    args: () => ({ alert_receiver_id: 'on call' }),
    changes: [],
    holds: ({ text }) => expect(text).toContain('not whether it arrived'),
  },
  {
    tool: 'delete_alert_receiver',
    args: () => ({ alert_receiver_id: 'shop chat' }),
    changes: ['-receivers shop chat'],
    holds: ({ questions }) => expect(questions.join('\n')).toContain('No alert rule that is shown here has it'),
  },
  {
    tool: 'update_alert_rule',
    args: (server) => ({ alert_rule_id: alertRule(server)?.id, severity: 'CRITICAL' }),
    changes: ['~alertRules nodes are full'],
    only: { of: (server) => structuredClone(alertRule(server)), members: ['severity'] },
  },
  {
    tool: 'update_alert_rule',
    case: 'that has no id',
    where: (on) => on('ghostAlertRules'),
    args: () => ({ alert_rule_id: 'left behind', severity: 'CRITICAL' }),
    refused: { says: /without an id.*neither be read by itself nor changed/s, why: 'nothing names it to the platform' },
  },
  {
    tool: 'create_alert_rule',
    args: () => ({
      service: 'shop/staging/storefront',
      name: 'slow storefront',
      condition: { promql: 'latency > 2' },
      alert_receiver_ids: ['on call'],
    }),
    changes: ['+alertRules slow storefront'],
    holds: (made) =>
      expect(rowNamed('alertRules', 'slow storefront', made)).toMatchObject({
        organization_id: made.server.platform.ids.organization,
        target: { target_type: 'APPLICATION' },
      }),
  },
  {
    tool: 'create_alert_rule',
    case: 'about a cluster',
    // There the word has a space before, which reading takes away.
    where: (on) => !on('words'),
    args: ({ platform }) => ({
      cluster_id: platform.ids.clusters.main,
      name: 'slow cluster',
      condition: { promql: 'latency > 2' },
      alert_receiver_ids: ['on call'],
    }),
    changes: ['+alertRules slow cluster'],
    holds: (made) =>
      expect(rowNamed('alertRules', 'slow cluster', made)?.['target']).toEqual(alertRule(made.server)?.['target']),
  },
  ...(['silence_alert_rule', 'unsilence_alert_rule'] as const).map((tool): ForeignCall => ({
    tool,
    args: (server) => ({
      alert_rule_id: alertRule(server)?.id,
      ...(tool === 'silence_alert_rule' && { until: '2999-01-01T00:00:00Z' }),
    }),
    refused: { says: /not offer/, why: 'platforms of the family have no such operation' },
  })),
  {
    tool: 'delete_alert_rule',
    args: (server) => ({ alert_rule_id: alertRule(server)?.id }),
    changes: ['-alertRules nodes are full'],
  },
  {
    tool: 'unlock_cluster',
    args: ({ platform }) => ({ cluster_id: platform.ids.clusters.locked }),
    changes: ['~clusters south'],
    holds: ({ server: { platform } }) =>
      expect(platform.state.clusters.find(({ id }) => id === platform.ids.clusters.locked)).not.toHaveProperty('lock'),
  },
  {
    tool: 'create_environment',
    args: ({ platform }) => ({
      project_id: platform.ids.projects.shop,
      name: 'fresh',
      mode: 'STAGING',
      cluster_id: platform.ids.clusters.locked,
    }),
    changes: ['+environments fresh'],
    holds: (made) =>
      expect(rowNamed('environments', 'fresh', made)).toMatchObject({
        cluster_id: made.server.platform.ids.clusters.locked,
        mode: 'STAGING',
      }),
  },
  {
    tool: 'create_environment',
    case: 'a name that is taken',
    args: ({ platform }) => ({
      project_id: platform.ids.projects.shop,
      name: 'staging',
      mode: 'STAGING',
      cluster_id: platform.ids.clusters.main,
    }),
    refused: { says: /taken|has that name/, why: 'the project has one of that name' },
  },
  {
    tool: 'lock_cluster',
    args: ({ platform }) => ({
      cluster_id: platform.ids.clusters.locked,
      reason: 'the network is rebuilt',
      ttl_in_days: 2,
    }),
    changes: ['~clusters south'],
    holds: ({ server: { platform } }) =>
      expect(platform.state.clusters.find(({ id }) => id === platform.ids.clusters.locked)).toMatchObject({
        lock: { reason: 'the network is rebuilt', ttl_in_days: 2 },
      }),
  },
  {
    // A lock is known before anybody is asked.
    tool: 'upgrade_cluster',
    case: 'a locked one',
    args: ({ platform }) => ({ cluster_id: platform.ids.clusters.locked }),
    refused: { says: /the network is rebuilt/, why: 'it is locked, and its lock says so before anybody is asked' },
  },
  {
    tool: 'upgrade_cluster',
    args: ({ platform }) => ({ cluster_id: platform.ids.clusters.main }),
    changes: ['~clusters north'],
  },
];

const inDevelopment = ({ platform }: ForeignServer, list: 'services' | 'variables'): string[] => {
  const { development } = platform.ids.environments;
  const services = platform.state.services.filter(({ environment_id: environment }) => environment === development);
  if (list === 'services') return services.map(({ spec }) => String(spec['name']));
  return platform.state.variables
    .filter(({ parent_id: parent }) => parent === development || services.some(({ id }) => id === parent))
    .map(({ key }) => key);
};

const cloneCalls: readonly ForeignCall[] = [
  {
    tool: 'clone_environment',
    args: ({ platform }) => ({
      environment_id: platform.ids.environments.development,
      name: 'copy',
      project_id: platform.ids.projects.tools,
    }),
    changes: (server) => [
      '+environments copy',
      ...inDevelopment(server, 'services').map((name) => `+services copy/${name}`),
      ...inDevelopment(server, 'variables').map((key) => `+variables ${key}`),
    ],
    holds: (made) => {
      const original = made.server.platform.state.environments.find(
        ({ id }) => id === made.server.platform.ids.environments.development,
      );
      expect(rowNamed('environments', 'copy', made)).toMatchObject({
        project_id: made.server.platform.ids.projects.tools,
        mode: original?.mode,
        cluster_id: original?.cluster_id,
      });
      expect(made.answer['not_made']).not.toEqual(expect.arrayContaining([expect.stringMatching(/^variable /)]));
    },
  },
  {
    tool: 'clone_environment',
    case: 'under a name that is taken',
    args: ({ platform }) => ({ environment_id: platform.ids.environments.development, name: 'staging' }),
    refused: { says: /taken|has that name/, why: 'the project has one of that name' },
  },
  {
    tool: 'clone_environment',
    case: 'into PRODUCTION, on another cluster',
    args: ({ platform }) => ({
      environment_id: platform.ids.environments.staging,
      name: 'copy',
      mode: 'PRODUCTION',
      cluster_id: platform.ids.clusters.locked,
    }),
    refused: { says: /locked/, why: 'the cluster of the copy is locked' },
  },
];

const serviceCalls: readonly ForeignCall[] = [
  {
    tool: 'create_application',
    args: (server) => ({
      environment_id: server.platform.ids.environments.staging,
      name: 'fresh',
      git_repository: git,
      ports: [
        { internal_port: 8080, external_port: 443, protocol: 'HTTP', publicly_accessible: true },
        { internal_port: 9090 },
      ],
    }),
    changes: ['+services staging/fresh'],
    holds: ({ server }) =>
      expect(named('fresh')(server).spec).toMatchObject({
        git_repository: { ...git, ...(server.on('applicationMembers') ? { provider: 'FORGE' } : {}) },
      }),
  },
  {
    tool: 'create_database',
    args: ({ platform }) => ({
      environment_id: platform.ids.environments.staging,
      name: 'stock',
      type: 'POSTGRESQL',
      version: '16',
      mode: 'CONTAINER',
    }),
    changes: ['+services staging/stock'],
  },
  {
    tool: 'update_container',
    args: (server) => ({ container_id: named('gateway')(server).id, tag: '2.4.2' }),
    changes: ['~services staging/gateway'],
    only: { of: answerTo('container', 'gateway'), members: ['tag'] },
    holds: ({ server }) => expect(named('gateway')(server).spec['tag']).toBe('2.4.2'),
  },
  {
    tool: 'update_container',
    case: 'a probe',
    args: (server) => ({
      container_id: named('gateway')(server).id,
      healthchecks: { readiness_probe: { period_seconds: 20 } },
    }),
    changes: ['~services staging/gateway'],
    only: { of: answerTo('container', 'gateway'), members: ['healthchecks.readiness_probe.period_seconds'] },
    holds: ({ server }) =>
      expect(named('gateway')(server).spec['healthchecks']).toMatchObject({
        readiness_probe: { period_seconds: 20, type: { http: { path: '/ready' } } },
      }),
  },
  {
    tool: 'update_helm',
    args: (server) => ({ helm_id: named('cache')(server).id, timeout_sec: 900 }),
    changes: ['~services staging/cache'],
    only: { of: answerTo('helm', 'cache'), members: ['timeout_sec'] },
    holds: ({ server }) => expect(named('cache')(server).spec['timeout_sec']).toBe(900),
  },
  {
    tool: 'update_application',
    args: (server) => ({ application_id: named('storefront')(server).id, memory: 1536 }),
    changes: ['~services staging/storefront'],
    only: { of: answerTo('application', 'storefront'), members: ['memory'] },
    holds: ({ server }) => expect(named('storefront')(server).spec['memory']).toBe(1536),
  },
  {
    tool: 'update_application',
    case: 'a part of a port',
    args: (server) => ({
      application_id: named('storefront')(server).id,
      ports: [{ internal_port: 8080, protocol: 'GRPC' }],
    }),
    changes: ['~services staging/storefront'],
    holds: ({ server }) =>
      expect(named('storefront')(server).spec['ports']).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ internal_port: 8080, protocol: 'GRPC', publicly_accessible: true }),
        ]),
      ),
  },
  {
    tool: 'update_database',
    args: (server) => ({ database_id: named('orders')(server).id, storage: 40 }),
    changes: ['~services staging/orders'],
    only: { of: answerTo('database', 'orders'), members: ['storage'] },
    holds: ({ server }) => expect(named('orders')(server).spec['storage']).toBe(40),
  },
  {
    tool: 'update_job',
    args: (server) => ({ job_id: named('nightly')(server).id, schedule: { cronjob: { scheduled_at: '30 4 * * *' } } }),
    changes: ['~services staging/nightly'],
    only: { of: answerTo('job', 'nightly'), members: ['schedule'] },
    holds: ({ server }) =>
      expect(named('nightly')(server).spec['schedule']).toMatchObject({ cronjob: { scheduled_at: '30 4 * * *' } }),
  },
  {
    tool: 'create_container',
    args: (server) => ({
      environment_id: server.platform.ids.environments.staging,
      name: 'fresh-container',
      registry_id: server.platform.state.registries[0]?.['id'],
      image_name: 'library/nginx',
      tag: '1.27',
      ports: [{ internal_port: 80 }],
    }),
    changes: ['+services staging/fresh-container'],
    holds: ({ server }) =>
      expect(named('fresh-container')(server).spec).toMatchObject({
        tag: '1.27',
        healthchecks: {},
        ports: [{ internal_port: 80, publicly_accessible: false }],
      }),
  },
  {
    tool: 'create_job',
    args: (server) => ({
      environment_id: server.platform.ids.environments.staging,
      name: 'fresh-job',
      schedule: { cronjob: { scheduled_at: '0 3 * * *' } },
      source: {
        image: { image_name: 'library/report', tag: '1.0', registry_id: server.platform.state.registries[0]?.['id'] },
      },
    }),
    changes: ['+services staging/fresh-job'],
    holds: ({ server }) =>
      expect(named('fresh-job')(server).spec).toMatchObject({
        schedule: { cronjob: { scheduled_at: '0 3 * * *' } },
        healthchecks: {},
      }),
  },
  {
    tool: 'create_helm',
    args: (server) => ({
      environment_id: server.platform.ids.environments.staging,
      name: 'fresh-chart',
      source: {
        helm_repository: {
          repository: server.platform.state.helmRepositories[0]?.['id'],
          chart_name: 'redis',
          chart_version: '19.1.0',
        },
      },
      values_override: { set: [['replicas', '2']] },
    }),
    changes: ['+services staging/fresh-chart'],
    holds: ({ server }) =>
      expect(named('fresh-chart')(server).spec).toMatchObject({
        auto_deploy: false,
        arguments: [],
        values_override: { set: [['replicas', '2']] },
      }),
  },
  {
    tool: 'create_terraform',
    args: (server) => ({
      environment_id: server.platform.ids.environments.staging,
      name: 'fresh-infrastructure',
      git_repository: { url: 'https://forge.example.com/shop/network.git', root_path: '/aws' },
      terraform_version: '1.9.5',
      tf_vars: [{ key: 'db_password', value: 'fresh-secret-value', secret: true }],
    }),
    changes: ['+services staging/fresh-infrastructure'],
    holds: ({ server, text }) => {
      expect(named('fresh-infrastructure')(server).spec).toMatchObject({
        description: '',
        backend: { kubernetes: {} },
        provider_version: { explicit_version: '1.9.5' },
        terraform_variables_source: { tf_vars: [{ key: 'db_password', value: 'fresh-secret-value', secret: true }] },
      });
      expect(text).not.toContain('fresh-secret-value');
    },
  },
  {
    tool: 'update_terraform',
    args: (server) => ({
      terraform_id: named('network')(server).id,
      git_repository: { branch: 'next' },
      tf_vars: [{ key: 'region', value: 'south-2' }],
    }),
    changes: ['~services staging/network'],
    holds: ({ server, questions, text }) => {
      expect(named('network')(server).spec).toMatchObject({
        description: 'The network',
        auto_deploy_config: { auto_deploy: false, terraform_action: 'DEFAULT' },
        terraform_files_source: { git_repository: { branch: 'next' } },
        terraform_variables_source: {
          tf_var_file_paths: ['prod.tfvars'],
          tf_vars: [{ key: 'region', value: 'south-2', secret: false }],
        },
        timeout_sec: 600,
      });
      // The value of the secret one is never shown, so it can't be sent back.
      expect(questions.join('\n')).toMatch(/Variables whose values can not be read, and so are not sent: token\./);
      expect(text).not.toContain('tf-secret');
    },
  },
];

const variableCalls: readonly ForeignCall[] = [
  {
    tool: 'create_environment_variable',
    args: (server) => ({ application_id: named('storefront')(server).id, key: 'GREETING', value: 'hello' }),
    changes: ['+variables GREETING'],
    holds: ({ server }) =>
      expect(ownVariable('storefront', 'GREETING')(server)).toMatchObject({
        value: 'hello',
        is_secret: false,
        scope: 'APPLICATION',
      }),
  },
  {
    tool: 'create_secret',
    args: (server) => ({
      application_id: named('storefront')(server).id,
      key: 'HIDDEN_THING',
      value: 'correct-horse-9',
    }),
    changes: ['+variables HIDDEN_THING'],
    holds: ({ server, result }) => {
      expect(ownVariable('storefront', 'HIDDEN_THING')(server)).toMatchObject({
        value: 'correct-horse-9',
        is_secret: true,
      });
      expect(JSON.stringify(result)).not.toContain('correct-horse-9');
    },
  },
  {
    tool: 'update_environment_variable',
    args: ({ platform }) => ({
      environment_id: platform.ids.environments.staging,
      environment_variable_id: 'LOG_LEVEL',
      value: 'debug',
    }),
    changes: ['~variables LOG_LEVEL'],
    only: { of: answered('LOG_LEVEL'), members: ['value'] },
    holds: ({ server }) => expect(inStaging('LOG_LEVEL')(server)).toMatchObject({ value: 'debug' }),
  },
  {
    tool: 'update_environment_variable',
    case: 'of a service',
    args: ({ platform }) => ({
      environment_id: platform.ids.environments.staging,
      environment_variable_id: 'shop/staging/storefront/PORT',
      key: 'PORT',
      value: '9000',
    }),
    changes: ['~variables PORT'],
    holds: ({ server }) => expect(ownVariable('storefront', 'PORT')(server)).toMatchObject({ value: '9000' }),
  },
  {
    tool: 'update_environment_variable',
    case: 'that is built in',
    args: (server) => ({
      environment_id: server.platform.ids.environments.staging,
      environment_variable_id: `shop/staging/storefront/${builtIn(server)?.key}`,
      value: 'x',
    }),
    refused: { says: /BUILT_IN|built in|doesn't show what it replaces/, why: 'what is built in can’t be changed' },
  },
  {
    tool: 'override_environment_variable',
    args: (server) => ({
      container_id: named('gateway')(server).id,
      environment_variable_id: inStaging('LOG_LEVEL')(server)?.id,
      value: 'warn',
    }),
    changes: ['+variables LOG_LEVEL'],
    holds: ({ server }) =>
      expect(ownVariable('gateway', 'LOG_LEVEL')(server)).toMatchObject({ value: 'warn', scope: 'CONTAINER' }),
  },
  {
    tool: 'set_environment_variables',
    args: () => ({
      application: 'shop/staging/storefront',
      variables: { PORT: '9090', CACHE_TTL: '60' },
      secrets: { CACHE_KEY: 'correct-horse-10' },
    }),
    changes: ['+variables CACHE_KEY', '+variables CACHE_TTL', '~variables PORT'],
    holds: ({ server }) => expect(ownVariable('storefront', 'PORT')(server)).toMatchObject({ value: '9090' }),
  },
  {
    tool: 'set_environment_variables',
    case: 'another value of a secret',
    args: () => ({ application: 'shop/staging/storefront', secrets: { CACHE_KEY: 'correct-horse-15' } }),
    changes: ['~variables CACHE_KEY'],
    holds: ({ server, result, questions }) => {
      expect(ownVariable('storefront', 'CACHE_KEY')(server)).toMatchObject({
        value: 'correct-horse-15',
        is_secret: true,
      });
      expect(JSON.stringify([result, questions])).not.toMatch(/correct-horse/);
    },
  },
  {
    tool: 'set_environment_variables',
    case: 'of a container',
    args: () => ({ container: 'shop/staging/gateway', variables: { PORT: '9091' } }),
    changes: ['~variables PORT'],
    holds: ({ server }) => expect(ownVariable('gateway', 'PORT')(server)).toMatchObject({ value: '9091' }),
  },
  {
    tool: 'set_environment_variables',
    case: 'of an environment',
    args: () => ({ environment: 'shop/staging', variables: { LOG_LEVEL: 'error' } }),
    changes: ['~variables LOG_LEVEL'],
    only: { of: answered('LOG_LEVEL'), members: ['value'] },
  },
  {
    tool: 'set_environment_variables',
    case: 'new ones of an environment',
    args: () => ({
      environment: 'shop/staging',
      variables: { TRACE: 'on' },
      secrets: { TRACE_KEY: 'correct-horse-11' },
    }),
    changes: ['+variables TRACE', '+variables TRACE_KEY'],
    holds: ({ server }) =>
      expect(inStaging('TRACE_KEY')(server)).toMatchObject({ is_secret: true, scope: 'ENVIRONMENT' }),
  },
  {
    tool: 'set_environment_variables',
    case: 'new ones of a job',
    args: () => ({
      service: 'shop/staging/nightly',
      variables: { FORMAT: 'csv' },
      secrets: { UPLOAD_KEY: 'correct-horse-12' },
    }),
    changes: ['+variables FORMAT', '+variables UPLOAD_KEY'],
    holds: ({ server }) =>
      expect(ownVariable('nightly', 'FORMAT')(server)).toMatchObject({ value: 'csv', scope: 'JOB' }),
  },
];

const deletionCalls: readonly ForeignCall[] = [
  {
    tool: 'delete_environment_variable',
    args: () => ({ service: 'shop/staging/storefront', key: 'CACHE_TTL' }),
    changes: ['-variables CACHE_TTL'],
    before: (server) => server.platform.state.variables.some(({ key }) => key === 'CACHE_TTL'),
  },
  {
    tool: 'delete_environment_variable',
    case: 'a secret',
    args: () => ({ service: 'shop/staging/storefront', key: 'HIDDEN_THING' }),
    changes: ['-variables HIDDEN_THING'],
    holds: ({ result, questions }) => expect(JSON.stringify([result, questions])).not.toContain('correct-horse-9'),
  },
  {
    tool: 'delete_environment_variable',
    case: 'that is inherited',
    args: () => ({ service: 'shop/staging/storefront', key: 'LOG_LEVEL' }),
    refused: { says: /only inherits/, why: 'the environment has it' },
  },
];

const domainCalls: readonly ForeignCall[] = [
  {
    tool: 'create_custom_domain',
    args: () => ({ service: 'shop/staging/storefront', domain: 'shop.example.com' }),
    changes: ['+domains shop.example.com'],
    holds: ({ answer, server }) => {
      expect(answer).toMatchObject({
        domain: 'shop.example.com',
        record: { value: expect.stringContaining('lb.example.com') },
        entered: 'yes',
      });
      expect(server.platform.state.domains.find(({ domain }) => domain === 'shop.example.com')).toMatchObject({
        owner: named('storefront')(server).id,
        generate_certificate: true,
      });
    },
  },
  {
    tool: 'create_custom_domain',
    case: 'a domain that is taken',
    args: () => ({ service: 'shop/staging/gateway', domain: 'shop.example.com' }),
    refused: { says: /taken/, why: 'another service has it' },
  },
  {
    tool: 'delete_custom_domain',
    args: () => ({ service: 'shop/staging/storefront', domain: 'shop.example.com' }),
    changes: ['-domains shop.example.com'],
  },
];

/** Every tool that changes something and deploys nothing. */
export const changingCalls: readonly ForeignCall[] = [
  ...scopedVariableCalls,
  ...organizationCalls,
  ...serviceCalls,
  ...variableCalls,
  ...deletionCalls,
  ...domainCalls,
  ...cloneCalls,
];
