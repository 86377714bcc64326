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

/** The default maximum size of a platform's images on each node, in bytes. */
export const defaultImageBytes = 20e9;

/**
 * The number of versions of a service whose images are kept: the newest one, which may still be deploying, the running
 * one, and the one before it.
 */
const keptVersions = 3;

/** The images of this platform: those that its services have had, and those that are needed. */
interface ImagesOfPlatform {
  readonly had: ReadonlySet<string>;
  readonly needed: ReadonlySet<string>;
}

/**
 * Reads images from records and services. Any image that a service of the swarm names is needed, no matter who created
 * the service.
 */
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

/**
 * The names of an image: tags and digests. If it has no tag or digest, engines return a placeholder (`<none>`).
 */
const namesOf = ({ RepoTags: tags, RepoDigests: digests }: DockerImageSummary): readonly string[] =>
  [...(tags ?? []), ...(digests ?? [])].filter((name) => !name.includes('<none>'));

/** Whether this platform built an image, or one of its services had it, and it has no other names. */
const isOurs = (image: DockerImageSummary, { had }: ImagesOfPlatform, platformId: string): boolean => {
  const names = namesOf(image);
  return names.length > 0 && names.every((name) => isBuiltBy(platformId, name) || had.has(name));
};

const isNeeded = (image: DockerImageSummary, { needed }: ImagesOfPlatform): boolean =>
  needed.has(image.Id) || namesOf(image).some((name) => needed.has(name));

/** The size that an image adds to its parent image, in bytes. */
const ownBytes = (
  { Size: size, ParentId: parent }: DockerImageSummary,
  all: ReadonlyMap<string, DockerImageSummary>,
): number => Math.max(0, size - (all.get(parent ?? '')?.Size ?? 0));

const isStep = (image: DockerImageSummary): boolean => namesOf(image).every((name) => name.includes(`:${stepPrefix}`));

/** Removes all names of an image, and so the image. @returns whether it is gone: one that a container uses stays */
async function removeAll(docker: DockerClient, image: DockerImageSummary, signal: AbortSignal): Promise<boolean> {
  for (const name of namesOf(image)) {
    const isRemoved = await removeDockerImage(docker, name, { signal }).then(
      () => true,
      (error: unknown) => {
        // With the last tag, an engine also removes the digests.
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
 * Limits the size of the images of one engine: of those that belong to this platform, it removes the unneeded ones,
 * oldest first, and the images of build steps last.
 * @returns the names of the removed images
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
    // Sequential: each removal frees space.
    if (!(await removeAll(docker, image, signal))) continue;
    bytes -= ownBytes(image, byId);
    removed.push(namesOf(image)[0]!);
  }
  return removed;
}

/** Limits the size of the images on every reachable node. @returns the removed images, by node name */
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
