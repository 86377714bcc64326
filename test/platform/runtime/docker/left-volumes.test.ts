import { expect, test } from 'vitest';
import type { Task } from '../../../../src/platform/runtime/index.ts';
import type { DockerContext } from '../../../../src/platform/runtime/docker/docker-context.ts';
import { boundVolumes, leftVolumes } from '../../../../src/platform/runtime/docker/cleanup/left-volumes.ts';
import { writeRecord } from '../../../../src/platform/runtime/docker/record.ts';
import { startFakeEngine } from './fake-engine.ts';

const id = '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11';
const service = {
  id,
  name: 'shop',
  environmentId: '52a1b1f0-1f0e-4d3c-8f0e-1d2f3a4b5c6d',
  kind: 'database',
  spec: { type: 'POSTGRESQL', version: '16' },
} as unknown as Task['service'];
const volume = 'infra-0f7e1a52-91c4-4c39-data';
const spec = {
  Name: `infra-${id}`,
  TaskTemplate: {
    ContainerSpec: {
      Image: 'postgres',
      Mounts: [
        { Type: 'volume' as const, Source: volume, Target: '/data' },
        { Type: 'tmpfs' as const, Target: '/tmp' },
      ],
    },
    Placement: { Constraints: ['node.id==n2'] },
  },
};
const runningRecord = writeRecord({ image: 'postgres@sha256:1', entrypoint: [], command: [], spec });
const { signal } = new AbortController();

/** A context whose engine knows one node, and a config that tells where a Terraform service has its volume. */
async function contextWith(node: string, volumes: readonly string[] = []): Promise<DockerContext> {
  const { docker } = await startFakeEngine((response, { url }) =>
    response.end(
      url.includes('/info')
        ? JSON.stringify({ Swarm: { NodeID: node } })
        : url.includes('/volumes')
          ? JSON.stringify({ Volumes: volumes.map((Name) => ({ Name })) })
          : JSON.stringify(
              url.includes('/configs')
                ? [
                    {
                      ID: 'c',
                      Spec: { Name: 'infra-0f7e1a52-91c4-4c39--node', Data: Buffer.from('n2').toString('base64') },
                    },
                  ]
                : [{ ID: node, Description: { Hostname: 'node-2' } }],
            ),
    ),
  );
  return { docker, platformId: 'p', nodeEngines: { of: async () => docker } } as unknown as DockerContext;
}

test('a volume on a node that can not be asked is named, with the command that removes it', async () => {
  const bound = await boundVolumes(await contextWith('n2'), { service, runningRecord } as Task, signal);
  expect(bound).toEqual({ volumes: [volume], node: 'node-2', isGone: false });
  expect(
    leftVolumes(service, bound, [
      { name: 'node-2', why: 'it is down' },
      { name: 'node-3', why: 'the cluster has no agent' },
    ]),
  ).toEqual([
    `Its volume ${volume} was left on the node node-2, whose engine can't be asked: it is down. If its content is no longer needed, remove it on that node: docker volume rm ${volume}`,
    `Whether these nodes have volumes of it could not be determined: node-3 (the cluster has no agent). There, docker volume ls --filter label=io.infra-mcp.service=${id} lists them, and docker volume rm removes them.`,
  ]);
  expect(leftVolumes(service, bound, [])).toEqual([]);
});

test('so is that of a Terraform service, whose node only a config tells', async () => {
  const terraform = { ...service, kind: 'terraform', spec: {} } as unknown as Task['service'];
  expect(await boundVolumes(await contextWith('n2'), { service: terraform } as Task, signal)).toEqual({
    volumes: ['infra-0f7e1a52-91c4-4c39-terraform'],
    node: 'node-2',
    isGone: false,
  });
});

test('one on a machine that is another node of a swarm which was created again is removed with the service', async () => {
  const bound = await boundVolumes(await contextWith('another', [volume]), { service, runningRecord } as Task, signal);
  expect(bound).toEqual({ volumes: [volume], node: 'node-2', isGone: false });
  expect(leftVolumes(service, bound, [])).toEqual([]);
});

test('one on a node that is no part of the cluster any more is said to be there', async () => {
  const bound = await boundVolumes(await contextWith('another'), { service, runningRecord } as Task, signal);
  expect(leftVolumes(service, bound, [])).toEqual([
    `Its volume ${volume} was on the node n2, which is not part of the cluster any more, and not removed.`,
  ]);
});

test('a service that stores nothing leaves nothing', async () => {
  const web = { ...service, kind: 'container', spec: { storage: [] } } as unknown as Task['service'];
  expect(await boundVolumes(await contextWith('n2'), { service: web, runningRecord } as Task, signal)).toBeUndefined();
  expect(leftVolumes(web, undefined, [{ name: 'node-3', why: 'it is down' }])).toEqual([]);
});
