import { expect, test } from 'vitest';
import type { Task } from '../../../../src/platform/runtime/index.ts';
import { removeNewVolume } from '../../../../src/platform/runtime/docker/databases/backups/new-volume.ts';
import { writeRecord } from '../../../../src/platform/runtime/docker/record.ts';
import { startFakeEngine } from './fake-engine.ts';

const volume = 'infra-0f7e1a52-91c4-4c39-data-second';
const task = {
  service: { id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11', name: 'shop' },
  record: writeRecord({ image: 'postgres@sha256:1', entrypoint: [], command: [], data: { volume, nodeId: 'n2' } }),
} as unknown as Task;

/**
 * What becomes of the volume.
 * @param mounted the volume that the database has
 * @param status what the engine of the node answers to a deletion; 0 where it can't be asked
 */
async function removal(mounted: string, status: number) {
  const { docker, seen } = await startFakeEngine((response, { method, url }) => {
    if (method === 'DELETE')
      return response.writeHead(status).end(status < 300 ? '' : JSON.stringify({ message: 'volume is in use' }));
    if (url.includes('/nodes'))
      return response.end(JSON.stringify([{ ID: 'n2', Description: { Hostname: 'node-2' } }]));
    return response.end(
      JSON.stringify({
        ID: 's',
        Version: { Index: 1 },
        Spec: {
          Name: 'infra-shop',
          Labels: { 'io.infra-mcp.platform': 'p' },
          TaskTemplate: {
            ContainerSpec: { Image: 'i', Mounts: [{ Type: 'volume', Source: mounted, Target: '/data' }] },
          },
        },
      }),
    );
  });
  const context = { docker, platformId: 'p', nodeEngines: { of: async () => (status === 0 ? undefined : docker) } };
  return {
    ...(await removeNewVolume(context, task, new AbortController().signal)),
    deletions: seen.filter(({ method }) => method === 'DELETE').length,
  };
}

test('the volume of a restoration that failed is removed where the engine of its node can be asked', async () => {
  expect(await removal('infra-old', 204)).toEqual({
    isHeld: false,
    text: `Removed the volume ${volume} on the node node-2, into which it was copied.`,
    deletions: 1,
  });
  expect(await removal('infra-old', 404)).toEqual({ isHeld: false, deletions: 1 });
});

test('one that a container still holds is tried again; where nobody can ask, the command is told', async () => {
  expect(await removal('infra-old', 409)).toMatchObject({ isHeld: true });
  expect(await removal('infra-old', 0)).toEqual({
    isHeld: false,
    text: `What was copied into the volume ${volume} on the node node-2 was left there: the engine of the node can't be asked. Nothing uses it. Remove it on that node: docker volume rm ${volume}`,
    deletions: 0,
  });
});

test('one that the database has by now is never removed', async () => {
  expect(await removal(volume, 204)).toEqual({
    isHeld: false,
    text: `The database still has the volume ${volume} on the node node-2, with all of the backup: it was left there.`,
    deletions: 0,
  });
});
