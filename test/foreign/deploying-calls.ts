import { expect } from 'vitest';
import { isOver, phaseOf } from '../other-platform/deployments.ts';
import type { Deployment } from '../other-platform/store.ts';
import { metaKeys } from '../../src/server/output/index.ts';
import type { ForeignCall, Made } from './call.ts';
import type { ForeignServer } from './foreign-server.ts';
import { kinds, named } from './reading-calls.ts';

type Json = Record<string, unknown>;

const idle = (server: ForeignServer) => server.idle();
const newest = ({ platform }: ForeignServer): Deployment => platform.state.deployments.at(-1)!;
const outcomes = { succeeded: 'succeeded', failed: 'failed', canceled: 'canceled' } as const;
const older = '1f2e3d4c5b6a79880716253443526170f1e2d3c4';
const newer = 'aaaabbbbccccddddeeeeffff0000111122223333';

/** What was started is what is reported: the same deployment, of these services alone. */
function expectStarted(
  { server, answer, result }: Made,
  services: readonly string[],
  action: Deployment['action'] = 'DEPLOY',
): void {
  const started = newest(server);
  expect(started).toMatchObject({ action });
  expect(started.services.map(({ name }) => name).toSorted()).toEqual(services.toSorted());
  const next = (result._meta?.[metaKeys.next] ?? []) as { tool: string; arguments: Json }[];
  const reported = [
    answer['deployment_id'],
    answer['deployment_request_id'],
    ...next.map((call) => call.arguments['deployment_id']),
  ].filter((id) => id !== undefined && id !== null);
  expect(new Set(reported)).toEqual(new Set(reported.length === 0 ? [] : [started.request_id]));
}

/** It was waited for to its end, and the end is the true one. */
function expectEnded(made: Made, services: readonly string[], action: Deployment['action'] = 'DEPLOY'): void {
  expectStarted(made, services, action);
  const phase = phaseOf(newest(made.server), made.server.clock.now());
  expect(isOver(phase)).toBe(true);
  expect(made.answer).toMatchObject({ outcome: outcomes[phase as keyof typeof outcomes] });
}

const deployed = (environment: string, action = 'DEPLOY') => [`+deployments ${action} in ${environment}`];
const inDevelopment = ({ platform }: ForeignServer) =>
  platform.state.services
    .filter(
      ({ environment_id: environment, kind }) =>
        environment === platform.ids.environments.development && kind !== 'synced' && kind !== 'agentic',
    )
    .map(({ spec }) => String(spec['name']));

const ofEachKind = Object.entries(kinds).map(([kind, service]): ForeignCall => ({
  tool: 'deploy_service',
  case: `${kind}, to its end`,
  before: idle,
  args: () => ({ service: `shop/development/${service}`, wait: true }),
  changes: deployed('development'),
  holds: (made) => {
    expectEnded(made, [service]);
    expect(made.answer).toMatchObject({ state: expect.stringMatching(/^(DEPLOYED|RUNNING)$/) as unknown });
  },
}));

/**
 * Every tool that deploys, restarts, stops or cancels; services are deployed in development, where nothing fails but
 * what is said.
 */
/** Of operations that the platform doesn't have. */
const notOffered = { says: /not offer/, why: 'the platform has no such operation' };

export const deployingCalls: readonly ForeignCall[] = [
  {
    tool: 'run_job',
    before: idle,
    args: (server) => ({ job_id: named('nightly')(server).id, arguments: ['--only', 'users'] }),
    refused: notOffered,
  },
  {
    tool: 'cancel_job_run',
    before: idle,
    args: (server) => ({ job_id: named('nightly')(server).id }),
    holds: ({ text }) => expect(text).toContain('no run of it is under way'),
  },
  ...ofEachKind,
  {
    tool: 'deploy_service',
    case: 'what fails to build',
    before: idle,
    args: () => ({ service: 'shop/staging/checkout', wait: true }),
    changes: deployed('staging'),
    holds: (made) => {
      expectEnded(made, ['checkout']);
      expect(made.answer).toMatchObject({ state: 'BUILD_ERROR' });
      expect(made.text).toMatch(/ERESOLVE|exit code: 1/);
    },
  },
  {
    tool: 'deploy_service',
    case: 'what fails to start',
    before: idle,
    args: () => ({ service: 'shop/staging/ledger', wait: true }),
    changes: deployed('staging'),
    holds: (made) => {
      expectEnded(made, ['ledger']);
      expect(made.text).toContain('ECONNREFUSED');
    },
  },
  {
    tool: 'deploy_service',
    case: 'a whole environment',
    before: idle,
    args: () => ({ environment: 'shop/development', wait: true }),
    changes: deployed('development'),
    holds: (made) => expectEnded(made, inDevelopment(made.server)),
  },
  {
    tool: 'deploy_service',
    case: 'without waiting',
    before: idle,
    args: () => ({ service: 'shop/development/gateway' }),
    changes: deployed('development'),
    holds: (made) => expectStarted(made, ['gateway']),
  },
  {
    tool: 'wait_for_deployment',
    case: 'the one just started',
    args: (server) => ({
      service: named('gateway', 'development')(server).id,
      deployment_id: newest(server).request_id,
    }),
    holds: ({ answer, server }) =>
      expect(answer).toMatchObject({ outcome: 'succeeded', deployment_id: newest(server).request_id }),
  },
  {
    tool: 'deploy_application',
    case: 'the same again',
    before: idle,
    args: (server) => ({ application_id: named('storefront', 'development')(server).id }),
    changes: deployed('development'),
    holds: (made) => expectStarted(made, ['storefront']),
  },
  {
    tool: 'deploy_application',
    case: 'a commit',
    before: idle,
    args: (server) => ({ application_id: named('storefront', 'development')(server).id, git_commit_id: newer }),
    changes: [...deployed('development'), '~services development/storefront'],
    holds: (made) => {
      expectStarted(made, ['storefront']);
      expect(named('storefront', 'development')(made.server).commit).toBe(newer);
    },
  },
  {
    tool: 'rollback_application',
    before: idle,
    args: () => ({ application: 'shop/development/storefront', wait: true }),
    changes: [...deployed('development'), '~services development/storefront'],
    holds: (made) => {
      expectEnded(made, ['storefront']);
      expect(named('storefront', 'development')(made.server).commit).toBe(older);
    },
  },
  {
    tool: 'deploy_service',
    case: 'several at versions',
    before: idle,
    args: () => ({
      environment: 'shop/development',
      services: [
        { service: 'storefront', version: 'ffee001' },
        { service: 'gateway', version: '4.4.4' },
        { service: 'orders' },
      ],
    }),
    // One at a time, each service has a deployment of its own.
    changes: (server) => [
      ...Array.from({ length: server.on('oneAtATime') ? 3 : 1 }, () => deployed('development')).flat(),
      '~services development/storefront',
      '~services development/gateway',
    ],
    holds: (made) => {
      expect(made.text.includes('Sent one service at a time')).toBe(made.server.on('oneAtATime'));
      if (!made.server.on('oneAtATime')) expectStarted(made, ['storefront', 'gateway', 'orders']);
      else expect(made.answer).not.toHaveProperty('deployment_id');
      expect(named('storefront', 'development')(made.server).commit).toMatch(/^ffee001/);
      expect(named('gateway', 'development')(made.server).spec).toMatchObject({ tag: '4.4.4' });
      expect(made.text).toContain('4.4.4');
    },
  },
  {
    tool: 'deploy_database',
    before: idle,
    args: (server) => ({ database_id: named('orders', 'development')(server).id }),
    changes: deployed('development'),
    holds: (made) => expectStarted(made, ['orders']),
  },
  {
    tool: 'redeploy_terraform',
    before: idle,
    args: (server) => ({ terraform_id: named('network', 'development')(server).id, wait: true }),
    changes: deployed('development'),
    holds: (made) => expectEnded(made, ['network']),
  },
  {
    tool: 'plan_terraform',
    before: idle,
    args: (server) => ({ terraform_id: named('network', 'development')(server).id }),
    refused: notOffered,
  },
  {
    tool: 'create_database_backup',
    args: (server) => ({
      database_id: named('orders', 'development')(server).id,
      name: 'nightly',
      message: 'before the release',
    }),
    changes: ['+backups nightly'],
  },
  {
    tool: 'list_database_backups',
    args: (server) => ({ database_id: named('orders', 'development')(server).id }),
    holds: ({ text }) => expect(text).toContain('nightly'),
  },
  {
    tool: 'delete_database_backup',
    args: (server) => {
      const { id } = named('orders', 'development')(server);
      const made = server.platform.state.backups.find((row) => row['database_id'] === id);
      return { database_id: id, backup_id: made?.['id'] };
    },
    changes: ['-backups nightly'],
    holds: ({ questions }) =>
      expect(questions.join('\n')).toContain('No other complete backup of this database is shown here.'),
  },
  {
    tool: 'restore_database',
    before: idle,
    args: (server) => ({ database_id: named('orders', 'development')(server).id }),
    refused: notOffered,
  },
  {
    tool: 'restart_services',
    case: 'one',
    before: idle,
    args: (server) => ({
      environment_id: server.platform.ids.environments.development,
      container_ids: [named('gateway', 'development')(server).id],
      wait: true,
    }),
    changes: deployed('development', 'RESTART'),
    holds: (made) => expectEnded(made, ['gateway'], 'RESTART'),
  },
  {
    tool: 'restart_services',
    case: 'several',
    before: idle,
    args: (server) => ({
      environment_id: server.platform.ids.environments.development,
      application_ids: [named('storefront', 'development')(server).id],
      database_ids: [named('orders', 'development')(server).id],
    }),
    changes: deployed('development', 'RESTART'),
    holds: (made) => expectStarted(made, ['storefront', 'orders'], 'RESTART'),
  },
  {
    tool: 'cancel_deployment',
    before: async (server) => {
      await server.idle();
      server.clock.stop();
      await server.call('deploy_service', { service: 'shop/development/gateway' });
    },
    args: ({ platform }) => ({ environment_id: platform.ids.environments.development }),
    changes: ['~deployments DEPLOY in development'],
    holds: ({ server }) => {
      expect(newest(server)).toMatchObject({ canceled: true });
      server.clock.resume();
    },
  },
  {
    tool: 'wait_for_deployment',
    case: 'one that was cancelled',
    before: (server) => server.clock.resume(),
    args: (server) => ({
      service: named('gateway', 'development')(server).id,
      deployment_id: newest(server).request_id,
    }),
    holds: ({ answer }) => expect(answer).toMatchObject({ outcome: 'canceled' }),
  },
  {
    tool: 'stop_environment',
    before: idle,
    args: ({ platform }) => ({ environment_id: platform.ids.environments.development, wait: true }),
    changes: deployed('development', 'STOP'),
    holds: (made) => {
      expectEnded(made, inDevelopment(made.server), 'STOP');
      expect(made.answer).toMatchObject({ state: 'STOPPED' });
    },
  },
];
