import { describe, expect, test } from 'vitest';
import { lateRunOf, lateRunText, nextRunOf, nextRunText, type LateRun } from '../../src/analysis/due-run.ts';
import { readDeployment } from '../../src/analysis/index.ts';

const now = Date.parse('2026-05-02T12:00:00Z');
const due = '2026-05-02T03:00:00.000Z';
const configuration = {
  updated_at: '2026-04-01T00:00:00Z',
  schedule: { cronjob: { scheduled_at: '0 3 * * *', timezone: 'Etc/UTC' } },
};

interface Past {
  readonly origin?: string;
  readonly by?: string;
  readonly action?: string;
  readonly status?: string;
  readonly own?: boolean;
  /** The schedule of its version, if the history tells it. */
  readonly cron?: string;
}

const item = (
  at: string,
  { origin = 'API', by = 'ada', action = 'DEPLOY', status = 'DEPLOYED', own, cron }: Past = {},
) =>
  readDeployment({
    status,
    auditing_data: { created_at: at, triggered_by: by, ...(origin !== '' && { origin }) },
    details: {
      ...(own === true && { arguments: ['again'] }),
      ...(cron !== undefined && { schedule: { cronjob: { scheduled_at: cron, timezone: 'Etc/UTC' } } }),
    },
    status_details: { action },
  });

const first = item('2026-05-01T08:00:00Z');
const byClock = { origin: 'SERVICE_INTERNAL', by: 'schedule' };

/** What is late, of a job that was deployed the day before it was due. */
const lateWith = (...since: readonly ReturnType<typeof item>[]): LateRun | undefined =>
  lateRunOf({ configuration, history: [...since, first] }, now);

describe('a run that was due', () => {
  test('is missing if nothing ran since', () => {
    expect(lateWith()).toEqual({ due, is: 'missing', isAnyKnown: false });
  });

  test.each<[string, Past, LateRun['since']]>([
    [
      'a run with arguments of its own',
      { own: true },
      { kind: 'run on request', at: '2026-05-02T09:00:00Z', end: 'good' },
    ],
    ['what somebody asked for', {}, { kind: 'run or deployment on request', at: '2026-05-02T09:00:00Z', end: 'good' }],
    [
      'a token of the name of the schedule',
      { by: 'schedule' },
      { kind: 'run or deployment on request', at: '2026-05-02T09:00:00Z', end: 'good' },
    ],
    [
      'one that failed',
      { status: 'DEPLOYMENT_ERROR' },
      { kind: 'run or deployment on request', at: '2026-05-02T09:00:00Z', end: 'bad' },
    ],
    [
      'a restart',
      { action: 'RESTART', status: 'RESTARTED' },
      { kind: 'restart', at: '2026-05-02T09:00:00Z', end: 'good' },
    ],
    ['a repository', { origin: 'GIT' }, { kind: 'deployment', at: '2026-05-02T09:00:00Z', end: 'good' }],
  ])('stays missing after %s', (_, past, since) => {
    expect(lateWith(item('2026-05-02T09:00:00Z', past))).toEqual({ due, is: 'missing', isAnyKnown: false, since });
  });

  test('took place if one by the schedule began, also where somebody ran it later', () => {
    expect(lateWith(item('2026-05-02T03:00:01Z', byClock))).toBeUndefined();
    expect(lateWith(item('2026-05-02T09:00:00Z'), item('2026-05-02T03:00:01Z', byClock))).toBeUndefined();
    expect(lateWith(item('2026-05-02T03:00:20Z', { origin: 'SERVICE_INTERNAL', by: 'the cluster' }))).toBeUndefined();
    expect(lateWith(item('2026-05-02T03:00:01Z', { ...byClock, status: 'DEPLOYMENT_ERROR' }))).toMatchObject({
      is: 'failed',
    });
  });

  test('may have taken place where the origin of what ran is not told', () => {
    expect(lateWith(item('2026-05-02T03:01:00Z', { origin: '' }))).toBeUndefined();
    const late = lateWith(item('2026-05-02T09:00:00Z'), item('2026-05-02T08:00:00Z', { origin: '' }));
    expect(late).toMatchObject({ is: 'not told', since: { kind: 'not told', at: '2026-05-02T08:00:00Z' } });
  });

  test('is none of a job that was stopped then', () => {
    const stop = item('2026-05-01T20:00:00Z', { action: 'STOP', status: 'STOPPED' });
    const start = item('2026-05-02T07:00:00Z');
    expect(lateRunOf({ configuration, history: [start, stop, first] }, now)).toBeUndefined();
  });

  test('is not told where the job was changed and deployed since, unless a run by its schedule is known', () => {
    const changed = { ...configuration, updated_at: '2026-05-02T06:00:00Z' };
    const start = item('2026-05-02T07:00:00Z');
    const untold = { is: 'not told', until: '2026-05-02T07:00:00.000Z', isAnyKnown: false } as const;
    expect(lateRunOf({ configuration: changed, history: [start, first] }, now)).toEqual(untold);
    expect(lateRunText(untold)).toContain('2026-05-02T07:00:00.000Z');
    const byItself = item('2026-05-02T02:00:00Z', byClock);
    expect(lateRunOf({ configuration: changed, history: [start, byItself, first] }, now)).toBeUndefined();
    const run = item('2026-05-02T07:00:00Z', { own: true });
    expect(lateRunOf({ configuration: changed, history: [run, first] }, now)).toMatchObject({ is: 'missing' });
  });

  test('stays missing where a variable makes the job out of date, and is not told where the job itself was changed', () => {
    const status = { service_deployment_status: 'OUT_OF_DATE' } as const;
    const of = (updated_at: string | undefined) =>
      lateRunOf({ configuration: { ...configuration, updated_at }, status, history: [first] }, now);
    expect(of('2026-05-01T07:59:00Z')).toEqual({ due, is: 'missing', isAnyKnown: false });
    const untold = { due, is: 'not told', isChanged: true, isAnyKnown: false } as const;
    expect(of('2026-05-01T09:00:00Z')).toEqual(untold);
    expect(of(undefined)).toEqual(untold);
    expect(lateRunText(untold)).not.toBe(lateRunText({ due, is: 'not told', isAnyKnown: false }));
    const failed = item('2026-05-02T03:00:01Z', { ...byClock, status: 'DEPLOYMENT_ERROR' });
    const changed = { ...configuration, updated_at: '2026-05-02T09:00:00Z' };
    expect(lateRunOf({ configuration: changed, status, history: [failed, first] }, now)).toMatchObject({
      is: 'failed',
    });
  });

  test('is told with what ran instead, and whether its history has any by the schedule', () => {
    const text = lateRunText(lateWith(item('2026-05-02T09:00:00Z'))!);
    expect(text).toContain(due);
    expect(text).toContain('2026-05-02T09:00:00Z');
    const earlier = item('2026-05-01T03:00:00Z', byClock);
    const known = lateRunOf({ configuration, history: [item('2026-05-02T09:00:00Z'), first, earlier] }, now)!;
    expect(known).toMatchObject({ is: 'missing', isAnyKnown: true });
    expect(lateRunText(known)).not.toBe(text);
  });
});

describe('a run that was due by the schedule before', () => {
  const before = '0 3 * * *';
  const changed = {
    updated_at: '2026-05-02T06:00:00Z',
    schedule: { cronjob: { scheduled_at: '30 14 * * *', timezone: 'Etc/UTC' } },
  };
  const deployed = item('2026-05-02T07:00:00Z', { cron: '30 14 * * *' });
  const old = item('2026-05-01T08:00:00Z', { cron: before });
  const of = (...history: readonly ReturnType<typeof item>[]) => lateRunOf({ configuration: changed, history }, now);

  test('stays missing when another one is deployed, until a run is due by that', () => {
    const late = of(deployed, old);
    expect(late).toEqual({
      due,
      is: 'missing',
      isAnyKnown: false,
      until: '2026-05-02T07:00:00.000Z',
      since: { kind: 'deployment', at: '2026-05-02T07:00:00Z', end: 'good' },
    });
    expect(lateRunText(late!)).toContain('2026-05-02T07:00:00.000Z');
    const later = Date.parse('2026-05-02T15:00:00Z');
    const known = lateRunOf({ configuration: changed, history: [deployed, old] }, later);
    expect(known).toMatchObject({ due: '2026-05-02T14:30:00.000Z', is: 'missing' });
    expect(known).not.toHaveProperty('until');
  });

  test('took place if one by that schedule began', () => {
    expect(of(deployed, item('2026-05-02T03:00:02Z', { ...byClock, cron: before }), old)).toBeUndefined();
    const unnamed = item('2026-05-02T03:00:20Z', { origin: 'SERVICE_INTERNAL', by: 'the cluster', cron: before });
    expect(of(deployed, unnamed, old)).toBeUndefined();
  });

  test('is found behind several deployments, and not where the job was not deployed then', () => {
    const between = item('2026-05-02T06:30:00Z', { cron: '0 13 * * *' });
    expect(of(deployed, between, old)).toMatchObject({ due, until: '2026-05-02T06:30:00.000Z' });
    expect(of(deployed, item('2026-05-02T04:00:00Z', { cron: before }))).toBeUndefined();
    expect(of(deployed)).toBeUndefined();
  });

  test('is told where the change is not deployed, or its deployment failed', () => {
    const status = { service_deployment_status: 'OUT_OF_DATE' } as const;
    const missing = { due, is: 'missing', isAnyKnown: false };
    expect(lateRunOf({ configuration: changed, status, history: [old] }, now)).toEqual(missing);
    const failed = item('2026-05-02T07:00:00Z', { status: 'DEPLOYMENT_ERROR', cron: '30 14 * * *' });
    expect(lateRunOf({ configuration: changed, status, history: [failed, old] }, now)).toMatchObject(missing);
  });
});

const status = (freshness: 'UP_TO_DATE' | 'OUT_OF_DATE' | 'NEVER_DEPLOYED', state = 'DEPLOYED') => ({
  state,
  service_deployment_status: freshness,
});

describe('the next run', () => {
  const next = '2026-05-03T03:00:00.000Z';

  test('is due by the schedule that is deployed', () => {
    expect(nextRunOf({ configuration, status: status('UP_TO_DATE'), history: [first] }, now)).toEqual({
      is: 'due',
      due: next,
    });
    expect(nextRunOf({ configuration, status: status('UP_TO_DATE'), history: [] }, now)).toMatchObject({ due: next });
    const changed = { ...configuration, updated_at: '2026-05-02T09:00:00Z' };
    const other = item('2026-05-01T08:00:00Z', { cron: '0 20 * * *' });
    const both = nextRunOf({ configuration: changed, status: status('OUT_OF_DATE'), history: [other] }, now)!;
    expect(both).toEqual({ is: 'due', due: '2026-05-02T20:00:00.000Z', configured: next });
    expect(nextRunText(both)).toMatch(/2026-05-02T20:00.*2026-05-03T03:00/);
  });

  test('is told with a time zone of its own', () => {
    const cronjob = { scheduled_at: '0 3 * * *', timezone: 'America/New_York' };
    const inNewYork = { ...configuration, schedule: { cronjob } };
    expect(nextRunOf({ configuration: inNewYork, status: status('UP_TO_DATE'), history: [first] }, now)).toEqual({
      is: 'due',
      due: '2026-05-03T07:00:00.000Z',
    });
  });

  test('is none of what was not deployed or is stopped, and not known where another schedule may be in force', () => {
    const changed = { ...configuration, updated_at: '2026-05-02T09:00:00Z' };
    const all = [
      nextRunOf({ configuration, status: status('NEVER_DEPLOYED', 'READY'), history: [] }, now),
      nextRunOf({ configuration, status: status('UP_TO_DATE', 'STOPPED'), history: [first] }, now),
      nextRunOf({ configuration: changed, status: status('OUT_OF_DATE'), history: [first] }, now),
      nextRunOf({ configuration, status: status('OUT_OF_DATE'), history: [] }, now),
    ];
    expect(all).toEqual([
      { is: 'none', why: 'never deployed' },
      { is: 'none', why: 'stopped' },
      { is: 'not told', why: 'changed', configured: next },
      { is: 'not told', why: 'no deployment', configured: next },
    ]);
    expect(new Set(all.map((one) => nextRunText(one!))).size).toBe(all.length);
    expect(nextRunOf({ configuration: { schedule: { on_start: {} } }, history: [first] }, now)).toBeUndefined();
  });
});
