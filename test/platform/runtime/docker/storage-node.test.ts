import { expect, test } from 'vitest';
import type { DockerClient } from '../../../../src/platform/runtime/docker/api/index.ts';
import { createNodeEngines } from '../../../../src/platform/runtime/docker/nodes/node-engines.ts';
import { type StorageNeeds, storageNode } from '../../../../src/platform/runtime/docker/nodes/storage-node.ts';
import { startFakeEngine } from './fake-engine.ts';

const gigabyte = 1024 ** 3;
const service = {
  id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11',
  name: 'shop',
  environmentId: '52a1b1f0-1f0e-4d3c-8f0e-1d2f3a4b5c6d',
};

interface Node {
  readonly name: string;
  readonly labels?: Record<string, string>;
  readonly availability?: string;
  readonly state?: string;
  readonly cpu?: string;
  /** What instances reserve there, in bytes. */
  readonly reserved?: number;
  /** Its volumes; undefined if its engine can't be asked. That of `own` can be. */
  readonly volumes?: readonly string[];
}

/** The node that is chosen in a swarm of these nodes. The first one has the engine that is asked. */
async function choose(
  nodes: readonly Node[],
  needs: Partial<StorageNeeds> & { readonly constraints?: readonly string[] } = {},
): Promise<string> {
  const engineOf = ({ name, volumes = [] }: Node) =>
    startFakeEngine((response, { url }) => {
      if (url.includes('/info'))
        return response.end(JSON.stringify({ Swarm: { NodeID: `id-${name}` }, Architecture: 'x86_64' }));
      if (url.includes('/volumes')) return response.end(JSON.stringify({ Volumes: volumes.map((Name) => ({ Name })) }));
      if (url.includes('/tasks'))
        return response.end(
          JSON.stringify(
            nodes.map((node) => ({
              NodeID: `id-${node.name}`,
              Spec: { ContainerSpec: {}, Resources: { Reservations: { MemoryBytes: node.reserved ?? 0 } } },
            })),
          ),
        );
      return response.end(
        JSON.stringify(
          nodes.map((node) => ({
            ID: `id-${node.name}`,
            Spec: { Availability: node.availability ?? 'active', Role: 'worker', Labels: node.labels ?? {} },
            Status: { State: node.state ?? 'ready' },
            Description: {
              Hostname: node.name,
              Platform: { Architecture: node.cpu ?? 'x86_64' },
              Resources: { MemoryBytes: gigabyte },
            },
          })),
        ),
      );
    });
  const engines = await Promise.all(
    nodes
      .filter(({ volumes }, index) => index === 0 || volumes !== undefined)
      .map(async (node): Promise<readonly [string, DockerClient]> => [
        `id-${node.name}`,
        (await engineOf(node)).docker,
      ]),
  );
  const [[, docker]] = engines as [[string, DockerClient]];
  const others = createNodeEngines({ docker, agents: { clientOf: async (id) => new Map(engines).get(id) } });
  const context = { docker, platformId: 'platform', nodeEngines: others, whyNoAgent: async () => 'it has no agent' };
  const { constraints = [], ...more } = needs;
  return storageNode(
    context,
    { service, volumes: ['kept'], placement: { constraints }, memory: gigabyte / 4, ...more },
    new AbortController().signal,
  );
}

const ssd = { constraints: ['node.labels.disk==ssd'] };
const own: Node = { name: 'own' };
const [fast, large] = [
  { name: 'fast', labels: { disk: 'ssd' } },
  { name: 'large', labels: { disk: 'ssd' } },
] as const satisfies Node[];

test('storage that is new comes to the node of the engine if that fits', async () => {
  expect(await choose([own, fast])).toBe('id-own');
  expect(await choose([{ ...own, labels: { disk: 'ssd' } }, fast], ssd)).toBe('id-own');
  // It answers, so it runs.
  expect(await choose([{ ...own, state: 'unknown' }, fast])).toBe('id-own');
});

test.each<[string, readonly Node[]]>([
  ['the rules do not fit', [own, fast]],
  ['it takes no instances', [{ ...own, labels: { disk: 'ssd' }, availability: 'drain' }, fast]],
  ['it has no room', [{ ...own, labels: { disk: 'ssd' }, reserved: 0.9 * gigabyte }, fast]],
  [
    'the only others are down, full or of another kind',
    [
      own,
      { ...large, name: 'a', state: 'down' },
      { ...large, name: 'b', reserved: gigabyte },
      { ...large, name: 'c', cpu: 'aarch64' },
      fast,
    ],
  ],
])('and to another one that fits if %s', async (_, nodes) => {
  expect(await choose(nodes, ssd)).toBe('id-fast');
});

test('of several it is always the same for a service, and not the same for all services', async () => {
  const nodes = [own, fast, large];
  const chosen = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      choose(nodes, { ...ssd, service: { ...service, id: `service-${index}` } }),
    ),
  );
  expect(new Set(chosen)).toEqual(new Set(['id-fast', 'id-large']));
  expect(
    await choose(
      nodes.toReversed().toSorted((one) => (one === own ? -1 : 1)),
      { ...ssd, service: { ...service, id: 'service-0' } },
    ),
  ).toBe(chosen[0]);
});

test('where no node fits, it is said that there is no storage yet', async () => {
  await expect(choose([own], ssd)).rejects.toMatchObject({
    condition: {
      reason: 'NO_MATCHING_NODE',
      details: { lacking: [{ node: 'own', lacks: [{ label: 'disk', value: '' }] }], ending: 'no storage yet' },
    },
  });
  await expect(choose([own, { ...fast, cpu: 'aarch64' }], ssd)).rejects.toMatchObject({
    condition: { reason: 'CPU_MISMATCH', details: { architecture: 'x86_64', nodes: ['fast (aarch64)'] } },
  });
});

test('it stays where it is recorded, whatever the rules ask for, and where an attempt before has left it', async () => {
  expect(
    await choose([own, fast, { name: 'old', state: 'down' }], {
      ...ssd,
      recorded: { nodeId: 'id-old', volumes: ['kept'] },
    }),
  ).toBe('id-old');
  expect(await choose([own, fast, { ...large, volumes: ['other', 'kept'] }], ssd)).toBe('id-large');
  expect(await choose([own, fast], { imageNode: 'id-fast' })).toBe('id-fast');
});

test('in a swarm that was created again it is where its volume is found, and refused where that is not', async () => {
  const recorded = { nodeId: 'id-gone', volumes: ['kept'] };
  expect(await choose([{ ...own, volumes: ['kept'] }, fast], { recorded })).toBe('id-own');
  expect(await choose([own, { ...fast, volumes: ['kept'] }], { recorded })).toBe('id-fast');
  await expect(choose([own], { recorded })).rejects.toThrow(
    /^The storage of shop was on the node id-gone, which is not part of the cluster any more, and kept is not on own\. Nothing was changed: it would begin empty\. If another machine has it, .* docker volume create --label io\.infra-mcp\.platform=platform .* kept$/,
  );
  await expect(choose([own, fast], { recorded })).rejects.toThrow(
    'Not asked: fast (it has no agent). If one of them has it,',
  );
  await expect(choose([own], { recorded: { nodeId: undefined, volumes: ['kept'] } })).rejects.toThrow(
    'The node with the storage of shop is not known in this cluster, and kept is not on own.',
  );
  // A part of it is not enough.
  await expect(
    choose([{ ...own, volumes: ['kept'] }], {
      volumes: ['kept', 'more'],
      recorded: { nodeId: 'id-gone', volumes: ['kept', 'more'] },
    }),
  ).rejects.toThrow('kept, more is not on own');
  await expect(
    choose(
      [
        { ...own, volumes: ['kept'] },
        { ...fast, volumes: ['kept'] },
      ],
      { recorded },
    ),
  ).rejects.toThrow(
    /^Several nodes have storage of shop \(fast, own\), and which of it counts is not known\. Nothing was changed\./,
  );
});
