import { expect, test } from 'vitest';
import { groupedByDeployment, tellEvent, tellGroup, type LenientEvent } from '../../src/analysis/index.ts';

const isSecret = (name: string): boolean => name === 'password';

const event = (event_type: string, second: number, more: Partial<LenientEvent> = {}): LenientEvent => ({
  event_type,
  timestamp: `2026-05-01T10:00:0${second}Z`,
  target_type: 'APPLICATION',
  target_id: 'api',
  target_name: 'api',
  environment_name: 'live',
  triggered_by: 'ann',
  ...more,
});

const rows = (events: readonly LenientEvent[]) =>
  groupedByDeployment(events).map((group) => tellGroup(group, isSecret));

const of = (deployment_id: string, more = {}) => ({ change: JSON.stringify({ deployment_id, ...more }) });

test('a deployment that is queued, started and finished is one row', () => {
  expect(
    rows([
      event('DEPLOYED', 4),
      event('DEPLOY_STARTED', 3),
      event('DEPLOY_QUEUED', 2),
      event('TRIGGER_DEPLOY', 1, { triggered_by: 'bob' }),
    ]),
  ).toEqual([expect.objectContaining({ at: '2026-05-01T10:00:04Z', who: 'bob', what: 'deployed application' })]);
});

test('two deployments of a service are two rows, and other changes between them rows of their own', () => {
  const told = rows([
    event('DEPLOY_FAILED', 6),
    event('TRIGGER_DEPLOY', 5),
    event('UPDATE', 4),
    event('DEPLOYED', 3),
    event('TRIGGER_REDEPLOY', 2),
    event('TRIGGER_STOP', 1),
  ]);
  expect(told.map(({ what }) => what)).toEqual([
    'failed to deploy application',
    'updated application',
    'deployed application',
    'asked to stop application',
  ]);
});

test('a deployment of several services is one row with the outcome of each', () => {
  const environment = { target_type: 'ENVIRONMENT', target_id: 'e', target_name: 'live' };
  const told = rows([
    event('DEPLOY_FAILED', 5, { ...of('d', { state: 'BUILD_ERROR' }), target_id: 'web', target_name: 'web' }),
    event('DEPLOYED', 4, of('other', { state: 'DEPLOYED' })),
    event('DEPLOYED', 3, of('d', { state: 'DEPLOYED' })),
    event('TRIGGER_DEPLOY', 2, { ...environment, ...of('d') }),
  ]);
  expect(told).toHaveLength(2);
  expect(told[0]).toMatchObject({ what: 'asked to deploy environment', where: 'live' });
  expect(told[0]!.changes).toMatch(/^web: BUILD ERROR; api: DEPLOYED; begun /);
});

test('no row has raw JSON, and none a secret', () => {
  const change = JSON.stringify({
    ports: [{ internal: 80, name: 'web' }],
    labels: { password: 'x-9', team: ['a', 'b'] },
  });
  expect(tellEvent(event('UPDATE', 1, { change }), isSecret).changes).toBe(
    'ports: (internal: 80, name: web); labels: password: hidden, team: (a, b)',
  );
  expect(tellEvent(event('UPDATE', 1, { change: '[{"a":1},"b"]' }), isSecret).changes).toBe('a: 1, b');
});
