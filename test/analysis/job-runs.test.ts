import { expect, test } from 'vitest';
import { readDeployment, runKindsOf, type RunKind } from '../../src/analysis/index.ts';

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
