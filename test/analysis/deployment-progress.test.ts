import { describe, expect, test } from 'vitest';
import { deploymentProgressOf } from '../../src/analysis/deployment-progress.ts';

const before = { state: 'DEPLOYED', deployment_request_id: 'old', deployment_requests_count: 4, last_deployment_date: '2026-11-20T10:00:00Z' };

describe('a status after a request', () => {
  test.each([
    ['DEPLOY', 'DEPLOYED', 'good'], ['DEPLOY', 'RUNNING', 'good'], ['DEPLOY', 'BUILD_ERROR', 'bad'], ['DEPLOY', 'CANCELED', 'bad'], ['DEPLOY', 'STOPPED', 'bad'],
    ['DEPLOY', 'BUILDING', 'moving'], ['DEPLOY', 'SOMETHING_NEW', 'moving'], ['DEPLOY', 'NEW_KIND_OF_ERROR', 'bad'],
    ['RESTART', 'RESTARTED', 'good'], ['RESTART', 'RESTART_ERROR', 'bad'],
    ['STOP', 'STOPPED', 'good'], ['STOP', 'STOP_ERROR', 'bad'], ['STOP', 'DEPLOYED', 'moving'],
    ['DELETE', 'DELETED', 'good'], ['DELETE', 'STOPPED', 'bad'],
  ] as const)('to %s that says %s is %s', (action, state, standing) => {
    expect(deploymentProgressOf({ action, deployment: 'new', before }, { state, deployment_request_id: 'new' })).toBe(standing);
  });

  test('is stale while it speaks of the deployment from before, however good that ended', () => {
    expect(deploymentProgressOf({ action: 'DEPLOY', deployment: 'new', before }, before)).toBe('stale');
    expect(deploymentProgressOf({ action: 'DEPLOY', deployment: 'new' }, before)).toBe('stale');
  });

  test('is superseded when it speaks of a third one', () => {
    expect(deploymentProgressOf({ action: 'DEPLOY', deployment: 'new', before }, { ...before, deployment_request_id: 'later' })).toBe('superseded');
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
});
