import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/client/index.ts';
import { operations } from '../../../src/contract/index.ts';
import { findTarget, withProjectName } from '../../../src/server/guard/risk/find-target.ts';
import { fakeReader, type Answers } from './fake-reader.ts';

const production = { id: 'e', name: 'live', mode: 'PRODUCTION', project: { id: 'p' }, organization: { id: 'o' } };
const answers: Answers = {
  get_organization: { id: 'o', name: 'acme' },
  get_environment: production,
  get_application: { id: 'a', name: 'api', environment: { id: 'e' } },
  list_clusters: {
    results: [
      { id: 'c1', name: 'main', production: true },
      { id: 'c2', name: 'spare', production: false },
      { id: 'c4', name: 'unflagged', production: false },
    ],
  },
  list_projects: {
    results: [
      { id: 'q', name: 'other' },
      { id: 'p', name: 'payments' },
    ],
  },
  list_environments: ({ project_id }) => ({
    results:
      project_id === 'p'
        ? [
            { id: 'e', mode: 'PRODUCTION', cluster_id: 'c4' },
            { id: 'f', mode: 'STAGING', cluster_id: 'c2' },
          ]
        : [],
  }),
  get_alert_rule: {
    id: 'r',
    name: 'slow',
    target: { target_type: 'APPLICATION', target_id: 'a', service: { environment_id: 'e' } },
  },
};
const live = { environment: { id: 'e', name: 'live' }, project: { id: 'p' }, mode: 'PRODUCTION' };

describe('the target of a call', () => {
  test.each([
    [
      'a service',
      operations.deploy_application,
      { application_id: 'a' },
      { kind: 'application', id: 'a', name: 'api', ...live },
    ],
    [
      'an environment',
      operations.stop_environment,
      { environment_id: 'e' },
      { kind: 'environment', id: 'e', name: 'live', ...live },
    ],
    [
      'a rule that watches a service',
      operations.update_alert_rule,
      { alert_rule_id: 'r' },
      { kind: 'alert_rule', id: 'r', name: 'slow', ...live },
    ],
    [
      'a cluster of production',
      operations.lock_cluster,
      { cluster_id: 'c1' },
      { kind: 'cluster', id: 'c1', name: 'main', mode: 'PRODUCTION' },
    ],
    [
      'another cluster',
      operations.lock_cluster,
      { cluster_id: 'c2' },
      { kind: 'cluster', id: 'c2', name: 'spare', mode: 'none' },
    ],
    [
      'a cluster that hosts production and does not say so',
      operations.lock_cluster,
      { cluster_id: 'c4' },
      { kind: 'cluster', id: 'c4', name: 'unflagged', mode: 'PRODUCTION' },
    ],
    [
      'a cluster that nobody knows',
      operations.lock_cluster,
      { cluster_id: 'c3' },
      { kind: 'cluster', id: 'c3', mode: 'unknown' },
    ],
    [
      'the organization',
      operations.invite_member,
      { organization_id: 'o' },
      { kind: 'organization', id: 'o', mode: 'none' },
    ],
    [
      'a project',
      operations.list_environments,
      { project_id: 'p' },
      { kind: 'project', id: 'p', project: { id: 'p' }, mode: 'none' },
    ],
    [
      'an environment that is to be',
      operations.create_environment,
      { project_id: 'p', name: 'new', mode: 'STAGING' },
      { kind: 'environment', name: 'new', environment: { name: 'new' }, project: { id: 'p' }, mode: 'STAGING' },
    ],
  ] as const)('is %s', async (_, operation, args, target) => {
    expect(await findTarget(operation, args, fakeReader(answers))).toEqual(target);
  });

  test.each([
    ['nothing', {}, { kind: 'application', id: 'a' }],
    ['only the service', { get_application: answers.get_application! }, { kind: 'application', id: 'a', name: 'api' }],
    [
      'an environment of a mode that nobody knows',
      { ...answers, get_environment: { ...production, mode: 'SANDBOX' } },
      { kind: 'application', id: 'a', name: 'api' },
    ],
  ])('has an unknown mode where the platform tells %s', async (_, offered, target) => {
    const found = await findTarget(operations.deploy_application, { application_id: 'a' }, fakeReader(offered));
    expect(found).toMatchObject({ ...target, mode: 'unknown' });
    expect(found.environment).toBeDefined();
  });

  test('has an unknown mode where the platform does not tell of an alert rule', async () => {
    expect(await findTarget(operations.update_alert_rule, { alert_rule_id: 'r' }, fakeReader({}))).toMatchObject({
      mode: 'unknown',
    });
  });

  test('fails as the platform fails, rather than pass for unknown', async () => {
    const down = fakeReader({
      get_environment: () => {
        throw new ApiError('get_environment', {
          kind: 'server_error',
          reason: 'the platform failed',
          next: '',
          status: 500,
        });
      },
    });
    await expect(findTarget(operations.stop_environment, { environment_id: 'e' }, down)).rejects.toThrow(
      'the platform failed',
    );
  });

  test('has its project by name where somebody asks', async () => {
    const target = await findTarget(operations.stop_environment, { environment_id: 'e' }, fakeReader(answers));
    expect((await withProjectName(target, fakeReader(answers))).project).toEqual({ id: 'p', name: 'payments' });
    expect((await withProjectName(target, fakeReader({}))).project).toEqual({ id: 'p' });
  });
});
