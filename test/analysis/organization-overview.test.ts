import { expect, test } from 'vitest';
import { condition } from '../../src/contract/index.ts';
import {
  organizationOverviewOf,
  overviewOf,
  unusableNamed,
  whyUnusable,
  type WatchedEnvironment,
  type WatchedService,
} from '../../src/analysis/index.ts';

const service = (name: string, state: string, freshness = 'UP_TO_DATE', running = {}): WatchedService => ({
  id: name,
  name,
  kind: 'application',
  status: { state, service_deployment_status: freshness, last_deployment_date: '2026-05-01T10:00:00Z', running },
});

const place = (name: string, more: Partial<WatchedEnvironment> = {}): WatchedEnvironment => ({
  id: name,
  name,
  project: 'shop',
  mode: 'STAGING',
  services: [],
  ...more,
});

const rowOf = (more: Partial<WatchedEnvironment>) => organizationOverviewOf([place('one', more)]).environments[0]!;

test('an environment in which something was deployed was deployed', () => {
  const fresh = service('new', 'READY', 'NEVER_DEPLOYED');
  expect(rowOf({ services: [fresh] }).condition).toBe('never deployed');
  expect(rowOf({ services: [fresh, service('old', 'DEPLOYED')] })).toMatchObject({
    condition: 'healthy',
    what: 'never deployed: new',
  });
});

test('what was stopped before any deployment of it succeeded is told from what was stopped while it ran', () => {
  const [halted, ran] = [service('importer', 'STOPPED', 'NEVER_DEPLOYED'), service('api', 'STOPPED')];
  const { services, counts } = overviewOf([ran, halted]);
  expect(services).toMatchObject([
    { name: 'importer', condition: 'never succeeded' },
    { name: 'api', condition: 'stopped' },
  ]);
  expect(counts).toEqual({ 'never succeeded': 1, stopped: 1 });
  const row = rowOf({ services: [ran, halted, service('web', 'DEPLOYED', 'OUT_OF_DATE')] });
  expect(row).toMatchObject({
    condition: 'never succeeded',
    what: expect.stringMatching(/^never succeeded: importer; /),
  });
  expect(row).not.toHaveProperty('since');
  // Stopped as a whole, it is still both.
  expect(rowOf({ services: [ran, halted] }).what).toMatch(/^never succeeded: importer; stopped: all 2 since /);
  const status = { state: 'STOPPED', deployment_status: 'NEVER_DEPLOYED' };
  expect(rowOf({ services: undefined, status }).condition).toBe('never succeeded');
  expect(rowOf({ services: [service('api', 'STOPPED', 'OUT_OF_DATE')] }).condition).toBe('stopped');
});

test('every condition of a service shows, in its own row and in that of its environment', () => {
  const broken = service('api', 'DEPLOYMENT_ERROR', 'OUT_OF_DATE', { instances: 0, wanted_instances: 2 });
  expect(overviewOf([broken]).services[0]).toMatchObject({
    condition: 'failed',
    besides: ['unavailable', 'out of date'],
  });
  expect(rowOf({ services: [broken], alerts: [{ name: 'slow', state: 'NOTIFIED' }] })).toMatchObject({
    condition: 'failed',
    what: 'failed: api; unavailable: api; alerting: slow; out of date: api',
  });
  expect(overviewOf([service('web', 'DEPLOYING', 'OUT_OF_DATE')]).services[0]).not.toHaveProperty('besides');
});

test('a job that is overdue and out of date is both, and one that may be overdue keeps its condition', () => {
  const changed = service('report', 'DEPLOYED', 'OUT_OF_DATE');
  const withLate = (of: typeof changed, isKnown: boolean) =>
    overviewOf([{ ...of, late: { text: 'a run was due', isKnown } }]).services[0];
  expect(withLate(changed, true)).toMatchObject({ condition: 'overdue', besides: ['out of date'] });
  expect(withLate(changed, false)).toMatchObject({ condition: 'out of date' });
  expect(withLate(changed, false)).not.toHaveProperty('besides');
  expect(withLate(service('report', 'DEPLOYMENT_ERROR'), true)).toMatchObject({
    condition: 'failed',
    besides: ['overdue'],
  });
});

test('an overdue job is so since its run was due, and who deployed it did not bring that about', () => {
  const due = '2026-05-02T03:00:00.000Z';
  const job = { ...service('report', 'DEPLOYED'), by: 'ada', late: { text: 'a run was due', isKnown: true, due } };
  expect(rowOf({ services: [job] })).toMatchObject({ condition: 'overdue', since: due, what: 'overdue: report' });
  expect(rowOf({ services: [job] })).not.toHaveProperty('by');
  const alerts = [{ name: 'late', state: 'NOTIFIED' }];
  expect(rowOf({ services: [job], alerts }).what).toBe('alerting: late; overdue: report since 2026-05-02T03:00Z');
});

const fourNames = (prefix: string): string[] =>
  Array.from({ length: 4 }, (_, index) => `${prefix}-with-a-long-name-${index}`);

test('a row that gets long leaves out names where there are most of them, and no condition', () => {
  const services = [
    ...fourNames('failed').map((name) => service(name, 'BUILD_ERROR')),
    ...fourNames('changed').map((name) => service(name, 'DEPLOYED', 'OUT_OF_DATE')),
    service('search', 'STOPPED'),
    service('new', 'READY', 'NEVER_DEPLOYED'),
  ];
  expect(rowOf({ services, lock: {} }).what).toBe(
    'failed: failed-with-a-long-name-0, failed-with-a-long-name-1 and 2 more; ' +
      'out of date: changed-with-a-long-name-0, changed-with-a-long-name-1 and 2 more; ' +
      'locked: its cluster is locked; stopped: search since 2026-05-01T10:00Z; never deployed: new',
  );
  expect(rowOf({ services: services.slice(4) }).what).toBe(
    'out of date: changed-with-a-long-name-0, changed-with-a-long-name-1, changed-with-a-long-name-2 and 1 more; ' +
      'stopped: search since 2026-05-01T10:00Z; never deployed: new',
  );
  const crowded = {
    services: [...services, service('down', 'UNAVAILABLE'), service('x'.repeat(300), 'CANCELED')],
    alerts: [{ name: 'y'.repeat(300), state: 'NOTIFIED' }],
    lock: { until: '2026-05-04T00:00:00Z' },
  };
  expect(rowOf(crowded).what).toBe(
    'failed: failed-with-a-long-name-0 and 3 more; unavailable: down; alerting: 1; ' +
      'canceled: 1 since 2026-05-01T10:00Z; out of date: 4; ' +
      'locked: its cluster is locked until 2026-05-04T00:00:00Z; stopped: search since 2026-05-01T10:00Z; never deployed: new',
  );
  expect(rowOf({ services: [service('a'.repeat(300), 'BUILD_ERROR')] }).what).toMatch(/^failed: a{90,}…$/);
});

test('a row says since when its condition holds, and who brought it about', () => {
  expect(rowOf({ services: [service('api', 'DEPLOYMENT_ERROR')] })).toMatchObject({ since: '2026-05-01T10:00:00Z' });
  expect(rowOf({ services: [service('api', 'DEPLOYED', 'OUT_OF_DATE')] })).not.toHaveProperty('since');
  expect(
    rowOf({
      alerts: [
        { name: 'late', state: 'NOTIFIED', since: '2026-05-02T00:00:00Z' },
        { name: 'early', state: 'UNROUTED', since: '2026-05-01T00:00:00Z' },
      ],
    }),
  ).toMatchObject({ condition: 'alerting', since: '2026-05-01T00:00:00Z' });
  const lock = { since: '2026-05-03T00:00:00Z', until: '2026-05-04T00:00:00Z', by: 'ann' };
  expect(rowOf({ lock })).toMatchObject({ condition: 'locked', since: lock.since, by: 'ann' });
});

test('a row says who asked for the deployment that a condition began with, and of no other', () => {
  const by = (name: string, state: string, who: string, at: string): WatchedService => {
    const one = service(name, state);
    return { ...one, by: who, status: { ...one.status, last_deployment_date: at } };
  };
  const failed = [
    by('later', 'BUILD_ERROR', 'bo', '2026-05-02T00:00:00Z'),
    by('api', 'BUILD_ERROR', 'ann', '2026-05-01T00:00:00Z'),
    by('healthy', 'DEPLOYED', 'cy', '2026-04-01T00:00:00Z'),
  ];
  expect(rowOf({ services: failed })).toMatchObject({ since: '2026-05-01T00:00:00Z', by: 'ann' });
  const outdated = { ...service('api', 'DEPLOYED', 'OUT_OF_DATE'), by: 'ann' };
  expect(rowOf({ services: [outdated] })).not.toHaveProperty('by');
  const status = { state: 'STOPPED', triggered_by: 'ann', last_deployment_date: '2026-05-01T00:00:00Z' };
  expect(rowOf({ services: undefined, status })).toMatchObject({ condition: 'stopped', by: 'ann' });
});

test('projects are ordered by the worst condition, those in production first, then by how many have it', () => {
  const failed = (project: string, name: string, mode = 'STAGING') =>
    place(name, { project, mode, services: [service('api', 'DEPLOYMENT_ERROR')] });
  const { projects } = organizationOverviewOf([
    failed('few', 'a'),
    failed('many', 'a'),
    failed('many', 'b'),
    failed('vital', 'live', 'PRODUCTION'),
    place('a', { project: 'a-fine-one', services: [service('api', 'DEPLOYED')] }),
  ]);
  expect(projects.map(({ project }) => project)).toEqual(['vital', 'many', 'few', 'a-fine-one']);
});

test.each([
  [{ status: 'INVALID_CREDENTIALS' as const }, true],
  [{ status: 'STOPPED' as const }, true],
  [{ status: 'DEPLOYED' as const, conditions: [condition('NODES_UNREADABLE', { said: 'timed out' })] }, true],
  [{ status: 'DEPLOYED' as const }, false],
  [{ status: 'DEPLOYING' as const }, false],
  [{}, false],
])('whether nothing can run on the cluster %j', (cluster, isUnusable) => {
  expect(whyUnusable(cluster) !== undefined).toBe(isUnusable);
  const why = whyUnusable(cluster);
  expect(rowOf({ clusterTrouble: why }).condition).toBe(isUnusable ? 'unusable cluster' : 'no services');
});

test('every further condition of a row says since when it holds, if that is known', () => {
  const importer = { name: 'importer-down', state: 'NOTIFIED', since: '2026-05-02T03:04:05.678Z' };
  const failed = service('importer', 'DEPLOYMENT_ERROR');
  expect(rowOf({ services: [failed, service('old', 'DEPLOYED', 'OUT_OF_DATE')], alerts: [importer] })).toMatchObject({
    condition: 'failed',
    since: '2026-05-01T10:00:00Z',
    what: 'failed: importer; alerting: importer-down since 2026-05-02T03:04Z; out of date: old',
  });
  const untold = { name: 'slow', state: 'NOTIFIED' };
  const alerts = [importer, untold, { ...importer, name: 'disk', state: 'UNROUTED' }];
  expect(rowOf({ alerts }).what).toBe(
    'alerting: importer-down since 2026-05-02T03:04Z, slow, disk (UNROUTED: nobody is told) since 2026-05-02T03:04Z',
  );
  expect(rowOf({ services: [failed], lock: { since: '2026-05-03T00:00:00Z' } }).what).toContain(
    'locked: its cluster is locked since 2026-05-03T00:00Z',
  );
});

test('a cluster that cannot be reached says since when, and one without credentials does not', () => {
  const since = '2026-05-04T00:00:00Z';
  const found = { reason: 'CLUSTER_UNREACHABLE' as const, message: 'timed out' };
  expect(unusableNamed({ name: 'main', conditions: [{ ...found, since }] })).toEqual([
    `main: it can not be reached: timed out, since ${since}`,
  ]);
  for (const cluster of [{ conditions: [found] }, { status: 'INVALID_CREDENTIALS' as const }])
    expect(unusableNamed(cluster)).toEqual([expect.stringMatching(/, since when is not told$/) as string]);
  expect(unusableNamed({ status: 'DEPLOYED' })).toEqual([]);
});
