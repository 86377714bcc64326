import type { KnownResources } from '../../index.ts';
import { stepPrefix } from '../builds/built-images.ts';
import type { DockerContext, OwnObjects, NodeReach } from '../docker-context.ts';
import {
  type DockerClient,
  type DockerImageSummary,
  isDockerError,
  listDockerImages,
  listDockerServices,
  removeDockerImage,
} from '../api/index.ts';
import { onEveryNode } from '../nodes/every-node.ts';
import { isBuiltBy } from '../names.ts';
import { readRecord } from '../record.ts';

/** How much the images of a platform may take on each node, in bytes, unless it is configured. */
export const defaultImageBytes = 20e9;

/**
 * How many versions of a service keep their images: the newest one, which may still be on its way, the one that runs,
 * and the one before it.
 */
const keptVersions = 3;

/** The images of this platform: which ones its services had, and which of these they need. */
interface ImagesOfPlatform {
  readonly had: ReadonlySet<string>;
  readonly needed: ReadonlySet<string>;
}

/** What records and services say of images. Whatever a service of the swarm names is needed, whoever made it. */
async function imagesOfPlatform(
  { docker }: Pick<DockerContext, 'docker'>,
  { serviceIds, records }: KnownResources,
  signal: AbortSignal,
): Promise<ImagesOfPlatform> {
  const services = await listDockerServices(docker, {}, { signal });
  const named = services.flatMap(({ Spec, PreviousSpec }) =>
    [Spec, PreviousSpec].flatMap((spec) => spec?.TaskTemplate.ContainerSpec?.Image ?? []),
  );
  const recorded = (records ?? [])
    .map(({ serviceId, record }) => ({ serviceId, image: readRecord(record)?.image ?? '' }))
    .filter(({ image }) => image !== '');
  const newest = [
    ...Map.groupBy(
      recorded.filter(({ serviceId }) => serviceIds.has(serviceId)),
      ({ serviceId }) => serviceId,
    ).values(),
  ].flatMap((versions) => [...new Set(versions.map(({ image }) => image))].slice(0, keptVersions));
  return { had: new Set(recorded.map(({ image }) => image)), needed: new Set([...named, ...newest]) };
}

/** The names of an image: tags and digests. Engines write those that it lacks in words. */
const namesOf = ({ RepoTags: tags, RepoDigests: digests }: DockerImageSummary): readonly string[] =>
  [...(tags ?? []), ...(digests ?? [])].filter((name) => !name.includes('<none>'));

/** Whether this platform built an image, or a service of it had it, and nobody gave it another name. */
const isOurs = (image: DockerImageSummary, { had }: ImagesOfPlatform, platformId: string): boolean => {
  const names = namesOf(image);
  return names.length > 0 && names.every((name) => isBuiltBy(platformId, name) || had.has(name));
};

const isNeeded = (image: DockerImageSummary, { needed }: ImagesOfPlatform): boolean =>
  needed.has(image.Id) || namesOf(image).some((name) => needed.has(name));

/** What an image adds to the one that it is a step after, in bytes. */
const ownBytes = (
  { Size: size, ParentId: parent }: DockerImageSummary,
  all: ReadonlyMap<string, DockerImageSummary>,
): number => Math.max(0, size - (all.get(parent ?? '')?.Size ?? 0));

const isStep = (image: DockerImageSummary): boolean => namesOf(image).every((name) => name.includes(`:${stepPrefix}`));

/** Removes the names of an image, and so the image. @returns whether it is gone: one that a container uses stays */
async function removeAll(docker: DockerClient, image: DockerImageSummary, signal: AbortSignal): Promise<boolean> {
  for (const name of namesOf(image)) {
    const isRemoved = await removeDockerImage(docker, name, { signal }).then(
      () => true,
      (error: unknown) => {
        // With the last tag, an engine removes the digests too.
        if (isDockerError(error, 'not found')) return true;
        if (isDockerError(error, 'conflict')) return false;
        throw error;
      },
    );
    if (!isRemoved) return false;
  }
  return true;
}

/**
 * Keeps the images of one engine to a size: of those that belong to this platform, it removes the ones that nothing
 * needs, the oldest first, and what builds kept of their steps last.
 * @returns the names of what it removed
 */
async function boundImagesOf(
  docker: DockerClient,
  { platformId, imageBytes }: Pick<DockerContext, 'imageBytes' | 'platformId'>,
  images: ImagesOfPlatform,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ours = (await listDockerImages(docker, {}, { signal })).filter((image) => isOurs(image, images, platformId));
  const byId = new Map(ours.map((image) => [image.Id, image]));
  let bytes = ours.reduce((sum, image) => sum + ownBytes(image, byId), 0);
  const removed: string[] = [];
  const candidates = ours
    .filter((image) => !isNeeded(image, images))
    .toSorted((one, other) => Number(isStep(one)) - Number(isStep(other)) || one.Created - other.Created);
  for (const image of candidates) {
    if (bytes <= imageBytes) break;
    // Each makes room.
    if (!(await removeAll(docker, image, signal))) continue;
    bytes -= ownBytes(image, byId);
    removed.push(namesOf(image)[0]!);
  }
  return removed;
}

/** Keeps the images of every node that can be asked to their size. @returns what it removed, by the names of nodes */
export async function boundImages(
  context: OwnObjects & NodeReach & Pick<DockerContext, 'imageBytes'>,
  known: KnownResources,
  signal: AbortSignal,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const images = await imagesOfPlatform(context, known, signal);
  const { seen } = await onEveryNode(context, (engine) => boundImagesOf(engine, context, images, signal), signal);
  return Object.fromEntries(
    seen.filter(({ result }) => result.length > 0).map(({ node, result }) => [node.Description.Hostname, result]),
  );
}
