import { describe, expect, test } from 'vitest';
import { serviceKinds } from '../../../src/contract/index.ts';
import { DeploymentAction, DeploymentState, terminalOutcome } from '../../../src/contract/states.ts';
import {
  aggregate,
  aggregateOrder,
  isSettled,
  nextVersion,
  statePathOf,
  diagramOf,
  transitionsOf,
} from '../../../src/platform/engine/lifecycle.ts';
import { simulatedDuration } from '../../../src/platform/runtime/simulated/index.ts';

describe('the paths', () => {
  const paths = serviceKinds.flatMap((kind) => DeploymentAction.options.map((action) => [kind, action] as const));

  test.each(paths)('of %s for %s end well and fail badly, as the contract counts', (kind, action) => {
    const path = statePathOf(kind, action);
    expect(terminalOutcome(action, path.end)).toBe('good');
    for (const { state, onFailure } of path.phases) {
      expect(terminalOutcome(action, onFailure)).toBe('bad');
      expect([isSettled(state), isSettled(onFailure)]).toEqual([false, true]);
    }
    expect([isSettled(path.queued), isSettled(path.waiting), isSettled(path.end)]).toEqual([false, false, true]);
  });

  test.each(serviceKinds)('of %s lead from every state of theirs to rest', (kind) => {
    const arrows = transitionsOf(kind);
    const moving = new Set(arrows.map(({ to }) => to).filter((state) => !isSettled(state)));
    for (const state of moving)
      expect(
        arrows.some(({ from }) => from === state),
        state,
      ).toBe(true);
    const reached = new Set<string>(['READY']);
    for (let before = -1; before !== reached.size;) {
      before = reached.size;
      for (const { from, to } of arrows) if (reached.has(from)) reached.add(to);
    }
    expect([...reached].toSorted()).toEqual([...new Set(['READY', ...arrows.map(({ to }) => to)])].toSorted());
  });
});

describe('the aggregate', () => {
  test('knows every state', () => {
    expect([...aggregateOrder].toSorted()).toEqual([...DeploymentState.options].toSorted());
  });

  test.each([
    [['DEPLOYED', 'READY'], 'DEPLOYED'],
    [['DEPLOYED', 'BUILDING', 'DEPLOYMENT_ERROR'], 'BUILDING'],
    [['DEPLOYED', 'DEPLOYMENT_ERROR', 'CANCELED'], 'DEPLOYMENT_ERROR'],
    [['WAITING_RUNNING', 'DEPLOYMENT_QUEUED', 'DEPLOYED'], 'DEPLOYMENT_QUEUED'],
    [['RESTARTED', 'DEPLOYED'], 'DEPLOYED'],
    [['STOPPED', 'READY'], 'STOPPED'],
    [[], 'READY'],
  ] as const)('of %j is %s', (states, expected) => {
    expect(aggregate(states)).toBe(expected);
  });
});

test('the diagram of a job', () => {
  expect(diagramOf('job', (step) => simulatedDuration('job', step).join('–').concat(' s'))).toMatchInlineSnapshot(`
    "stateDiagram-v2
      [*] --> READY: created
      READY --> DEPLOYMENT_QUEUED: DEPLOY requested
      DEPLOYED --> DEPLOYMENT_QUEUED: DEPLOY requested
      RESTARTED --> DEPLOYMENT_QUEUED: DEPLOY requested
      STOPPED --> DEPLOYMENT_QUEUED: DEPLOY requested
      CANCELED --> DEPLOYMENT_QUEUED: DEPLOY requested
      BUILD_ERROR --> DEPLOYMENT_QUEUED: DEPLOY requested
      DEPLOYMENT_ERROR --> DEPLOYMENT_QUEUED: DEPLOY requested
      RESTART_ERROR --> DEPLOYMENT_QUEUED: DEPLOY requested
      STOP_ERROR --> DEPLOYMENT_QUEUED: DEPLOY requested
      DELETE_ERROR --> DEPLOYMENT_QUEUED: DEPLOY requested
      DEPLOYMENT_QUEUED --> EXECUTING: turn came
      DEPLOYMENT_QUEUED --> WAITING_RUNNING: an earlier stage is to come first
      WAITING_RUNNING --> EXECUTING: earlier stages succeeded
      WAITING_RUNNING --> CANCELED: an earlier stage failed
      EXECUTING --> DEPLOYED: EXECUTING succeeded (3–8 s)
      EXECUTING --> DEPLOYMENT_ERROR: EXECUTING failed
      DEPLOYMENT_QUEUED --> CANCELING: cancel requested
      WAITING_RUNNING --> CANCELING: cancel requested
      EXECUTING --> CANCELING: cancel requested
      CANCELING --> CANCELED: canceled
      DEPLOYED --> RESTART_QUEUED: RESTART requested
      RESTARTED --> RESTART_QUEUED: RESTART requested
      CANCELED --> RESTART_QUEUED: RESTART requested
      BUILD_ERROR --> RESTART_QUEUED: RESTART requested
      DEPLOYMENT_ERROR --> RESTART_QUEUED: RESTART requested
      RESTART_ERROR --> RESTART_QUEUED: RESTART requested
      STOP_ERROR --> RESTART_QUEUED: RESTART requested
      DELETE_ERROR --> RESTART_QUEUED: RESTART requested
      RESTART_QUEUED --> RESTARTING: turn came
      RESTART_QUEUED --> WAITING_RESTARTING: an earlier stage is to come first
      WAITING_RESTARTING --> RESTARTING: earlier stages succeeded
      WAITING_RESTARTING --> CANCELED: an earlier stage failed
      RESTARTING --> RESTARTED: RESTART succeeded (3–6 s)
      RESTARTING --> RESTART_ERROR: RESTART failed
      RESTART_QUEUED --> CANCELING: cancel requested
      WAITING_RESTARTING --> CANCELING: cancel requested
      RESTARTING --> CANCELING: cancel requested
      READY --> STOP_QUEUED: STOP requested
      DEPLOYED --> STOP_QUEUED: STOP requested
      RESTARTED --> STOP_QUEUED: STOP requested
      STOPPED --> STOP_QUEUED: STOP requested
      CANCELED --> STOP_QUEUED: STOP requested
      BUILD_ERROR --> STOP_QUEUED: STOP requested
      DEPLOYMENT_ERROR --> STOP_QUEUED: STOP requested
      RESTART_ERROR --> STOP_QUEUED: STOP requested
      STOP_ERROR --> STOP_QUEUED: STOP requested
      DELETE_ERROR --> STOP_QUEUED: STOP requested
      STOP_QUEUED --> STOPPING: turn came
      STOP_QUEUED --> WAITING_STOPPING: an earlier stage is to come first
      WAITING_STOPPING --> STOPPING: earlier stages succeeded
      WAITING_STOPPING --> CANCELED: an earlier stage failed
      STOPPING --> STOPPED: STOP succeeded (2–5 s)
      STOPPING --> STOP_ERROR: STOP failed
      STOP_QUEUED --> CANCELING: cancel requested
      WAITING_STOPPING --> CANCELING: cancel requested
      STOPPING --> CANCELING: cancel requested
      READY --> DELETE_QUEUED: DELETE requested
      DEPLOYED --> DELETE_QUEUED: DELETE requested
      RESTARTED --> DELETE_QUEUED: DELETE requested
      STOPPED --> DELETE_QUEUED: DELETE requested
      CANCELED --> DELETE_QUEUED: DELETE requested
      DELETED --> DELETE_QUEUED: DELETE requested
      BUILD_ERROR --> DELETE_QUEUED: DELETE requested
      DEPLOYMENT_ERROR --> DELETE_QUEUED: DELETE requested
      RESTART_ERROR --> DELETE_QUEUED: DELETE requested
      STOP_ERROR --> DELETE_QUEUED: DELETE requested
      DELETE_ERROR --> DELETE_QUEUED: DELETE requested
      DELETE_QUEUED --> DELETING: turn came
      DELETE_QUEUED --> WAITING_DELETING: an earlier stage is to come first
      WAITING_DELETING --> DELETING: earlier stages succeeded
      WAITING_DELETING --> CANCELED: an earlier stage failed
      DELETING --> DELETED: STOP succeeded (2–5 s)
      DELETING --> DELETE_ERROR: STOP failed
      DELETE_QUEUED --> CANCELING: cancel requested
      WAITING_DELETING --> CANCELING: cancel requested
      DELETING --> CANCELING: cancel requested"
  `);
});

test.each([
  ['1.32', '1.33'],
  ['v1.30.4', '1.31'],
  ['1.35', null],
  ['latest', null],
])('the version after %s is %s', (version, next) => {
  expect(nextVersion(version)).toBe(next);
});
