import { describe, expect, test } from 'vitest';
import { lateRunOf, lateRunText, type LateRun } from '../../src/analysis/due-run.ts';
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
}

const item = (at: string, { origin = 'API', by = 'ada', action = 'DEPLOY', status = 'DEPLOYED', own }: Past = {}) =>
  readDeployment({
    status,
    auditing_data: { created_at: at, triggered_by: by, ...(origin !== '' && { origin }) },
    details: own === true ? { arguments: ['again'] } : {},
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

  test('is none of a job that was stopped then, or that was changed and deployed since', () => {
    const stop = item('2026-05-01T20:00:00Z', { action: 'STOP', status: 'STOPPED' });
    const start = item('2026-05-02T07:00:00Z');
    expect(lateRunOf({ configuration, history: [start, stop, first] }, now)).toBeUndefined();
    const changed = { ...configuration, updated_at: '2026-05-02T06:00:00Z' };
    expect(lateRunOf({ configuration: changed, history: [start, first] }, now)).toBeUndefined();
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
