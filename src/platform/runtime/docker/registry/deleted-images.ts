import type { ServiceToRun } from '../../index.ts';
import { builtRepository } from '../names.ts';
import type { AskRegistry, RegistryAnswer } from './registry-request.ts';

/** The parts of an image, from its manifest. */
interface Manifest {
  readonly config?: { readonly digest: string; readonly size: number };
  readonly layers?: readonly { readonly digest: string; readonly size: number }[];
}

const notThere = 404;

/**
 * Parses the JSON of a response; undefined if the resource doesn't exist.
 * @throws Error if the registry can't be reached, or refuses
 */
function jsonOf(answer: RegistryAnswer | undefined, what: string): unknown {
  if (answer === undefined) throw new Error('nothing forwards to it on the node of the engine');
  if (answer.status === notThere) return undefined;
  if (answer.status !== 200) throw new Error(`The registry answers ${what} with the status ${answer.status}.`);
  return JSON.parse(answer.body);
}

/** The sizes of an image's parts, by their digests, in bytes. */
function partsOf(digest: string, body: string): readonly (readonly [string, number])[] {
  const { config, layers = [] } = JSON.parse(body) as Manifest;
  return [
    [digest, Buffer.byteLength(body)],
    ...[...(config ? [config] : []), ...layers].map((part) => [part.digest, part.size] as const),
  ];
}

/**
 * Deletes images of a service in the registry. The next cleaning frees their space.
 * @param kept the digests of images that stay
 * @param sizes receives the sizes of deleted parts, by digest
 * @returns how many were deleted
 * @throws Error if the registry doesn't delete one
 */
export async function deleteImages(
  ask: AskRegistry,
  platformId: string,
  service: Pick<ServiceToRun, 'id'>,
  kept: ReadonlySet<string>,
  sizes: Map<string, number>,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  const path = `/v2/${builtRepository(platformId, service)}`;
  const listed = jsonOf(await ask('GET', `${path}/tags/list`, signal), 'a request for tags') as
    | { tags: readonly string[] | null }
    | undefined;
  for (const tag of listed?.tags ?? []) {
    const manifest = await ask('GET', `${path}/manifests/${tag}`, signal);
    const digest = manifest?.headers.get('docker-content-digest');
    if (manifest?.status !== 200 || digest === undefined || kept.has(digest)) continue;
    const deleted = await ask('DELETE', `${path}/manifests/${digest}`, signal);
    if (deleted === undefined || (deleted.status !== 202 && deleted.status !== notThere))
      throw new Error(`The registry answers a deletion with the status ${deleted?.status ?? 'none'}.`);
    for (const [part, size] of partsOf(digest, manifest.body)) sizes.set(part, size);
    count += 1;
  }
  return count;
}

/** The services that have, or had, images in a registry. @throws Error if the registry can't be queried */
export async function servicesWithImages(
  ask: AskRegistry,
  platformId: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const prefix = builtRepository(platformId, { id: '' });
  const listed = jsonOf(await ask('GET', '/v2/_catalog?n=10000', signal), 'a request for names') as
    | { repositories: readonly string[] }
    | undefined;
  return (listed?.repositories ?? [])
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}
