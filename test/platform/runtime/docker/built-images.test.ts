import { expect, test } from 'vitest';
import { deleteOldImages } from '../../../../src/platform/runtime/docker/builds/built-images.ts';
import type { DockerContext } from '../../../../src/platform/runtime/docker/docker-context.ts';
import { startFakeEngine } from './fake-engine.ts';

const service = { id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11' };
const repository = `infra-mcp-platform/${service.id}`;
const kept = 'sha256:3';

/**
 * Deletes the old images of an engine that has three versions.
 * @returns what is told, and the requests for deletions
 */
async function deleteOn(status: number, message: string) {
  const images = ['1', '2', '3'].map((version, index) => ({
    Id: `sha256:${version}`,
    Created: index,
    RepoTags: [`${repository}:${version}`],
    RepoDigests: [],
  }));
  const { docker, seen } = await startFakeEngine((response, { method }) => {
    if (method === 'DELETE') response.writeHead(status).end(JSON.stringify(status < 300 ? [] : { message }));
    else response.end(JSON.stringify(images));
  });
  const lines = await deleteOldImages(
    { docker, platformId: 'platform', builds: {} } as unknown as DockerContext,
    service,
    [kept],
    new AbortController().signal,
  );
  return {
    lines,
    deleted: seen
      .filter(({ method }) => method === 'DELETE')
      .map(({ url }) => decodeURIComponent(url.replace(/^\/v[\d.]+\/images\/|\?.*$/g, ''))),
  };
}

test('of the images of a service, that of the version which runs stays, and the newest other one', async () => {
  expect(await deleteOn(200, '')).toEqual({ lines: [], deleted: [`${repository}:1`] });
});

test('an engine that can not remove an image does not fail the version that runs: its log tells why', async () => {
  const { lines } = await deleteOn(500, 'no space left on device');
  expect(lines).toEqual([
    expect.stringMatching(
      /^Images of old versions could not be removed: .*no space left on device\. The next deployment tries again\.$/,
    ),
  ]);
});
