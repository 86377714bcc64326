import { killed } from './failures.ts';
import { bytesText, ConditionShape, count, plainReason, reasonWith, words, texts } from './reason.ts';

const limitText = (seconds: number): string =>
  seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`;
const shortLimitText = (seconds: number): string =>
  seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;

/** Why deployments and restarts fail. */
export const deploymentReasons = {
  CANCELED: plainReason('Canceled on request.'),
  /** What was canceled could not be ended where it runs. */
  MAY_GO_ON: reasonWith(
    { said: words.optional(), cause: ConditionShape.optional() },
    ({ said, cause }) =>
      `What was begun could not be ended, and may go on where it runs: ${cause?.message ?? said ?? 'it is not known why'}`,
  ),
  NOT_BEGUN: reasonWith(
    { services: texts },
    ({ services }) => `Not begun, because ${services.join(', ')} failed in an earlier stage.`,
  ),
  STEP_OVERDUE: reasonWith(
    { step: words, seconds: count },
    ({ step, seconds }) => `${step} did not end within ${shortLimitText(seconds)}.`,
  ),
  /** An error that isn't a condition, with its own message. */
  PHASE_FAILED: reasonWith({ said: words }, ({ said }) => said),
  RUNTIME_FAILED: reasonWith(
    { step: words, said: words.optional(), cause: ConditionShape.optional() },
    ({ step, said, cause }) => `The runtime failed during ${step}: ${cause?.message ?? said}`,
  ),
  INSTANCES_FAILED: reasonWith(
    { instances: count, cause: ConditionShape },
    ({ instances, cause }) =>
      `${instances === 1 ? 'An instance' : `${instances} instances`} of the new version failed: ${cause.message}.`,
  ),
  INSTANCES_NOT_STARTED: reasonWith(
    { cause: ConditionShape },
    ({ cause }) => `No instance of the new version could be started: ${cause.message}.`,
  ),
  NOT_READY_IN_TIME: reasonWith(
    { cause: ConditionShape },
    ({ cause }) => `An instance of the new version did not get ready in time. ${cause.message}`,
  ),
  REPLACED_EXTERNALLY: plainReason('Somebody removed or replaced the service on the engine during the rollout.'),
  /** `missing` names parts of the previous version's deployment that the cluster doesn't have. */
  NOT_ROLLED_BACK: reasonWith(
    { cause: ConditionShape, missing: texts },
    ({ cause, missing }) =>
      `${cause.message} The version before can't be started again: the cluster doesn't have ${missing.join(', ')} any more, as after it was created again. Nothing of the service runs until a deployment succeeds.`,
  ),
  /** The message of the platform's entrypoint program in a container. */
  PROGRAM_NOT_STARTED: reasonWith({ why: words }, ({ why }) => `infra-entrypoint: ${why}`),
};

/** Why images are unavailable. */
export const imageReasons = {
  IMAGE_NOT_FOUND: reasonWith(
    { image: words, registry: words },
    ({ image, registry }) => `The image ${image} does not exist: the registry ${registry} knows no such name or tag.`,
  ),
  PULL_DENIED: reasonWith(
    { image: words, registry: words },
    ({ image, registry }) =>
      `The registry ${registry} denied access to ${image}: it does not exist, or these credentials may not pull it.`,
  ),
  /** `silent` is a registry that may not be responding. */
  IMAGE_NOT_PULLED: reasonWith(
    { image: words, said: words, silent: words.optional() },
    ({ image, said, silent }) =>
      `The image ${image} could not be pulled: ${said}${silent === undefined ? '' : `, perhaps because the registry ${silent} does not answer it`}`,
  ),
  BASE_IMAGE_NOT_FOUND: reasonWith(
    { image: words },
    ({ image }) => `The base image ${image} does not exist in its registry.`,
  ),
  BASE_IMAGE_DENIED: reasonWith(
    { image: words },
    ({ image }) => `The base image ${image} can't be pulled: it does not exist, or its registry denies access.`,
  ),
  BASE_IMAGE_UNREACHABLE: reasonWith(
    { image: words, said: words },
    ({ image, said }) => `The base image ${image} can't be pulled: its registry can't be reached. ${said}`,
  ),
  BASE_IMAGE_UNUSABLE: reasonWith(
    { image: words, said: words },
    ({ image, said }) => `The base image ${image} can't be used: ${said}`,
  ),
};

/** Why builds fail. */
export const buildReasons = {
  FOLDER_NOT_FOUND: reasonWith(
    { path: words, commit: words, branch: words },
    ({ path, commit, branch }) =>
      `The repository has no folder ${path} in commit ${commit} of the branch ${branch}: change "root_path".`,
  ),
  DOCKERFILE_NOT_FOUND: reasonWith(
    { path: words, commit: words, branch: words },
    ({ path, commit, branch }) =>
      `The Dockerfile ${path} is not in the repository, in commit ${commit} of the branch ${branch}: change "dockerfile_path", or add the file.`,
  ),
  DOCKERFILE_UNREADABLE: reasonWith({ said: words }, ({ said }) => `The Dockerfile can't be read: ${said}`),
  BUILD_NOT_BEGUN: reasonWith({ said: words }, ({ said }) => `The build could not begin: ${said}`),
  /** A command that exited with a code, or a step that failed for a reason that the engine reports. */
  BUILD_STEP_FAILED: reasonWith(
    { step: words, instruction: words, code: count.optional(), said: words.optional() },
    ({ step, instruction, code, said }) => {
      const where = `The build failed at step ${step}${code === undefined ? '' : `, with exit code ${code}`}: ${instruction}`;
      if (code === undefined) return `${where}: ${said ?? ''}`;
      return code === killed
        ? `${where}. It was killed, probably because it needed more memory than a build may have.`
        : where;
    },
  ),
  BUILD_OVERDUE: reasonWith(
    { seconds: count },
    ({ seconds }) =>
      `The build did not end within ${limitText(seconds)}, which is its limit ("build_minutes" in the clusters file).`,
  ),
  SOURCE_TOO_LARGE: reasonWith(
    { limit: count },
    ({ limit }) => `The source is too large: it has more than ${bytesText(limit)}.`,
  ),
  PUSH_FAILED: reasonWith(
    { registry: words, said: words },
    ({ registry, said }) => `The image can't be pushed to the registry ${registry}: ${said}`,
  ),
};
