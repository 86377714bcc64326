import { expect, test } from 'vitest';
import { readDeployment, servingOf, servingText } from '../../src/analysis/index.ts';
import { at, deployment } from './evidence.ts';

const good = readDeployment(
  deployment({
    id: 'good',
    minute: 5,
    status: 'DEPLOYED',
    details: { image: { image_name: 'web', tag: '1.2' } },
    status_details: { action: 'DEPLOY' },
  }),
);
const stopped = readDeployment(
  deployment({ id: 'stop', minute: 9, status: 'STOPPED', status_details: { action: 'STOP', status: 'SUCCESS' } }),
);

const text = (state: string, history = [good]): string | undefined =>
  servingText(
    servingOf({
      kind: 'container',
      status: { state },
      configuration: { min_running_instances: 1, max_running_instances: 1 },
      history,
    }),
  );

test.each([
  ['DELETING', 'perhaps nothing: it is being deleted; before: 1.2'],
  ['STOPPING', 'perhaps nothing: it is being stopped; before: 1.2'],
  ['DELETE_QUEUED', `1.2, 1 instance, since ${at(8)}, until it is deleted`],
  ['WAITING_DELETING', `1.2, 1 instance, since ${at(8)}, until it is deleted`],
  ['STOP_QUEUED', `1.2, 1 instance, since ${at(8)}, until it is stopped`],
  ['DEPLOYING', `1.2, 1 instance, since ${at(8)}`],
])('of what is %s, it is told what may still serve', (state, expected) => {
  expect(text(state)).toBe(expected);
});

test('of what was stopped before it is deleted, nothing serves', () => {
  expect(text('DELETING', [stopped, good])).toBe('nothing');
  expect(servingText(servingOf({ kind: 'container', status: { state: 'DELETING' } }))).toBe(
    'perhaps nothing: it is being deleted',
  );
});
