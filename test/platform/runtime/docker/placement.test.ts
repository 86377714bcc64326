import { expect, test } from 'vitest';
import { condition } from '../../../../src/contract/index.ts';
import type { DockerNode, DockerServiceSpec, DockerTask } from '../../../../src/platform/runtime/docker/api/index.ts';
import { fits, misfitOf, unschedulable } from '../../../../src/platform/runtime/docker/nodes/fitting-nodes.ts';
import { leaving, notLeaving } from '../../../../src/platform/runtime/docker/nodes/leaving-node.ts';
import { boundNode, placementOf } from '../../../../src/platform/runtime/docker/nodes/placement.ts';
import { placementFor } from '../../../../src/platform/runtime/docker/nodes/placement-rules.ts';
import { crowdingOf, mayBeCrowded } from '../../../../src/platform/runtime/docker/nodes/spreading.ts';
import { startFakeEngine } from './fake-engine.ts';

const node = (name: string, Labels: Record<string, string> = {}, more: object = {}): DockerNode =>
  ({
    ID: `id-${name}`,
    Description: { Hostname: name },
    Spec: { Role: 'worker', Availability: 'active', Labels, ...more },
    Status: { State: 'ready' },
  }) as unknown as DockerNode;

const ssd = placementOf({ constraints: ['node.labels.disk==ssd'] });

test('the rules that concern a service hold for it together, each constraint once', () => {
  const rules = [
    { where: { mode: 'PRODUCTION' }, constraints: ['node.labels.disk==ssd'] },
    { where: { mode: 'PRODUCTION', kind: 'database' }, constraints: ['node.labels.disk==ssd', 'node.role==worker'] },
    { where: { project: 'shop', environment: 'live' }, constraints: ['node.hostname!=old'] },
  ];
  const of = (kind: 'database' | 'container', environmentMode: string, environmentName = 'x') =>
    placementFor({ rules }, { kind }, { variables: [], environmentMode, environmentName, projectName: 'shop' })
      .constraints;
  expect(of('database', 'PRODUCTION', 'live')).toEqual([
    'node.labels.disk==ssd',
    'node.role==worker',
    'node.hostname!=old',
  ]);
  expect(of('container', 'PRODUCTION')).toEqual(['node.labels.disk==ssd']);
  expect(of('database', 'STAGING')).toEqual([]);
});

test('instances are bound, constrained and spread in the words of the engine', () => {
  expect(placementOf({})).toEqual({});
  const template = placementOf({ boundTo: 'n1', constraints: ['node.labels.disk==ssd'], spreadOver: 'zone' });
  expect(template).toEqual({
    Placement: {
      Constraints: ['node.id==n1', 'node.labels.disk==ssd'],
      Preferences: [{ Spread: { SpreadDescriptor: 'node.labels.zone' } }],
    },
  });
  expect(boundNode(template)).toBe('n1');
  expect(boundNode(placementOf({ spreadOver: 'zone' }))).toBeUndefined();
});

test.each([
  ['node.labels.disk==ssd', true],
  ['node.labels.disk == SSD', true],
  ['node.labels.disk!=ssd', false],
  ['node.labels.gpu!=true', true],
  ['node.labels.gpu==true', false],
  ['node.hostname==one', true],
  ['node.role!=manager', true],
  ['node.id==id-two', false],
])('a node fits as the engine has it: %s %s', (constraint, isFit) => {
  expect(fits(node('one', { disk: 'ssd' }), placementOf({ constraints: [constraint] }))).toBe(isFit);
});

/** What is said where no node fits. */
function misfitText(...of: Parameters<typeof misfitOf>): string | undefined {
  const misfit = misfitOf(...of);
  return misfit && condition('NO_MATCHING_NODE', misfit).message;
}

/** What is said of instances that are crowded. */
function crowdingText(...of: Parameters<typeof crowdingOf>): string | undefined {
  const crowding = crowdingOf(...of);
  return (
    crowding && condition('INSTANCES_CROWDED', { ...crowding, isMoving: true }).message.replace(/: moving one$/, '')
  );
}

test('what nodes lack is said of each, and nothing where one fits or nothing is asked for', () => {
  const nodes = [node('two', { disk: 'hdd' }), node('one')];
  expect(misfitText(nodes, ssd)).toContain(
    'No node of the cluster fits: the placement rules ask for node.labels.disk==ssd, and one has no label disk; two has disk=hdd. Whoever runs',
  );
  const bound = placementOf({ boundTo: 'id-two', constraints: ['node.labels.disk==ssd'] });
  const ofImage = (Image: string, ...Mounts: readonly { Type: 'volume'; Source: string; Target: string }[]) =>
    misfitText(nodes, { ...bound, ContainerSpec: { Image, Mounts } });
  const volume = { Type: 'volume', Source: 'v', Target: '/data' } as const;
  expect(ofImage('redis', volume)).toContain(
    'disk==ssd, and two has disk=hdd. Its storage is on two, and nowhere else.',
  );
  expect(ofImage('sha256:1')).toContain('. Its image is on two, and nowhere else.');
  expect(ofImage('sha256:1', volume)).toContain('. Its storage or its image is on two, and nowhere else.');
  expect(misfitText([...nodes, node('three', { disk: 'ssd' }, { Availability: 'drain' })], ssd)).toBeUndefined();
  expect(misfitText(nodes, placementOf({ boundTo: 'gone' }))).toBeUndefined();
});

test.each([
  [
    'insufficient resources on 1 node',
    node('one'),
    'No node has room for an instance: no suitable node (insufficient resources on 1 node).',
  ],
  [
    '1 node not available for new tasks',
    node('one', {}, { Availability: 'drain' }),
    'No node takes an instance at present: no suitable node (1 node not available for new tasks). Of those that it may run on, one is drained.',
  ],
  [
    '1 node not available for new tasks',
    { ...node('one'), Status: { State: 'unknown' } },
    'No node takes an instance at present: no suitable node (1 node not available for new tasks). Of those that it may run on, one is unknown.',
  ],
  // It has only just started: what the engine says is older.
  [
    '1 node not available for new tasks',
    node('one'),
    'No node takes an instance at present: no suitable node (1 node not available for new tasks).',
  ],
])('what an instance waits for is room only where the engine says so: %s', async (why, one, text) => {
  const { docker } = await startFakeEngine((response) => response.end(JSON.stringify([one, node('two')])));
  const waiting = {
    Spec: placementOf({ boundTo: 'id-one' }),
    Status: { State: 'pending', Err: `no suitable node (${why})` },
  } as unknown as DockerTask;
  expect((await unschedulable({ docker }, 'an instance', [waiting], new AbortController().signal))?.message).toBe(text);
});

const on = (...names: readonly string[]) => names.map((name) => ({ NodeID: `id-${name}` }) as DockerTask);
const anywhere = {} as DockerServiceSpec['TaskTemplate'];

test('instances are crowded where they share a node although another one would take some', () => {
  const nodes = [node('one'), node('two')];
  expect(crowdingText(anywhere, on('one', 'one'), nodes)).toBe(
    'All 2 instances run on one, although two would take some',
  );
  expect(crowdingText(anywhere, on('one', 'two', 'one'), [...nodes, node('three')])).toBe(
    'All 3 instances run on one and two, although three would take some',
  );
  expect(crowdingText(anywhere, on('one', 'two', 'one'), nodes)).toBeUndefined();
  expect(
    crowdingText(anywhere, on('one', 'one'), [node('one'), node('two', {}, { Availability: 'drain' })]),
  ).toBeUndefined();
  expect(
    crowdingText(ssd as typeof anywhere, on('one', 'one'), [node('one', { disk: 'ssd' }), node('two')]),
  ).toBeUndefined();
  expect([
    mayBeCrowded(anywhere, on('one')),
    mayBeCrowded(anywhere, on('one', 'two')),
    mayBeCrowded(anywhere, on('one', 'one')),
  ]).toEqual([false, false, true]);
});

test('where they are spread over a label, nodes with the same value are one place', () => {
  const zones = placementOf({ spreadOver: 'zone' }) as typeof anywhere;
  const nodes = [node('one', { zone: 'a' }), node('two', { zone: 'a' }), node('three', { zone: 'b' })];
  expect(mayBeCrowded(zones, on('one', 'two'))).toBe(true);
  expect(crowdingText(zones, on('one', 'two'), nodes)).toBe(
    'All 2 instances run on one and two (zone: a), although three would take some',
  );
  expect(crowdingText(zones, on('one', 'three'), nodes)).toBeUndefined();
});

test('a service leaves a node by a constraint and a label, which are taken back without a trace', () => {
  const spec = { Name: 'web', Labels: { a: 'b' }, TaskTemplate: { ...ssd } } as unknown as DockerServiceSpec;
  const left = leaving(leaving(spec, 'n1'), 'n2');
  expect(left).toMatchObject({
    Labels: { a: 'b', 'io.infra-mcp.leaving': 'n2' },
    TaskTemplate: { Placement: { Constraints: ['node.labels.disk==ssd', 'node.id!=n2'] } },
  });
  expect(notLeaving(left)).toEqual(spec);
  // What somebody else excludes stays.
  const own = {
    ...spec,
    TaskTemplate: { Placement: { Constraints: ['node.id!=n2'] } },
  } as unknown as DockerServiceSpec;
  expect(notLeaving(own)).toBe(own);
});
