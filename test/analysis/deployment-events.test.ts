import { describe, expect, test } from 'vitest';
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

test('a restoration is told as one, with the backup, also where only the request has it', () => {
  const database = { target_type: 'DATABASE', target_id: 'db', target_name: 'db' };
  const [told, failed, asked, earlier] = rows([
    event('DEPLOYED', 8, { ...database, ...of('a', { restored_from: 'nightly', state: 'DEPLOYED' }) }),
    event('TRIGGER_DEPLOY', 7, { ...database, ...of('a', { restored_from: 'nightly' }) }),
    event('DEPLOY_FAILED', 6, { ...database, ...of('b', { restored_from: 'nightly', state: 'DEPLOYMENT_ERROR' }) }),
    event('TRIGGER_DEPLOY', 5, { ...database, ...of('c', { restored_from: 'weekly' }) }),
    event('DEPLOYED', 4, { ...database, ...of('d', { state: 'DEPLOYED' }) }),
    event('TRIGGER_DEPLOY', 3, { ...database, ...of('d', { backup_id: 'b-1' }) }),
  ]);
  expect(told).toMatchObject({
    what: 'restored database',
    changes: expect.stringMatching(/restored_from: nightly; state/) as string,
  });
  expect(told!.changes!.match(/nightly/g)).toHaveLength(1);
  expect(failed).toMatchObject({ what: 'failed to restore database' });
  expect(asked).toMatchObject({
    what: 'asked to restore database',
    changes: expect.stringContaining('weekly') as string,
  });
  expect(earlier).toMatchObject({ what: 'restored database', changes: expect.stringContaining('b-1') as string });
});

describe('the deletion of an environment', () => {
  const environment = { target_type: 'ENVIRONMENT', target_id: 'e', target_name: 'live', environment_id: 'e' };
  const inIt = { environment_id: 'e' };
  const gone = (second: number, name: string, state = 'DELETED', type = 'DELETED') =>
    event(type, second, { ...inIt, ...of('d', { state }), target_id: name, target_name: name });

  test('is one row about the environment, with what was in it', () => {
    const told = rows([
      event('DELETED', 4, { ...environment, ...of('d') }),
      gone(3, 'web'),
      gone(2, 'api'),
      event('TRIGGER_DELETE', 1, { ...environment, ...of('d'), triggered_by: 'bob' }),
    ]);
    expect(told).toEqual([
      expect.objectContaining({ what: 'deleted environment', where: 'live', who: 'bob', at: '2026-05-01T10:00:04Z' }),
    ]);
    expect(told[0]!.changes).toMatch(/^web: DELETED; api: DELETED; begun /);
  });

  test('that fails in part says so', () => {
    const [told] = rows([
      event('DELETE_FAILED', 4, { ...environment, ...of('d') }),
      gone(3, 'web', 'DELETE_ERROR', 'DELETE_FAILED'),
      gone(2, 'api'),
      event('TRIGGER_DELETE', 1, { ...environment, ...of('d') }),
    ]);
    expect(told).toMatchObject({ what: 'failed to delete environment' });
    expect(told!.changes).toMatch(/^web: DELETE ERROR; api: DELETED/);
  });

  test('is one row where only its services have an end, and where only these are known', () => {
    const ends = [gone(3, 'web'), gone(2, 'api')];
    expect(rows([...ends, event('DELETE', 1, environment)])).toEqual([
      expect.objectContaining({ what: 'deleted environment', where: 'live' }),
    ]);
    expect(rows(ends)).toEqual([
      expect.objectContaining({ what: 'deleted 2 services', where: 'live', changes: 'web: DELETED; api: DELETED' }),
    ]);
    expect(rows([...ends, event('DELETE', 1, { ...environment, target_id: 'another' })])).toHaveLength(2);
  });
});

test('the deletion of a service is one row', () => {
  expect(rows([event('DELETED', 2), event('DELETE', 1)])).toEqual([
    expect.objectContaining({ what: 'deleted application', where: 'live/api' }),
  ]);
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
