import { expect, test } from 'vitest';
import { condition, type Condition, type DataOf } from '../../src/contract/index.ts';
import { diagnose } from '../../src/analysis/diagnosis/diagnose.ts';
import { deployment, failedDeployment } from './evidence.ts';

const since = '2026-11-20T10:20:00Z';
const waits = condition('WAITING_FOR_NODE', { node: 'node-2', since });
const lost = condition('LOST_WITH_NODE', { node: 'node-2', since });
const noneRuns = condition('INSTANCES_MISSING', { running: 0, wanted: 1, isKnown: true });
const gone = condition('NODE_GONE', { node: 'abc123' });

/** What the log of a service says of an instance that is lost. */
const isGone = (replacement: 'elsewhere' | 'waits for that node') =>
  condition('INSTANCE_LOST', { instance: 'api-1-abc', cause: lost, replacement });
const good = deployment({
  id: 'good',
  minute: 10,
  status: 'DEPLOYED',
  status_details: { action: 'DEPLOY', status: 'SUCCESS' },
});

/** The diagnosis of a service that was deployed well. @param conditions of what runs of it @param lines of its log */
const diagnosisOf = (
  state: string,
  conditions: readonly Condition[],
  lines: readonly Condition[],
  kind: 'container' | 'database' = 'container',
) =>
  diagnose({
    ...failedDeployment({ kind, lines }),
    history: [good],
    status: {
      deployment_request_id: 'good',
      state,
      running: {
        instances: 0,
        wanted_instances: 1,
        restarts: 1,
        warnings: conditions.map(({ message }) => message),
        conditions,
      },
    },
  });

test('a service that waits for a node that is down says which, and since when', () => {
  const { outcome, cause } = diagnosisOf('UNAVAILABLE', [noneRuns, waits], []);
  expect([outcome, cause.code, cause.sentence]).toEqual([
    'failed',
    'node_lost',
    `The node "node-2" of its cluster has been down since ${since} or earlier. It can run only there, and waits until that node is back.`,
  ]);
});

test('so does one whose instances are being started elsewhere', () => {
  const { cause } = diagnosisOf('UNAVAILABLE', [noneRuns], [isGone('elsewhere')]);
  expect(cause).toMatchObject({
    code: 'node_lost',
    sentence: expect.stringContaining('They are started on other nodes'),
  });
});

test('one that runs again has not failed', () => {
  expect(diagnosisOf('DEPLOYED', [condition('CRASHED', { times: 1, at: since, cause: lost })], []).cause.code).toBe(
    'none',
  );
});

test('where a node is bound to be used, it is not said that instances are started elsewhere', () => {
  const { cause } = diagnosisOf('UNAVAILABLE', [noneRuns], [isGone('waits for that node')]);
  expect([cause.code, cause.sentence]).toEqual([
    'node_lost',
    expect.stringMatching(/They can run only there, and wait until it is back\.$/),
  ]);
});

test.each([
  [undefined, 'shows how the rest stands and which alerts fire'],
  [{ owner_name: 'Bo' }, 'shows how the rest stands and which alerts fire: whether what it was locked for is over'],
])('a lock is only spoken of where there is one: %o', (lock, why) => {
  const status = {
    deployment_request_id: 'good',
    state: 'UNAVAILABLE',
    running: { warnings: [waits.message], conditions: [waits] },
  };
  const { next } = diagnose({
    ...failedDeployment(),
    history: [good],
    status,
    environment: { id: 'environment-1' },
    cluster: { id: 'cluster-1', lock },
  });
  expect(next.find(({ tool }) => tool === 'get_environment_overview')).toMatchObject({ why });
});

const ssd = { asked: 'node.labels.disk==ssd', label: 'disk', value: '' };
const misfit = (...lacking: DataOf<'NO_MATCHING_NODE'>['lacking']) => ({ asked: [ssd.asked], lacking });
const refused = condition('NO_MATCHING_NODE', {
  ...misfit({ node: 'node-1', lacks: [ssd] }, { node: 'node-2', lacks: [{ ...ssd, value: 'hdd' }] }),
  ending: 'refused',
});

test.each([refused, condition('RUNTIME_FAILED', { step: 'DEPLOYMENT', cause: refused })])(
  'a deployment that no node fits says what is asked for and what nodes lack: $reason',
  (told) => {
    const { cause, next } = diagnose(failedDeployment({ lines: [told] }));
    expect(cause).toMatchObject({
      code: 'no_fitting_node',
      confidence: 'high',
      sentence:
        'No node of the cluster is what the placement rules ask for: "node.labels.disk==ssd". What they lack: "node-1 has no label disk"; "node-2 has disk=hdd". It is not about room. Whoever runs the platform can label a node, or change the rules.',
    });
    expect(next[0]).toMatchObject({ tool: 'list_clusters' });
  },
);

test.each([7, 100])('of %i nodes it is told of the first what they lack, each as a whole', (count) => {
  const lacking = Array.from({ length: count }, (_, index) => ({
    node: `node-${index + 1}`,
    lacks: [ssd, { asked: 'node.role==worker' }],
  }));
  const { cause } = diagnose(failedDeployment({ lines: [condition('NO_MATCHING_NODE', misfit(...lacking))] }));
  expect(cause.sentence).toContain('"node-5 has no label disk and is not node.role==worker"; others too.');
});

test('where its storage is, is told with it', () => {
  const bound = { what: 'Its storage or its image', nodes: ['node-1'] };
  const { cause } = diagnose(
    failedDeployment({
      lines: [condition('NO_MATCHING_NODE', { ...misfit({ node: 'node-1', lacks: [ssd] }), bound })],
    }),
  );
  expect(cause.sentence).toContain(
    '"node-1 has no label disk". "Its storage or its image is on node-1, and nowhere else". It is not about room.',
  );
});

const backup = { name: 'nightly', at: '2026-11-20T03:00:00.000Z', node: 'node-1' };
const noBackup = condition('DATA_ON_NODE', { isBackedUpHere: true });

test('a database names its node and its newest backup, and how it is brought back from it', () => {
  const { cause, next } = diagnosisOf(
    'UNAVAILABLE',
    [noneRuns, waits, condition('DATA_ON_NODE', { backup, isBackedUpHere: true })],
    [isGone('waits for that node')],
    'database',
  );
  expect([cause.code, cause.sentence]).toEqual([
    'database_node_lost',
    `Its data is only on the node "node-2", which has been down since ${since} or earlier, and it is started nowhere else, where it would be empty. If that node starts again, the database is there with all of its data. Otherwise it can be brought back on another node from its newest complete backup, "nightly" of 2026-11-20T03:00:00.000Z on "node-1", without what was written since.`,
  ]);
  expect(next[0]).toMatchObject({ tool: 'restore_database', arguments: { database_id: 'service-1' } });
});

test('one without a backup says so, and nothing is proposed that would need one', () => {
  const { cause, next } = diagnosisOf('UNAVAILABLE', [noneRuns, gone, noBackup], [], 'database');
  expect([cause.code, cause.sentence]).toEqual([
    'database_node_lost',
    expect.stringMatching(/only on the node "abc123", which is not part of the cluster any more.*It has no backup/),
  ]);
  expect(next.map(({ tool }) => tool)).not.toContain('restore_database');
});

test('a database that runs elsewhere by now is not lost', () => {
  expect(diagnosisOf('DEPLOYED', [waits, noBackup], [], 'database').cause.code).toBe('none');
});

test('a service whose node has left the cluster says what a deployment does', () => {
  const { cause, next } = diagnosisOf('UNAVAILABLE', [noneRuns, gone], []);
  expect(cause).toMatchObject({
    code: 'storage_node_gone',
    sentence: expect.stringMatching(
      /^It can only run on the node "abc123", where its storage or its image is, .* does not begin empty\.$/,
    ),
  });
  expect(next.map(({ tool }) => tool)).toContain('list_clusters');
});

test('one whose node is not reached says that nobody knows whether it runs', () => {
  const { cause } = diagnosisOf(
    'UNAVAILABLE',
    [condition('NODE_UNREACHABLE', { node: 'node-2', since, instances: ['api-1-abc', 'api-2-def'] })],
    [],
  );
  expect(cause).toMatchObject({
    code: 'node_unreachable',
    sentence: expect.stringContaining(
      `The node "node-2" of its cluster has not been reached since ${since} or earlier, so nobody knows whether these instances run: "api-1-abc, api-2-def".`,
    ),
  });
});

test('one that was on a lost node, and has no room on others, lacks room', () => {
  const { cause } = diagnosisOf(
    'UNAVAILABLE',
    [
      noneRuns,
      condition('INSUFFICIENT_RESOURCES', {
        what: 'an instance',
        said: 'no suitable node (insufficient resources on 2 nodes)',
      }),
    ],
    [],
  );
  expect(cause.code).toBe('insufficient_resources');
});

test('one whose node was only just lost is started elsewhere', () => {
  const { cause } = diagnosisOf('UNAVAILABLE', [noneRuns, condition('NODE_LOST', { node: 'node-2', since })], []);
  expect(cause).toMatchObject({
    code: 'node_lost',
    sentence: expect.stringContaining('They are started on other nodes'),
  });
});
