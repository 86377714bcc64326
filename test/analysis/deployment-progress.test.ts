import { describe, expect, test } from 'vitest';
import { deploymentProgressOf } from '../../src/analysis/deployment-progress.ts';
import { diagnose } from '../../src/analysis/diagnosis/diagnose.ts';
import { readDeployment, overviewOf, findRollbackTarget } from '../../src/analysis/index.ts';

const before = {
  state: 'DEPLOYED',
  deployment_request_id: 'old',
  deployment_requests_count: 4,
  last_deployment_date: '2026-11-20T10:00:00Z',
};

describe('a status after a request', () => {
  test.each([
    ['DEPLOY', 'DEPLOYED', 'good'],
    ['DEPLOY', 'RUNNING', 'good'],
    ['DEPLOY', 'BUILD_ERROR', 'bad'],
    ['DEPLOY', 'CANCELED', 'bad'],
    ['DEPLOY', 'STOPPED', 'bad'],
    ['DEPLOY', 'BUILDING', 'moving'],
    ['DEPLOY', 'SOMETHING_NEW', 'moving'],
    ['DEPLOY', 'NEW_KIND_OF_ERROR', 'bad'],
    ['RESTART', 'RESTARTED', 'good'],
    ['RESTART', 'RESTART_ERROR', 'bad'],
    ['STOP', 'STOPPED', 'good'],
    ['STOP', 'STOP_ERROR', 'bad'],
    ['STOP', 'DEPLOYED', 'moving'],
    ['DELETE', 'DELETED', 'good'],
    ['DELETE', 'STOPPED', 'bad'],
  ] as const)('to %s that says %s is %s', (action, state, standing) => {
    expect(deploymentProgressOf({ action, deployment: 'new', before }, { state, deployment_request_id: 'new' })).toBe(
      standing,
    );
  });

  test('is stale while it speaks of the deployment from before, however good that ended', () => {
    expect(deploymentProgressOf({ action: 'DEPLOY', deployment: 'new', before }, before)).toBe('stale');
    expect(deploymentProgressOf({ action: 'DEPLOY', deployment: 'new' }, before)).toBe('stale');
  });

  test('is superseded when it speaks of a third one', () => {
    expect(
      deploymentProgressOf(
        { action: 'DEPLOY', deployment: 'new', before },
        { ...before, deployment_request_id: 'later' },
      ),
    ).toBe('superseded');
  });

  test('without ids is stale as long as nothing in it moved', () => {
    const { deployment_request_id: _, ...anonymous } = before;
    const asked = { action: 'DEPLOY', before: anonymous } as const;
    expect(deploymentProgressOf(asked, anonymous)).toBe('stale');
    expect(deploymentProgressOf(asked, { ...anonymous, state: 'DEPLOYING' })).toBe('moving');
    expect(deploymentProgressOf(asked, { ...anonymous, last_deployment_date: '2026-11-20T10:05:00Z' })).toBe('good');
  });

  test('is taken at its word where nothing can tell', () => {
    expect(deploymentProgressOf({ action: 'DEPLOY' }, { state: 'DEPLOYED' })).toBe('good');
    expect(deploymentProgressOf({ action: 'DEPLOY' }, {})).toBe('moving');
  });

  test('with words that only other platforms have is moving until its state is an end', () => {
    for (const state of ['EXECUTING', 'CANCELING', 'RECAP', 'UNKNOWN', 'SKIP', 'NEVER']) {
      expect(
        deploymentProgressOf({ action: 'DEPLOY', deployment: 'new', before }, { state, deployment_request_id: 'new' }),
        state,
      ).toBe('moving');
    }
  });

  test('that there never was a deployment is stale, whatever its state', () => {
    const never = { state: 'STOPPED', status_details: { action: 'UNKNOWN', status: 'NEVER' } } as const;
    for (const requested of [
      { action: 'DEPLOY', deployment: 'new' },
      { action: 'DEPLOY' },
      { action: 'STOP' },
    ] as const)
      expect(deploymentProgressOf(requested, never)).toBe('stale');
  });

  test.each([
    ['STOP', 'STOPPED', 'good'],
    ['UNINSTALL', 'DELETED', 'good'],
    ['UNINSTALL', 'DELETING', 'moving'],
    ['UNINSTALL', 'DELETE_ERROR', 'bad'],
    ['UNINSTALL', 'CANCELED', 'bad'],
    ['DEPLOY_DRY_RUN', 'DEPLOYED', 'good'],
    ['UNKNOWN', 'STOPPED', 'bad'],
  ])(
    'knows better what the deployment does (%s, %s is %s) than whoever only heard of it',
    (action, state, standing) => {
      const status = { state, deployment_request_id: 'new', status_details: { action } } as never;
      expect(deploymentProgressOf({ action: 'DEPLOY', deployment: 'new', isHearsay: true }, status)).toBe(standing);
    },
  );

  test('is judged by what was asked for, by whoever asked for it', () => {
    expect(
      deploymentProgressOf(
        { action: 'DEPLOY', deployment: 'new' },
        { state: 'STOPPED', deployment_request_id: 'new', status_details: { action: 'STOP' } },
      ),
    ).toBe('bad');
  });
});

const rowOf = (action: string, state: string, commit: string) => ({
  status: state,
  status_details: { action },
  identifier: { execution_id: commit },
  details: { commit: { git_commit_id: commit.repeat(40) } },
});

describe('a row of a history', () => {
  test.each([
    ['UNINSTALL', 'DELETED', undefined, 'good'],
    ['UNINSTALL', 'STOPPED', 'SUCCESS', 'good'],
    ['DEPLOY_DRY_RUN', 'DEPLOYED', undefined, 'good'],
    ['DELETE_RESOURCES_ONLY', 'DELETE_ERROR', undefined, 'bad'],
    ['DEPLOY', 'EXECUTING', 'EXECUTING', undefined],
    ['DEPLOY', 'CANCELING', 'CANCELING', undefined],
    ['DEPLOY', 'RECAP', 'SKIP', undefined],
    ['DEPLOY', undefined, 'CANCEL', 'bad'],
    ['DEPLOY', undefined, 'NEVER', undefined],
    ['toString', 'DEPLOYED', undefined, 'good'],
  ])('of a %s that is %s, %s ended %s', (action, state, status, end) => {
    expect(readDeployment({ status: state, status_details: { action, status } })).toMatchObject({
      action,
      ...(end !== undefined && { end }),
    });
    expect(readDeployment({ status: state, status_details: { action, status } }).end).toBe(end);
  });

  test('that tells no action is taken for a deployment', () => {
    for (const details of [{ action: 'UNKNOWN' }, {}, null])
      expect(readDeployment({ status: 'DEPLOYED', status_details: details })).toMatchObject({
        action: 'DEPLOY',
        end: 'good',
      });
  });

  test('of an uninstall is nothing to roll back to, and no failure', () => {
    const history = [
      rowOf('DEPLOY', 'DEPLOYMENT_ERROR', 'c'),
      rowOf('UNINSTALL', 'DELETED', 'b'),
      rowOf('DEPLOY', 'DEPLOYED', 'a'),
    ];
    expect(findRollbackTarget(history.map(readDeployment))).toMatchObject({
      kind: 'found',
      to: { commit: 'a'.repeat(40) },
    });
    const gone = [rowOf('UNINSTALL', 'DELETED', 'b'), ...history];
    const evidence = {
      service: { kind: 'application', id: 's', name: 's' },
      history: gone,
      status: { state: 'DELETED' },
      lines: [],
    } as never;
    expect(diagnose(evidence)).toMatchObject({ outcome: 'failed', deployment: { id: 'c' } });
    expect(
      diagnose({ ...(evidence as object), history: gone.filter((row) => row !== history[0]) } as never),
    ).toMatchObject({ outcome: 'succeeded' });
  });

  test('with a skipped step has no step that failed', () => {
    const status = {
      state: 'DEPLOYED',
      deployment_request_id: 'a',
      steps: {
        details: [
          { step_name: 'BUILD', status: 'SKIP' },
          { step_name: 'DEPLOYMENT', status: 'SUCCESS' },
        ],
      },
    };
    expect(
      diagnose({ service: { kind: 'application', id: 's', name: 's' }, history: [], status, lines: [] }),
    ).toMatchObject({ outcome: 'succeeded' });
    const [shown] = overviewOf([
      { id: 's', name: 's', kind: 'application', status: { ...status, state: 'BUILD_ERROR' } },
    ]).services;
    expect(shown?.reason).toBe('its build failed');
  });
});
