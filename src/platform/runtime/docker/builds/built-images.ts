import { reasonOf } from '../../../common/index.ts';
import type { ServiceToRun } from '../../index.ts';
import type { DockerContext, OwnObjects } from '../docker-context.ts';
import { isDockerError, listDockerImages, removeDockerImage, type DockerImageSummary } from '../api/index.ts';
import { builtRepository } from '../names.ts';
import { answeringEngines } from '../nodes/node-engines.ts';

type Service = Pick<ServiceToRun, 'id'>;

/** The number of versions of a service whose images are kept: the running one, and the one before it. */
const keptVersions = 2;

/** A tag of a service's repository, on an image of the engine. */
interface BuiltTag {
  readonly name: string;
  readonly image: DockerImageSummary;
}

/** The prefix of the tags of steps. */
export const stepPrefix = 'step-';

/** The name of the image of one build step. With a name, it can be removed later, and the next build finds it. */
export const stepImage = (repository: string, id: string): string => `${repository}:${stepPrefix}${id}`;

const tagsOf = async (
  { docker, platformId, builds }: OwnObjects & Pick<DockerContext, 'builds'>,
  service: Service,
  signal: AbortSignal,
): Promise<readonly BuiltTag[]> => {
  const repository = builtRepository(platformId, service, builds.registry);
  const images = await listDockerImages(docker, { reference: [repository] }, { signal });
  return images
    .toSorted((one, other) => other.Created - one.Created)
    .flatMap((image) =>
      (image.RepoTags ?? []).filter((name) => name.startsWith(`${repository}:`)).map((name) => ({ name, image })),
    );
};

const isStep = ({ name }: BuiltTag): boolean => name.slice(name.lastIndexOf(':') + 1).startsWith(stepPrefix);

const isOneOf = ({ image }: BuiltTag, kept: readonly string[]): boolean =>
  kept.some((each) => image.Id === each || (image.RepoDigests ?? []).includes(each));

/**
 * Removes names of images, newest first, because an older one may be part of it.
 * @param force also those that exited containers use.
 * @returns whether all could be removed: one that a container uses stays
 */
async function removeTags(
  { docker }: Pick<DockerContext, 'docker'>,
  tags: readonly BuiltTag[],
  signal: AbortSignal,
  force = false,
): Promise<boolean> {
  let all = true;
  for (const { name } of tags) {
    // Sequential: newest first.
    await removeDockerImage(docker, name, { signal, force }).catch((error: unknown) => {
      if (isDockerError(error, 'conflict')) all = false;
      else if (!isDockerError(error, 'not found')) throw error;
    });
  }
  return all;
}

/**
 * Removes the images of a service's old versions, also in the cluster's own registry. A failure of the removal doesn't
 * fail a running version.
 * @param kept the images of the running version and of the one before, as recorded
 * @returns lines for its log: one that says why some are still there, or none
 */
export async function deleteOldImages(
  context: OwnObjects & Pick<DockerContext, 'builds' | 'registry'>,
  service: Service,
  kept: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const engines = await answeringEngines(context.docker, signal);
  const ended = await Promise.allSettled(
    engines.map((docker) => deleteOldImagesOf({ ...context, docker }, service, kept, signal)),
  );
  signal.throwIfAborted();
  const failed = ended.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
  return failed
    ? [`Images of old versions could not be removed: ${reasonOf(failed.reason)}. The next deployment tries again.`]
    : [];
}

async function deleteOldImagesOf(
  context: OwnObjects & Pick<DockerContext, 'builds' | 'registry'>,
  service: Service,
  kept: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const versions = (await tagsOf(context, service, signal)).filter((tag) => !isStep(tag));
  const others = versions.filter((tag) => !isOneOf(tag, kept));
  const old = others.slice(Math.max(0, keptVersions - (versions.length - others.length)));
  // The engine keeps exited containers for a while.
  await removeTags(context, old, signal, true);
  await context.registry?.deleteOthers(
    service,
    [...kept, ...versions.filter((tag) => !old.includes(tag)).flatMap(({ image }) => image.RepoDigests ?? [])],
    signal,
  );
}

/**
 * Removes the step images of builds before the last one.
 * @param used the short ids of the images that the last one created or used
 */
export async function deleteOldSteps(
  context: OwnObjects & Pick<DockerContext, 'builds'>,
  service: Service,
  used: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const steps = (await tagsOf(context, service, signal)).filter(isStep);
  await removeTags(
    context,
    steps.filter(({ name }) => !used.has(name.slice(name.lastIndexOf(stepPrefix) + stepPrefix.length))),
    signal,
  );
}

/**
 * Removes every image that was built for a service.
 * @returns whether all could be removed: one that a container still uses stays
 */
export async function deleteBuiltImages(
  context: OwnObjects & Pick<DockerContext, 'builds' | 'registry'>,
  service: Service,
  signal: AbortSignal,
): Promise<boolean> {
  await context.registry?.deleteAll(service, signal);
  return removeTags(context, await tagsOf(context, service, signal), signal);
}
