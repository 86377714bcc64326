import { expect, test } from 'vitest';
import { readDeployment, runByDeployment, runKindsOf, type RunKind } from '../../src/analysis/index.ts';

/** The kinds of items, newest first, each as `origin by action status version`. */
const kindsOf = (items: readonly string[], beganWhenDue = false): readonly RunKind[] =>
  runKindsOf(
    items.map((words) => {
      const [origin, by, action, status, version] = words.split(' ');
      return readDeployment({
        status,
        auditing_data: { triggered_by: by, ...(origin !== '-' && { origin }) },
        details: { image: { image_name: 'report', tag: version } },
        status_details: action === '-' ? {} : { action },
      });
    }),
    () => beganWhenDue,
  );

test('an item is told by its action, its origin and its version', () => {
  expect(
    kindsOf([
      'SERVICE_INTERNAL schedule DEPLOY DEPLOYED 2',
      'API ada DEPLOY DEPLOYED 2',
      'API ada DEPLOY DEPLOYED 2',
      'CONSOLE ada DEPLOY DEPLOYMENT_ERROR 2',
      'API ada DEPLOY DEPLOYED 1',
      'GIT bot DEPLOY DEPLOYED 1',
      'SERVICE_INTERNAL timetable DEPLOY DEPLOYED 1',
      'API ada DEPLOY DEPLOYED 1',
      'SERVICE_INTERNAL timetable STOP STOPPED 1',
      'API ada RESTART RESTARTED 1',
      'API ada - STOPPED 1',
      'API ada DELETE DELETED 1',
      '- ada DEPLOY DEPLOYED 1',
      'SERVICE_INTERNAL somebody DEPLOY DEPLOYED 1',
      'API ada DRY_RUN DEPLOYED 1',
    ]),
  ).toEqual([
    'by schedule',
    'run or deployment on request',
    'deployment',
    'deployment',
    'run or deployment on request',
    'deployment',
    'deployment',
    'deployment',
    'stop',
    'restart',
    'stop',
    'deletion',
    'not told',
    'not told',
    'not told',
  ]);
});

test('what a platform begins by itself when a run is due is by the schedule, whatever its word for it', () => {
  const item = ['SERVICE_INTERNAL somebody DEPLOY DEPLOYED 1'];
  expect([kindsOf(item, true), kindsOf(item)]).toEqual([['by schedule'], ['not told']]);
  expect(kindsOf(['- somebody DEPLOY DEPLOYED 1'], true)).toEqual(['not told']);
});

const at = (created_at: string, cron: string, steps: readonly string[], origin = 'API') =>
  readDeployment({
    status: 'DEPLOYED',
    auditing_data: { created_at, triggered_by: 'ada', origin },
    details: { schedule: { cronjob: { scheduled_at: cron, timezone: 'Etc/UTC' } } },
    status_details: { action: 'DEPLOY' },
    steps: steps.map((step_name) => ({ step_name, status: 'SUCCESS', duration_sec: 1 })),
  });

test('what brings another schedule is a deployment', () => {
  const history = [at('2026-05-02T00:00:00Z', '0 4 * * *', []), at('2026-05-01T00:00:00Z', '0 3 * * *', [])];
  expect(runKindsOf(history, () => false)).toEqual(['deployment', 'run or deployment on request']);
});

test('whether deployments run a job is what the newest showed that is surely one, and the first ever is', () => {
  const [ran, not] = [['DEPLOYMENT_QUEUEING', 'EXECUTING'], ['DEPLOYMENT_QUEUEING']];
  const [first, byGit] = [
    at('2026-05-01T00:00:00Z', '0 3 * * *', ran),
    at('2026-05-02T00:00:00Z', '0 3 * * *', not, 'GIT'),
  ];
  const onRequest = at('2026-05-03T00:00:00Z', '0 3 * * *', ran);
  expect(runByDeployment([onRequest, byGit, first], true)).toEqual({ ran: false, at: '2026-05-02T00:00:00Z' });
  expect(runByDeployment([onRequest, first], true)).toEqual({ ran: true, at: '2026-05-01T00:00:00Z' });
  expect(runByDeployment([onRequest, first], false)).toBeUndefined();
  expect(runByDeployment([], true)).toBeUndefined();
});
