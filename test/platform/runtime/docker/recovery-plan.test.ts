import { expect, test } from 'vitest';
import type { RunningDatabase } from '../../../../src/platform/runtime/index.ts';
import { planRecovery } from '../../../../src/platform/runtime/docker/databases/backups/recovery-plan.ts';
import { writeRecord } from '../../../../src/platform/runtime/docker/record.ts';
import { startFakeEngine } from './fake-engine.ts';

const now = Date.parse('2026-11-23T12:00:00Z');
const minutesAgo = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();

type Node = readonly [name: string, state: string, availability?: string, minutes?: number];

const service = {
  id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11',
  name: 'shop',
  environmentId: '52a1b1f0-1f0e-4d3c-8f0e-1d2f3a4b5c6d',
  kind: 'database',
  spec: { type: 'POSTGRESQL', version: '16' },
} as RunningDatabase['service'];
const spec = {
  Name: 'infra-shop',
  TaskTemplate: { ContainerSpec: { Image: 'postgres' }, Placement: { Constraints: ['node.id==id-own'] } },
};

/** What is planned for a database on the node `own` with a backup on the node `store`. */
async function plan(
  nodes: readonly Node[],
  backup: { readonly nodeId?: string; readonly dataVersion?: string } = {},
  data?: { volume: string; nodeId: string },
) {
  const { docker } = await startFakeEngine((response) =>
    response.end(
      JSON.stringify(
        nodes.map(([name, state, availability = 'active', minutes = 60]) => ({
          ID: `id-${name}`,
          UpdatedAt: minutesAgo(minutes),
          Spec: { Availability: availability },
          Description: { Hostname: name },
          Status: { State: state },
        })),
      ),
    ),
  );
  const record = writeRecord({
    image: 'postgres@sha256:1',
    entrypoint: [],
    command: [],
    dataVersion: '16',
    spec,
    ...(data && { data }),
  });
  const database: RunningDatabase = { deploymentId: 'd', service, record, runningSince: 0 };
  return planRecovery(
    { docker, clock: { now: () => now } },
    database,
    { nodeId: 'id-store', node: 'store', dataVersion: '16', ...backup },
    new AbortController().signal,
  );
}

const [store, third]: readonly Node[] = [
  ['store', 'ready'],
  ['third', 'ready'],
];

test('a lost node: it moves to another one, rather not to that of the backup', async () => {
  const lost: Node = ['own', 'down'];
  expect(await plan([lost, store!, third!])).toEqual({
    node: 'own',
    oldVolume: 'infra-0f7e1a52-91c4-4c39-data',
    lost: `has been down since ${minutesAgo(60)} or earlier`,
    to: { node: 'third', place: 'id-third' },
  });
  expect((await plan([lost, store!])).to).toEqual({ node: 'store', place: 'id-store' });
  expect((await plan([lost, store!, ['third', 'ready', 'drain']])).to).toEqual({ node: 'store', place: 'id-store' });
  expect(await plan([store!, third!])).toMatchObject({
    node: 'id-own',
    lost: 'is not part of the cluster any more',
    to: { node: 'third' },
  });
});

test('one that went down just now may come back', async () => {
  expect(await plan([['own', 'down', 'active', 3], store!])).toMatchObject({
    to: { node: 'store' },
    mayComeBack: expect.stringMatching(/own has been down since .* less than 10 minutes ago/),
  });
  expect(await plan([['own', 'down', 'active', 11], store!])).not.toHaveProperty('mayComeBack');
});

test('a node that runs: it stays there', async () => {
  expect(await plan([['own', 'ready'], store!, third!], {}, { volume: 'infra-second', nodeId: 'id-own' })).toEqual({
    node: 'own',
    oldVolume: 'infra-second',
    to: { node: 'own', place: 'id-own' },
  });
});

test.each<[string, readonly Node[], Parameters<typeof plan>[1], RegExp]>([
  [
    'its node is drained',
    [['own', 'ready', 'drain'], store!],
    {},
    /only drained, and has all of its data\. docker node update --availability active own/,
  ],
  ['its node is paused', [['own', 'ready', 'pause'], store!], {}, /only paused/],
  ['its node just does not answer', [['own', 'unknown'], store!], {}, /whether it is lost is not known yet/],
  [
    "the backup's node is lost too",
    [['own', 'down'], ['store', 'down'], third!],
    {},
    /The backup is on the node store, which doesn't answer either \(down\)/,
  ],
  ["the backup's node is gone", [['own', 'down'], third!], {}, /store, which is not part of the cluster any more/],
  [
    "the backup's node is drained",
    [['own', 'down'], ['store', 'ready', 'drain'], third!],
    {},
    /store, which is only drained: docker node update/,
  ],
  [
    'the backup is of another major version',
    [['own', 'down'], store!, third!],
    { dataVersion: '15' },
    /major version 15, and the database of 16\. Set its version back to 15/,
  ],
  ['the backup was on the lost node', [['own', 'down'], store!], { nodeId: 'id-own' }, /doesn't answer either/],
])('refused: %s', async (_, nodes, backup, why) => {
  const planned = await plan(nodes, backup);
  expect(planned.refusal).toMatch(why);
  expect(planned).not.toHaveProperty('to');
});
